import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { formatCount } from '../../ui/format.ts'
import { instancesSummaryQuery } from '../instances/queries.ts'
import { ticketsSummaryQuery } from '../support/queries.ts'
import { adminPage, type ConsolePage, consolePages, ticketsPage } from './pages.ts'
import { useRole } from '../accounts/role.ts'

export function SidebarNav({ onFollow }: { readonly onFollow?: () => void }) {
  const { isAdmin, isStaff } = useRole()
  const { data } = useQuery(instancesSummaryQuery)
  const tickets = useQuery(ticketsSummaryQuery).data
  const counts: Partial<Record<ConsolePage['to'], string>> = {
    ...(data ? { '/console/instances': formatCount(data.total) } : {}),
    // Those with replies that are not read.
    ...(tickets?.unread ? { '/console/support': `${formatCount(tickets.unread)} new` } : {}),
  }
  return (
    <nav aria-label="Console" className="flex flex-col gap-4">
      <ul className="flex flex-col gap-0_5">
        {consolePages.map(page => (
          <PageLink key={page.to} page={page} onFollow={onFollow} count={counts[page.to]} />
        ))}
      </ul>
      {isStaff && (
        <div>
          <h2 className="px-3 pb-1 text-label text-muted">Administration</h2>
          <ul>
            <PageLink page={isAdmin ? adminPage : ticketsPage} onFollow={onFollow} />
          </ul>
        </div>
      )}
    </nav>
  )
}

interface PageLinkProps {
  readonly page: ConsolePage
  readonly count?: string
  readonly onFollow?: () => void
}

function PageLink({ page, count, onFollow }: PageLinkProps) {
  const { pathname } = useLocation()
  const isHere =
    pathname === page.to || (page.also?.includes(pathname) ?? false) || pathname.startsWith(`${page.to}/`)
  return (
    <li>
      <Link
        to={page.to}
        onClick={onFollow}
        activeOptions={{ exact: true, includeSearch: false }}
        aria-current={isHere ? 'page' : undefined}
        className="flex h-control items-center justify-between gap-2 rounded-control border border-transparent px-3 font-medium text-muted hover:text-ink aria-[current=page]:border-line aria-[current=page]:bg-raised aria-[current=page]:text-ink"
      >
        {page.label}
        {count !== undefined && <span className="font-normal text-muted tabular-nums">{count}</span>}
      </Link>
    </li>
  )
}
