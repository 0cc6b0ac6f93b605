import { buttonClass } from '../../ui/button-class.ts'
import { cx } from '../../ui/cx.ts'
import { Money } from '../../ui/Money.tsx'
import { Scroller } from '../../ui/Scroller.tsx'
import { numeric, table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'
import { Code } from '../parts/Code.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { costOf } from '../cost-of.ts'
import { Section } from '../parts/Section.tsx'
import { useShown } from '../shown.ts'
import type { Rows, UseCaseDetail } from './details.ts'
import { machineName, hourlyOfCase, cases } from './use-cases.ts'

export function UseCasePage({ detail }: { readonly detail: UseCaseDetail }) {
  const useCase = cases.find(each => each.title === detail.title)!
  const shown = useShown()
  const { run, sheet } = detail
  return (
    <Frame>
      <PageHead
        parent={{ href: '/use-cases', label: 'Use Cases' }}
        title={detail.heading}
        lead={detail.lead}
        aside={
          <section
            aria-labelledby="start"
            className="self-start rounded-panel border border-line bg-raised p-5"
          >
            <h2 id="start" className="text-label text-muted">
              Start with
            </h2>
            <p className="mt-1 text-title">{machineName(shown, useCase)}</p>
            <p className="mt-1 text-muted">{useCase.why}</p>
            <dl className="mt-4 border-t border-line pt-3">
              <div className="flex justify-between gap-4 py-1">
                <dt>An hour</dt>
                <dd className="font-semi">
                  <Money value={hourlyOfCase(shown, useCase)} />
                </dd>
              </div>
              <div className="flex justify-between gap-4 py-1">
                <dt>{run.text}</dt>
                <dd className="font-semi tabular-nums">{costOf(shown, run.gpu, 1, run.hours)}</dd>
              </div>
              <div className="flex justify-between gap-4 py-1">
                <dt>Stopped</dt>
                <dd className="font-semi tabular-nums">$0.00</dd>
              </div>
            </dl>
          </section>
        }
      >
        <div className="mt-6 flex flex-wrap gap-3">
          <a href="/get-started" className={buttonClass('secondary', 'l')}>
            Get started
          </a>
          <a href="/pricing" className={buttonClass('ghost', 'l')}>
            Calculate another run
          </a>
        </div>
      </PageHead>
      <Section id="problem" title="What decides" layout="side">
        {detail.problem.map(text => (
          <p key={text} className="max-w-prose text-prose not-first:mt-4">
            {text}
          </p>
        ))}
      </Section>
      <Section id="sheet" title={sheet.title}>
        <Sheet {...sheet} rows={typeof sheet.rows === 'function' ? sheet.rows(shown) : sheet.rows} />
      </Section>
      <Section id="example" title="A working example" lead={detail.example.lead} layout="side">
        <Code label={detail.example.label} code={detail.example.code} />
      </Section>
      <Section id="limits" title="Limits" layout="side">
        <ul className="flex max-w-prose list-disc flex-col gap-2 pl-5 text-prose">
          {detail.limits.map(limit => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </Section>
    </Frame>
  )
}

type SheetProps = Omit<UseCaseDetail['sheet'], 'rows'> & { readonly rows: Rows }

function Sheet({ title, heads, rows, note }: SheetProps) {
  return (
    <>
      <Scroller label={`${title}, table`} className={tableFrame}>
        <table className={table}>
          <thead>
            <tr>
              {heads.map((head, index) => (
                <th key={head} scope="col" className={cx(tableHead, index > 0 && numeric)}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells]) => (
              <tr key={name} className={tableRow}>
                <th scope="row" className={cx(tableCell, 'font-semi whitespace-nowrap')}>
                  {name}
                </th>
                {cells.map((cell, index) => (
                  <td key={heads[index + 1]} className={cx(tableCell, numeric)}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <p className="max-w-prose pt-2 text-body text-muted">{note}</p>
    </>
  )
}
