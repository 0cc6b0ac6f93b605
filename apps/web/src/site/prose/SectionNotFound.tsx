import { buttonClass } from '../../ui/button-class.ts'
import type { PageProps } from '../page.ts'
import { SearchButton } from '../search/SearchButton.tsx'

interface SectionNotFoundProps extends PageProps {
  readonly title: string
  readonly text: string
  readonly back: { readonly href: string; readonly label: string }
}

/** What an unknown address below a section gets: the section's own words, the search, and the way back. */
export function SectionNotFound({ search, title, text, back }: SectionNotFoundProps) {
  return (
    <div className="mx-auto max-w-site px-4 py-24 sm:px-6">
      <p className="text-stat text-muted">404</p>
      <h1 className="mt-2 text-h1-site">{title}</h1>
      <p className="mt-4 max-w-prose text-lead text-muted">{text}</p>
      <div className="mt-8 flex flex-wrap gap-3">
        <a href={back.href} className={buttonClass('secondary', 'l')}>
          {back.label}
        </a>
        <div className="w-sidebar">
          <SearchButton index={search} />
        </div>
      </div>
    </div>
  )
}
