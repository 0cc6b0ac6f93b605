import type { Output } from '@ingot/contracts/operation'
import type { support } from '@ingot/contracts/support'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { useSearchState } from '../list/search-state.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { useTitle } from '../shell/title.ts'
import { NewTicketDialog } from './NewTicketDialog.tsx'
import { supportWaitQuery, ticketsSummaryQuery, useTickets } from './queries.ts'
import { customerSide } from './side.ts'
import { waitText } from './ticket-text.ts'
import { readTicketFilter, TicketsPanel } from './TicketsPanel.tsx'

/** Tickets at the left, the chosen one at the right; on a phone one of both. All of it is in the address. */
export function SupportScreen() {
  const [address, change] = useSearchState()
  const filter = readTicketFilter(address)
  const tickets = useTickets(customerSide, filter)
  const summary = useQuery(ticketsSummaryQuery)
  const [isNew, setNew] = useState(address['new'] === '1')
  const { data } = useQuery(supportWaitQuery)
  const lead = [data && waitText(data), leadOf(summary.data)].filter(Boolean).join(' ')
  useShortcut('c', () => setNew(true), !isNew)
  const unread = tickets.rows.filter(ticket => ticket.unread > 0).length
  useTitle(unread ? `${unread} new · Support` : 'Support')
  return (
    <div className="flex flex-col gap-4">
      <PageHeading
        lead={lead || undefined}
        actions={
          <>
            <CopyCall call="support.list" values={{ ...filter }} />
            <Button variant="primary" shortcut="C" onClick={() => setNew(true)}>
              New Ticket
            </Button>
          </>
        }
      >
        Support
      </PageHeading>
      <TicketsPanel side={customerSide} tickets={tickets} onNew={() => setNew(true)} />
      {isNew && (
        <NewTicketDialog
          onClose={() => {
            setNew(false)
            change({ new: '' })
          }}
          onOpened={id => change({ ticket: id }, { step: true })}
        />
      )}
    </div>
  )
}

/** Who answers first, and where what is written goes for that: told before anything is written. */
function leadOf(summary: Output<typeof support.summary> | undefined): string | undefined {
  if (!summary || summary.automated === 'off') return undefined
  const comes = 'An automated reply comes at once; a person answers when you ask for one.'
  return summary.automated === 'model'
    ? `${comes} A language model writes it: what you write here is sent to ${summary.model_host ?? 'it'}.`
    : comes
}
