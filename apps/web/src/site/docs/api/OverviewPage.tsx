import { errors } from '@ingot/contracts/errors'
import { cx } from '../../../ui/cx.ts'
import { Scroller } from '../../../ui/Scroller.tsx'
import { table, tableCell, tableFrame, tableHead, tableRow } from '../../../ui/table-class.ts'
import type { PageProps } from '../../page.ts'
import { CodeBlock } from '../../prose/CodeBlock.tsx'
import type { MdxModule } from '../../prose/content.ts'
import { Prose } from '../../prose/Prose.tsx'
import { DocsFrame } from '../DocsFrame.tsx'
import { apiNouns } from '../reference/reference.ts'
import { type SampleEndpoint, sampleEndpoints, sampleSignUp } from '../reference/sample-endpoints.ts'

const [overview] = Object.values(
  import.meta.glob<MdxModule>('../../../../content/reference/api.mdx', { eager: true }),
)

export function OverviewPage({ search }: PageProps) {
  const { headings, default: Body } = overview!
  return (
    <DocsFrame path="/docs/api" search={search} headings={headings}>
      <p className="text-label text-subtle">Build with it</p>
      <h1 className="mt-1 text-h1-site">API reference</h1>
      <p className="mt-3 text-lead text-muted">
        Whatever the console can do, a program can do: the console is a client of this API without any
        privilege.
      </p>
      <div className="mt-8">
        <Prose body={Body} parts={{ Calls, Errors, SampleEndpoints }} />
      </div>
    </DocsFrame>
  )
}

/** All calls by noun, each a way to its entry. */
function Calls() {
  return (
    <div className="my-6 grid gap-x-8 gap-y-6 sm:grid-cols-2">
      {apiNouns.map(({ noun, title, entries }) => (
        <div key={noun}>
          <h3 className="text-heading">
            <a href={`/docs/api/${noun}`} className="link">
              {title}
            </a>
          </h3>
          <ul className="mt-1">
            {entries.map(entry => (
              <li key={entry.id}>
                <a
                  href={`/docs/api/${noun}#${entry.anchor}`}
                  className="block py-px font-mono text-code break-all text-muted hover:text-link pointer-coarse:py-2"
                >
                  {entry.method} {entry.path}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}

function Errors() {
  return (
    <Scroller label="Error codes" className={cx(tableFrame, 'my-6')}>
      <table className={table}>
        <thead>
          <tr>
            <th scope="col" className={tableHead}>
              Status
            </th>
            <th scope="col" className={tableHead}>
              Code
            </th>
            <th scope="col" className={tableHead}>
              Meaning
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(errors)
            .toSorted(([, a], [, b]) => a[0] - b[0])
            .map(([code, [status, message]]) => (
              <tr key={code} className={tableRow}>
                <td className={cx(tableCell, 'tabular-nums')}>{status}</td>
                <th scope="row" className={cx(tableCell, 'font-mono text-code font-normal')}>
                  {code}
                </th>
                <td className={cx(tableCell, 'py-2')}>{message}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function SampleEndpoints() {
  return (
    <div className="relative my-8 rounded-panel border border-dashed border-line-strong px-4 py-2">
      <p className="absolute top-0 left-4 -translate-y-1/2 bg-page px-2 text-label text-muted">Sample</p>
      {[...sampleEndpoints, sampleSignUp].map(sample => (
        <Sample key={sample.method + sample.path} sample={sample} />
      ))}
    </div>
  )
}

function Sample({ sample }: { readonly sample: SampleEndpoint }) {
  const { method, path, description, category, example, real } = sample
  return (
    <div className="border-t border-line py-4 first-of-type:border-t-0">
      <h3 className="text-heading">{description}</h3>
      <p className="mt-1 text-body text-muted">
        {category}. Sample:{' '}
        <code className="font-mono text-code text-ink">
          {method} {path}
        </code>
        . Real:{' '}
        {real ? (
          <a href={real.href} className="link font-mono text-code">
            {real.method} {real.path}
          </a>
        ) : (
          'planned, no such call yet'
        )}
        .
      </p>
      <div className="-mb-4 *:my-3">
        <CodeBlock language="bash" title="Sample request" code={example} />
      </div>
    </div>
  )
}
