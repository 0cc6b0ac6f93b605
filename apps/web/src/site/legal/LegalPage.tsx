import type { ReactNode } from 'react'
import { Frame, PageHead } from '../parts/PageHead.tsx'
import { note } from '../trust/claim.ts'
import { Sentences } from '../trust/Sentences.tsx'

export interface Clause {
  readonly id: string
  readonly title: string
  /** What it means, in one or two sentences. */
  readonly plain: ReactNode
  readonly text: readonly ReactNode[]
}

export const legalHead = [
  note(
    <>
      Last updated <time dateTime="2024-03-01">March 1, 2024</time>.
    </>,
  ),
  note('Where the plain words at the side and the text differ, the text counts.'),
]

interface LegalPageProps {
  readonly title: string
  readonly lead: ReactNode
  readonly clauses: readonly Clause[]
}

/** A legal text with its contents at the left and, beside each section, what it means in plain words. */
export function LegalPage({ title, lead, clauses }: LegalPageProps) {
  return (
    <Frame>
      <PageHead title={title} lead={lead}>
        <p className="mt-4 text-muted">
          <Sentences of={legalHead} />
        </p>
      </PageHead>
      <div className="grid gap-x-12 border-t border-line lg:grid-cols-4">
        <nav aria-label="Contents" className="py-6 lg:py-8">
          <ol className="flex flex-col gap-1 lg:sticky lg:top-24">
            {clauses.map((clause, index) => (
              <li key={clause.id}>
                <a
                  href={`#${clause.id}`}
                  className="inline-flex gap-2 py-1 text-muted hover:text-link hover:underline"
                >
                  <span className="w-5 tabular-nums">{index + 1}</span>
                  {clause.title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <div className="lg:col-span-3">
          {clauses.map((clause, index) => (
            <section
              key={clause.id}
              aria-labelledby={clause.id}
              className="grid gap-x-12 gap-y-4 border-line py-8 not-first:border-t lg:grid-cols-3"
            >
              <div className="min-w-0 lg:col-span-2">
                <h2 id={clause.id} className="text-title">
                  {index + 1}. {clause.title}
                </h2>
                {clause.text.map((text, position) => (
                  // The text never changes while it is shown.
                  // oxlint-disable-next-line react/no-array-index-key
                  <p key={position} className="mt-3 text-prose">
                    {text}
                  </p>
                ))}
              </div>
              <p className="self-start border-l-2 border-accent pl-4 text-muted max-lg:order-first">
                <span className="block text-label">In plain words</span>
                {clause.plain}
              </p>
            </section>
          ))}
        </div>
      </div>
    </Frame>
  )
}
