import { buttonClass } from '../../ui/button-class.ts'
import { Code } from '../parts/Code.tsx'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { Availability } from '../parts/Planned.tsx'
import { Section } from '../parts/Section.tsx'
import { WaitlistForm } from '../parts/WaitlistForm.tsx'
import { useShown, wordsOf } from '../shown.ts'
import type { ProductDetail } from './details.tsx'

export function ProductPage({ detail }: { readonly detail: ProductDetail }) {
  const shown = useShown()
  const {
    name,
    state,
    lead,
    docs = '/docs',
    waitlist,
    waitsFor = name,
    sheetTitle,
    sheet,
    parts,
    example,
    limits,
  } = detail
  return (
    <Frame>
      <PageHead
        parent={{ href: '/products', label: 'Products' }}
        title={name}
        lead={lead}
        aside={
          <section aria-labelledby="sheet" className="min-w-0 rounded-panel border border-line bg-raised p-5">
            <h2 id="sheet" className="text-heading">
              {sheetTitle}
            </h2>
            <dl className="mt-2">
              {sheet.map(fact => (
                <div key={fact.name} className="grid grid-cols-3 gap-4 border-t border-line py-2">
                  <dt className="text-muted">{fact.name}</dt>
                  <dd className="col-span-2 tabular-nums">{wordsOf(fact.value, shown)}</dd>
                </div>
              ))}
            </dl>
          </section>
        }
      >
        <p className="mt-4">
          <Availability state={state} />
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          {state !== 'planned' && (
            <a href="/get-started" className={buttonClass('secondary', 'l')}>
              Get started
            </a>
          )}
          {waitlist && (
            <a href="#waiting-list" className={buttonClass('secondary', 'l')}>
              Join the waiting list
            </a>
          )}
          <a href="/contact?type=sales" className={buttonClass('secondary', 'l')}>
            Contact sales
          </a>
          <a href={docs} className={buttonClass('ghost', 'l')}>
            Read the docs
          </a>
        </div>
      </PageHead>
      {parts.map(part => (
        <Section key={part.id} id={part.id} title={part.title} layout="side">
          {part.text.map(text => (
            <p key={text} className="max-w-prose text-prose not-first:mt-4">
              {text}
            </p>
          ))}
        </Section>
      ))}
      {example && (
        <Section id="example" title="The smallest example" layout="side" lead={wordsOf(example.note, shown)}>
          <Code label={example.label} code={example.code(shown.origin)} />
        </Section>
      )}
      <Section id="limits" title="Limits" layout="side">
        <ul className="flex max-w-prose list-disc flex-col gap-2 pl-5 text-prose">
          {limits.map(limit => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </Section>
      {waitlist && (
        <Section
          id="waiting-list"
          title="Waiting list"
          layout="side"
          lead={`One mail when ${waitsFor === name ? 'it' : waitsFor.toLowerCase()} can be bought. The address is used for nothing else.`}
        >
          <WaitlistForm product={waitlist} name={waitsFor} />
        </Section>
      )}
    </Frame>
  )
}
