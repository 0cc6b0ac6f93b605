import { cx } from '../../../ui/cx.ts'
import { tableFrame } from '../../../ui/table-class.ts'
import { CodeBlock, TabbedCode } from '../../prose/CodeBlock.tsx'
import { examplesOf } from '../reference/examples.ts'
import type { Entry, Field } from '../reference/reference.ts'

const callers: Readonly<Record<Entry['caller'], string>> = {
  nobody: 'Needs no sign-in.',
  key: 'Takes an API key or an access token.',
  session:
    'Takes the access token of a signed-in session only: a key that leaks must not be able to do this.',
}

/** One operation: what it takes and answers at the left, a request and its answer at the right. */
export function EntryView({ entry }: { readonly entry: Entry }) {
  const { anchor, method, path, summary, caller, inPath, inQuery, inBody, answers, mediaTypes, failures } =
    entry
  return (
    <section aria-labelledby={anchor} className="grid gap-x-12 border-t border-line py-12 xl:grid-cols-2">
      <div className="min-w-0">
        <h2 id={anchor} className="text-title text-balance">
          {summary}
        </h2>
        <p className="mt-3 font-mono text-code break-words">
          <span className="mr-2 font-semi text-link">{method}</span>
          {path}
        </p>
        <p className="mt-2 text-body text-muted">
          {callers[caller]}
          {entry.onlyFor && ` ${entry.onlyFor} only.`}
        </p>
        <Fields title="In the path" fields={inPath} />
        <Fields title="In the query" fields={inQuery} />
        <Fields title="In the body" fields={inBody} />
        {entry.takesBytes && <p className="mt-6 text-body">In the body: the bytes, as they are.</p>}
        <details className="mt-6">
          <summary className="text-heading">Answer: {entry.status}</summary>
          <Fields fields={answers} />
          {answers.length === 0 && (
            <p className="mt-2 text-body text-muted">
              {mediaTypes ? `A file: ${mediaTypes.join(' or ')}.` : 'An empty object.'}
            </p>
          )}
        </details>
        <details className="mt-3">
          <summary className="text-heading">Errors</summary>
          <ul className="mt-2 space-y-1 text-body">
            {failures.flatMap(({ status, codes }) =>
              codes.map(({ code, text }) => (
                <li key={status + code}>
                  <span className="tabular-nums">{status}</span>{' '}
                  <code className="font-mono text-code">{code}</code>{' '}
                  <span className="text-muted">{text}</span>
                </li>
              )),
            )}
          </ul>
        </details>
      </div>
      <div className="min-w-0 max-xl:mt-6">
        <TabbedCode tabs={examplesOf(entry)} />
        {!mediaTypes && (
          <details>
            <summary className="text-heading">Example answer</summary>
            <CodeBlock title="Answer" language="json" code={JSON.stringify(entry.sampleAnswer, null, 2)} />
          </details>
        )}
      </div>
    </section>
  )
}

function Fields({ title, fields }: { readonly title?: string; readonly fields: readonly Field[] }) {
  if (fields.length === 0) return null
  return (
    <>
      {title && <h3 className="mt-6 text-heading">{title}</h3>}
      <dl className={cx(tableFrame, 'mt-2')}>
        {fields.map(({ name, type, required, note }) => (
          <div key={name} className="border-t border-line px-3 py-2 first:border-t-0">
            <dt className="flex flex-wrap items-baseline gap-x-2">
              <code className="font-mono text-code break-all">{name}</code>
              <span className="text-label text-muted">
                {type}
                {title && !required && ', optional'}
              </span>
            </dt>
            {note && <dd className="text-label break-words text-muted">{note}</dd>}
          </div>
        ))}
      </dl>
    </>
  )
}
