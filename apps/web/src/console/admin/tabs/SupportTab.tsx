import { useEffect, useRef } from 'react'
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
  // Whoever comes by a link to a ticket came for it, and not for the cards above.
  const box = useRef<HTMLDivElement>(null)
  const ticket = address['ticket']
  useEffect(() => {
    if (ticket) box.current?.scrollIntoView({ block: 'start' })
  }, [ticket])
  return (
    <div ref={box} className="scroll-mt-4">
      <TicketsPanel side={staffSide} tickets={tickets} />
    </div>
  )
}
