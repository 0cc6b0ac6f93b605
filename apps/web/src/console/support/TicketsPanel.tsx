import { ticketPriorities, ticketStatuses } from '@ingot/contracts/support'
import { cx } from '../../ui/cx.ts'
import { readOne } from '../list/read-search.ts'
import { type SearchText, useSearchState } from '../list/search-state.ts'
import { Conversation } from './Conversation.tsx'
import type { useTickets } from './queries.ts'
import type { Side, TicketFilter } from './side.ts'
import { TicketList } from './TicketList.tsx'

export const readTicketFilter = (address: SearchText): TicketFilter => ({
  search: address['search'] || undefined,
  status: readOne(ticketStatuses, address['status']),
  priority: readOne(ticketPriorities, address['priority']),
})

interface TicketsPanelProps {
  readonly side: Side
  readonly tickets: ReturnType<typeof useTickets>
  /** Staff open none. */
  readonly onNew?: () => void
}

/** Tickets at the left, the chosen one at the right; on a phone one of both. All of it is in the address. */
export function TicketsPanel({ side, tickets, onNew }: TicketsPanelProps) {
  const [address, change] = useSearchState()
  const { search, status } = readTicketFilter(address)
  const chosen = address['ticket'] || null
  const choose = (id: string | null) => change({ ticket: id ?? '' }, { step: true })
  return (
    <div className="grid grid-cols-1 overflow-hidden rounded-panel border border-line bg-raised lg:h-tickets lg:grid-cols-[minmax(0,1fr)_minmax(0,3fr)]">
      <div className={cx('flex min-h-0 min-w-0 flex-col border-line lg:border-r', chosen && 'max-lg:hidden')}>
        <TicketList
          list={tickets.list}
          tickets={tickets.rows}
          search={search ?? ''}
          status={status}
          chosen={chosen}
          onChoose={choose}
          onChange={change}
          onNew={onNew}
        />
      </div>
      <div className={cx('min-h-0 min-w-0', !chosen && 'max-lg:hidden')}>
        {chosen ? (
          <Conversation key={chosen} side={side} id={chosen} onClose={() => choose(null)} />
        ) : (
          <div className="grid h-full place-items-center p-6 text-center">
            <div className="flex flex-col gap-1">
              <h2 className="text-heading">Select a ticket</h2>
              <p className="text-muted">Its messages stand here. J and K go up and down the list.</p>
            </div>
          </div>
        )}
      </div>
    </div>
  )
}
