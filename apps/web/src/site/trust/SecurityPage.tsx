import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { table, tableCell, tableFrame, tableHead, tableRow } from '../../ui/table-class.ts'
import { operator } from '../content/operator.ts'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Section } from '../parts/Section.tsx'

interface Measure {
  readonly name: string
  readonly text: ReactNode
}

const built: readonly { readonly title: string; readonly measures: readonly Measure[] }[] = [
  {
    title: 'Signing in',
    measures: [
      {
        name: 'Passwords',
        text: 'Kept as Argon2id hashes. Common ones are refused, and guessing is slowed down per account and per address.',
      },
      {
        name: 'Second factor',
        text: 'An authenticator app or a security key, with recovery codes. Once it is set up, nothing of the account is shown before it.',
      },
      {
        name: 'Sessions',
        text: 'Short-lived signed tokens (ES256). Every session is listed in the settings and can be ended there; a refresh token that turns up a second time, late, ends its session.',
      },
      {
        name: 'API keys',
        text: 'Shown once, kept as hashes, listed with the time of their last use. A key cannot do what asks for a session, such as making more keys.',
      },
    ],
  },
  {
    title: 'Instances',
    measures: [
      {
        name: 'Isolation',
        text: 'Own namespaces for users, processes, files and network, no capabilities, a filter for system calls, and a user of its own on the host for each instance.',
      },
      {
        name: 'Network',
        text: 'A sandboxed instance sees its own loopback and nothing else: no other instance, no internal service.',
      },
      {
        name: 'Limits',
        text: 'Processors, memory and number of processes are held to what is rented, so that a neighbour cannot take yours.',
      },
      {
        name: 'Terminal',
        text: 'A one-time ticket opens it. No address and no key of the host reaches an instance.',
      },
    ],
  },
  {
    title: 'Money',
    measures: [
      {
        name: 'Ledger',
        text: 'Append-only, one row for each movement, with triggers that refuse changes. Every balance can be derived again from it, and after every API test it is.',
      },
      {
        name: 'Deposits',
        text: 'Addresses come from a public key. The server holds no key that can spend, so breaking into it moves no deposit.',
      },
      {
        name: 'Limits',
        text: 'A balance cannot go below zero, and every write can be repeated safely with the same Idempotency-Key.',
      },
    ],
  },
  {
    title: 'The service',
    measures: [
      {
        name: 'Browser',
        text: 'A content security policy allows scripts of this server only. Pages load nothing from other companies and set no cookies.',
      },
      {
        name: 'Secrets',
        text: 'One-time codes and the secrets of authenticator apps are sealed with a key that is not in the database, and are never logged. Of a security key only the public half is kept.',
      },
      {
        name: 'Ownership',
        text: 'Every query names the owner. A generated test tries each call with somebody else’s row and expects "not found".',
      },
    ],
  },
]

const certifications = [
  {
    name: 'SOC 2 Type II',
    gives: 'Audit trail, access control, change history',
    todo: 'An audit of how the operator works, over months',
  },
  {
    name: 'ISO 27001',
    gives: 'Controls for access, keys, logging and suppliers',
    todo: 'A management system, and its certification',
  },
  {
    name: 'HIPAA',
    gives: 'Isolation, access control, erasure',
    todo: 'Agreements with customers and hosts; do not store health data before',
  },
  { name: 'PCI DSS', gives: 'Not in scope: no card data is taken', todo: 'Nothing, while that stays so' },
] as const

export function SecurityPage() {
  return (
    <Frame>
      <PageHead
        title="Security"
        lead="What the product does to protect accounts, instances and money, and what only its operator can prove. The two are kept apart on this page, because they are often sold as one."
      />
      <Section id="built" title="Built in" lead="Each of these is in the product and covered by its tests.">
        <div className="flex flex-col gap-8">
          {built.map(group => (
            <section key={group.title} className="grid gap-x-12 gap-y-3 lg:grid-cols-4">
              <h3 className="text-title">{group.title}</h3>
              <dl className="grid gap-x-12 lg:col-span-3 lg:grid-cols-2">
                {group.measures.map(measure => (
                  <div key={measure.name} className="border-t border-line py-3">
                    <dt className="font-semi">{measure.name}</dt>
                    <dd className="mt-1 text-muted">{measure.text}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </Section>
      <Section
        id="certifications"
        title="Certification status"
        lead="Certificates are given to an operator for the way a service is run, never to software. None is claimed here."
      >
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
              {certifications.map(({ name, gives, todo }) => (
                <tr key={name} className={cx(tableRow, 'max-sm:block max-sm:py-3 max-sm:first:border-t-0')}>
                  <th scope="row" className={cx(stacked, 'font-semi sm:whitespace-nowrap')}>
                    {name}
                  </th>
                  <td className={stacked}>
                    <StatusMark kind="stopped">
                      {name === 'PCI DSS' ? 'Not needed' : 'Not certified'}
                    </StatusMark>
                  </td>
                  <td className={stacked}>{gives}</td>
                  <td className={cx(stacked, 'text-muted')}>{todo}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Section id="known" title="Known limits" layout="side">
        <ul className="flex max-w-prose list-disc flex-col gap-2 pl-5 text-prose">
          <li>
            Sandboxed instances share the kernel of their host. A fault in the kernel is a way out of them, so
            the server refuses to offer them on a public address until its operator insists in writing.
          </li>
          <li>
            VPC isolation between instances of one customer, end-to-end encryption of disks, and roles within
            a team are planned, not built.
          </li>
          <li>
            Transport encryption is the task of the server in front of this one; without it, use it on your
            own machine only.
          </li>
        </ul>
      </Section>
      <Section id="report" title="Report a vulnerability" layout="side">
        <p className="max-w-prose text-prose">
          Write to{' '}
          {operator.email.security ? (
            <a href={`mailto:${operator.email.security}`} className="link">
              {operator.email.security}
            </a>
          ) : (
            <>
              us through the{' '}
              <a href="/contact?type=support" className="link">
                contact form
              </a>
              , type Support
            </>
          )}
          , with what you did, what happened, and what you think could happen. Use accounts and instances of
          your own, stop at the first sight of somebody else’s data, and give us time to mend it before you
          publish. We will not go to law against anybody who keeps to that.
        </p>
      </Section>
    </Frame>
  )
}

const stacked = cx(tableCell, 'py-2 max-sm:block max-sm:h-auto max-sm:py-0')
