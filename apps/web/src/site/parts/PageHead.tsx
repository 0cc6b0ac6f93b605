import type { ReactNode } from 'react'

interface PageHeadProps {
  readonly title: ReactNode
  readonly lead: ReactNode
  /** Where this page belongs: a link back to its list. */
  readonly parent?: { readonly href: string; readonly label: string }
  /** At the right on wide screens: what the page is about, as a figure or a table. */
  readonly aside?: ReactNode
  /** Buttons and small print under the lead. */
  readonly children?: ReactNode
}

/** The top of every page but the landing page. */
export function PageHead({ title, lead, parent, aside, children }: PageHeadProps) {
  return (
    <div className={aside ? 'grid gap-8 py-12 lg:grid-cols-2 lg:gap-16 lg:py-16' : 'py-12 lg:py-16'}>
      <div className="min-w-0">
        {parent && (
          <p className="pb-3 text-body">
            <a href={parent.href} className="link">
              {parent.label}
            </a>
          </p>
        )}
        <h1 className="text-h1-site text-balance">{title}</h1>
        <p className="mt-4 max-w-prose text-lead text-muted">{lead}</p>
        {children}
      </div>
      {aside}
    </div>
  )
}

/** The width of the site. */
export function Frame({ children }: { readonly children: ReactNode }) {
  return <div className="mx-auto max-w-site px-4 sm:px-6">{children}</div>
}
