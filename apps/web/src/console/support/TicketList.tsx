import { type StaffTicket, type Ticket, ticketStatuses, type TicketStatus } from '@ingot/contracts/support'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { Time } from '../../ui/Time.tsx'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { LoadMore } from '../list/LoadMore.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { QueryView } from '../shell/QueryView.tsx'
import type { useTickets } from './queries.ts'
import { statusText } from './ticket-text.ts'

interface TicketListProps {
  readonly list: ReturnType<typeof useTickets>['list']
  readonly tickets: readonly (Ticket | StaffTicket)[]
  readonly search: string
  readonly status: TicketStatus | undefined
  readonly chosen: string | null
  readonly onChoose: (id: string) => void
  readonly onChange: ChangeSearch
  readonly onNew?: () => void
}

const options = ticketStatuses.map(value => ({ value, label: statusText[value].word }))

/** The last changed first. J and K, or the arrow keys, go through it. */
export function TicketList(props: TicketListProps) {
  const { list, tickets, search, status, chosen, onChoose, onChange, onNew } = props
  const at = tickets.findIndex(({ id }) => id === chosen)
  const step = (by: number) => {
    const next = tickets[Math.min(tickets.length - 1, Math.max(0, at + by))]
    if (next) onChoose(next.id)
  }
  useShortcut('j', () => step(1))
  useShortcut('k', () => step(-1))
  const isFiltered = search !== '' || status !== undefined
  return (
    <>
      <div className="flex gap-2 border-b border-line p-2">
        <SearchBox label="Search" value={search} onChange={text => onChange({ search: text })} className="" />
        <FilterSelect
          label="Status"
          any="All"
          bare
          options={options}
          value={status}
          onChange={chosenStatus => onChange({ status: chosenStatus })}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <QueryView
          query={list}
          failed="Failed to load support tickets"
          consequence="Your tickets stay as they are."
          skeleton={<SkeletonRows rows={5} columns={1} />}
        >
          {() =>
            tickets.length === 0 ? (
              <div className="flex flex-col items-start gap-3 p-4">
                <p className="text-muted">
                  {isFiltered
                    ? 'No ticket matches.'
                    : onNew
                      ? 'No tickets yet. Ask what the documentation does not answer, and attach what shows it.'
                      : 'No customer has written yet.'}
                </p>
                {isFiltered ? (
                  <Button onClick={() => onChange({ search: '', status: '' })}>Clear filters</Button>
                ) : (
                  onNew && <Button onClick={onNew}>Open your first ticket</Button>
                )}
              </div>
            ) : (
              <>
                <ul aria-label="Tickets">
                  {tickets.map(ticket => (
                    <TicketRow
                      key={ticket.id}
                      ticket={ticket}
                      isChosen={ticket.id === chosen}
                      onChoose={() => onChoose(ticket.id)}
                    />
                  ))}
                </ul>
                <div className="p-2">
                  <LoadMore list={list} />
                </div>
              </>
            )
          }
        </QueryView>
      </div>
    </>
  )
}

interface TicketRowProps {
  readonly ticket: Ticket | StaffTicket
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function TicketRow({ ticket, isChosen, onChoose }: TicketRowProps) {
  const { title, status, priority, unread, updated_at } = ticket
  const { mark, word } = statusText[status]
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-current={isChosen ? 'true' : undefined}
        onClick={onChoose}
        className={cx(
          'flex w-full flex-col gap-1 border-l-2 px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2',
          isChosen ? 'border-accent bg-selected hover:bg-selected' : 'border-transparent',
        )}
      >
        <span className="flex items-baseline justify-between gap-2">
          <span className="truncate font-semi">{title}</span>
          <span className="shrink-0 text-label text-muted">
            <Time at={updated_at} />
          </span>
        </span>
        {'user_email' in ticket && (
          <span className="truncate text-label font-normal text-muted">{ticket.user_email}</span>
        )}
        <span className="flex items-center gap-3 text-label">
          <StatusMark kind={mark}>{word}</StatusMark>
          {priority === 'high' && <span className="font-semi">High</span>}
          {unread > 0 && (
            <span className="ml-auto">
              <Badge tone="info">{unread} new</Badge>
            </span>
          )}
        </span>
      </button>
    </li>
  )
}
