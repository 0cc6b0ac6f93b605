import type { ReactNode } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { formatDate } from '../../ui/format.ts'
import type { PageProps } from '../page.ts'
import type { Entry } from '../prose/content.ts'
import { Prose } from '../prose/Prose.tsx'
import { SearchButton } from '../search/SearchButton.tsx'
import type { TutorialMeta } from './tutorials.ts'

export function TutorialPage({ tutorial, search }: PageProps & { readonly tutorial: Entry<TutorialMeta> }) {
  const { meta, headings, Body } = tutorial
  const steps = headings.filter(heading => heading.depth === 2)
  return (
    <div className="mx-auto max-w-site px-4 sm:px-6">
      <header className="grid gap-8 border-b border-line py-12 lg:grid-cols-[1fr_auto] lg:gap-16">
        <div className="min-w-0">
          <p className="text-body">
            <a href="/tutorials" className="link">
              Tutorials
            </a>
          </p>
          <h1 className="mt-3 max-w-prose text-h1-site text-balance">{meta.title}</h1>
          <p className="mt-4 max-w-prose text-lead text-muted">{meta.description}</p>
          <p className="mt-4 flex flex-wrap gap-2">
            <Badge>{meta.level}</Badge>
            <Badge>{meta.category}</Badge>
          </p>
          <p className="mt-4 text-body text-muted">
            By {meta.author}. Last checked{' '}
            <time dateTime={meta.checked}>{formatDate(new Date(meta.checked), 'UTC')}</time>.
          </p>
        </div>
        <p className="self-end">
          <span className="block text-display tabular-nums">{meta.duration}</span>
          <span className="text-body text-muted">minutes, {steps.length} steps</span>
        </p>
      </header>
      <div className="flex gap-12 py-8">
        <div className="sticky top-header max-h-dvh w-sidebar shrink-0 self-start overflow-y-auto p-1 pb-24 max-lg:hidden">
          <SearchButton index={search} />
          <nav aria-label="Steps" className="mt-6">
            <ol>
              {steps.map(({ id, text }, n) => (
                <li key={id}>
                  <a
                    href={`#${id}`}
                    className="flex gap-3 rounded-control px-2 py-1 text-body text-muted hover:bg-hover hover:text-ink"
                  >
                    <span className="w-3 shrink-0 text-right tabular-nums">{n + 1}</span>
                    {text}
                  </a>
                </li>
              ))}
            </ol>
          </nav>
        </div>
        <article className="min-w-0 max-w-prose grow">
          <div className="grid gap-8 sm:grid-cols-2">
            <Points title="Prerequisites" points={meta.prerequisites} />
            <Points title="What you will learn" points={meta.whatYouWillLearn} />
          </div>
          <Prose body={Body} parts={{ Step }} />
          <div className="mt-16 flex flex-wrap gap-3 border-t border-line pt-8">
            <a href="/tutorials" className={buttonClass('secondary', 'l')}>
              More tutorials
            </a>
            <a href="/docs" className={buttonClass('secondary', 'l')}>
              Read the documentation
            </a>
          </div>
        </article>
      </div>
    </div>
  )
}

function Points({ title, points }: { readonly title: string; readonly points: readonly string[] }) {
  return (
    <div>
      <p className="text-heading">{title}</p>
      <ul className="mt-2 list-disc space-y-1 pl-5 text-body text-muted marker:text-subtle">
        {points.map(point => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </div>
  )
}

interface StepProps {
  readonly id: string
  readonly title: string
  /** Its place, from the plugin that reads the file. */
  readonly number: string
  /** How long it takes. */
  readonly minutes: string
  readonly children: ReactNode
}

function Step({ id, title, number, minutes, children }: StepProps) {
  return (
    <section aria-labelledby={id} className="mt-12 border-t border-line pt-8">
      <p className="flex justify-between text-label text-muted tabular-nums">
        <span>Step {number}</span>
        <span>{minutes} min</span>
      </p>
      <h2 id={id} className="mt-1 text-h2-site text-balance">
        {title}
      </h2>
      {children}
    </section>
  )
}
