import { useSearchState } from '../../list/search-state.ts'
import { useTitle } from '../../shell/title.ts'
import { useTickets } from '../../support/queries.ts'
import { staffSide } from '../../support/side.ts'
import { readTicketFilter, TicketsPanel } from '../../support/TicketsPanel.tsx'

/** Tickets of all customers, the last changed first: read, answered, and given a status. */
export function SupportTab() {
  const [address] = useSearchState()
  const tickets = useTickets(staffSide, readTicketFilter(address))
  const unread = tickets.rows.filter(ticket => ticket.unread > 0).length
  useTitle(unread ? `${unread} new · Support tickets` : 'Support tickets')
  return <TicketsPanel side={staffSide} tickets={tickets} />
}
