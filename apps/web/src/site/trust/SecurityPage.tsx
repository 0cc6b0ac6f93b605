import { cx } from '../../ui/cx.ts'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Section } from '../parts/Section.tsx'
import { Sentences } from './Sentences.tsx'
import { built, builtLead, lead } from './security.ts'
import { certifications, certificationsLead, known, report } from './security-status.tsx'

export function SecurityPage() {
  return (
    <Frame>
      <PageHead title="Security" lead={<Sentences of={lead} />} />
      <Section id="built" title="Built in" lead={<Sentences of={builtLead} />}>
        <div className="flex flex-col gap-8">
          {built.map(group => (
            <section key={group.title} className="grid gap-x-12 gap-y-3 lg:grid-cols-4">
              <h3 className="text-title">{group.title}</h3>
              <dl className="grid gap-x-12 lg:col-span-3 lg:grid-cols-2">
                {group.measures.map(measure => (
                  <div key={measure.name} className="border-t border-line py-3">
                    <dt className="font-semi">{measure.name}</dt>
                    <dd className="mt-1 text-muted">
                      <Sentences of={measure.text} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </Section>
      <Section id="certifications" title="Certification status" lead={<Sentences of={certificationsLead} />}>
        <div className={tableFrame}>
          <table className={table}>
            <thead className="max-sm:sr-only">
              <tr>
                {['Framework', 'Status', 'What the product brings', 'What remains for the operator'].map(
                  head => (
                    <th key={head} scope="col" className={tableHead}>
                      {head}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {certifications.map(({ name, status, gives, todo }) => (
                <tr key={name} className={cx(tableRow, 'max-sm:block max-sm:py-3 max-sm:first:border-t-0')}>
                  <th scope="row" className={cx(stacked, 'font-semi sm:whitespace-nowrap')}>
                    {name}
                  </th>
                  <td className={stacked}>
                    <StatusMark kind="stopped">
                      <Sentences of={status} />
                    </StatusMark>
                  </td>
                  <td className={stacked}>
                    <Sentences of={gives} />
                  </td>
                  <td className={cx(stacked, 'text-muted')}>
                    <Sentences of={todo} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Section id="known" title="Known limits" layout="side">
        <ul className="flex max-w-prose list-disc flex-col gap-2 pl-5 text-prose">
          {known.map((limit, index) => (
            // The text never changes while it is shown.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={index}>
              <Sentences of={limit} />
            </li>
          ))}
        </ul>
      </Section>
      <Section id="report" title="Report a vulnerability" layout="side">
        <p className="max-w-prose text-prose">
          <Sentences of={report} />
        </p>
      </Section>
    </Frame>
  )
}

const stacked = cx(tableCell, 'py-2 max-sm:block max-sm:h-auto max-sm:py-0')
