import type { ChecklistItem, SetupItem, SetupState } from '@ingot/contracts/site/setup'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import type { StatusKind } from '../../../ui/StatusShape.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { checklistQuery } from './queries.ts'

const names: Record<SetupItem, string> = {
  domain: 'Domain',
  tls: 'TLS',
  mail: 'Mail',
  chain: 'Chain',
  driver: 'Machines',
  prices: 'Prices',
  legal: 'Legal',
  content: 'Site content',
  backup: 'Backup',
}
const marks: Record<SetupState, readonly [StatusKind, string]> = {
  done: ['running', 'Done'],
  open: ['attention', 'Open'],
  not_applicable: ['stopped', 'Not needed'],
}

/** Each thing that is left before customers come, with what was seen of it. */
export function SetupChecklist() {
  const query = useQuery(checklistQuery)
  return (
    <QueryView
      query={query}
      failed="The checklist could not be loaded"
      skeleton={<SkeletonRows rows={9} columns={3} />}
    >
      {({ items, open }) => (
        <section aria-label="Checklist" className="flex flex-col gap-3">
          <p aria-live="polite" className="font-medium">
            {open === 0 ? 'Everything is done.' : `${open} of ${items.length} are open.`}
          </p>
          <ul className="rounded-panel border border-line bg-raised">
            {items.map(item => (
              <Item key={item.name} {...item} />
            ))}
          </ul>
        </section>
      )}
    </QueryView>
  )
}

function Item({ name, state, seen, todo, guide }: ChecklistItem) {
  const [kind, word] = marks[state]
  return (
    <li className="grid gap-x-6 gap-y-1 border-t border-line px-4 py-3 first:border-t-0 sm:grid-cols-[1fr_5fr]">
      <div className="flex items-start justify-between gap-4 sm:flex-col sm:justify-start sm:gap-1">
        <h2 className="text-heading">{names[name]}</h2>
        <StatusMark kind={kind}>{word}</StatusMark>
      </div>
      <div className="min-w-0 wrap-anywhere">
        <p>{seen}</p>
        {state === 'open' && (
          <p className="mt-1 text-muted">
            {todo}{' '}
            <a href={guide} className="link">
              How<span className="sr-only">: {names[name]}</span>
            </a>
          </p>
        )}
      </div>
    </li>
  )
}

/** One line for the overview, while something is open; nothing once all is done. */
export function SetupReminder() {
  const { data } = useQuery(checklistQuery)
  if (!data?.open) return null
  const open = data.items.filter(({ state }) => state === 'open').map(({ name }) => names[name])
  return (
    <section
      aria-label="Setup"
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-panel border border-line bg-raised px-4 py-3"
    >
      <p className="min-w-0">
        <StatusMark kind="attention">{`${data.open} left to set up`}</StatusMark>{' '}
        <span className="text-muted">{open.join(', ')}</span>
      </p>
      <Link to="/admin/setup" className="link">
        Open the checklist
      </Link>
    </section>
  )
}
