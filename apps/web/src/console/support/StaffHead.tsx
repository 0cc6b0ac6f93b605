import {
  type StaffTicket,
  type Ticket,
  ticketPriorities,
  type TicketPriority,
  ticketStatuses,
  type TicketStatus,
} from '@ingot/contracts/support'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { ticketQuery } from './queries.ts'
import { staffSide } from './side.ts'
import { priorityText, shortId } from './ticket-text.ts'

interface StaffHeadProps {
  readonly ticket: Ticket | StaffTicket
  readonly onClose: () => void
}

/** Staff's words for a status have a hyphen where the stored one has none. */
const shown = (status: TicketStatus): string => status.replace('_', '-')
const statuses = ticketStatuses.map(value => ({ value, label: shown(value) }))
const priorities = ticketPriorities.map(value => ({ value, label: priorityText[value] }))

export function StaffHead({ ticket, onClose }: StaffHeadProps) {
  const { id, title, status, priority } = ticket
  const client = useQueryClient()
  const set = useMutation({
    mutationFn: (change: { readonly status?: TicketStatus; readonly priority?: TicketPriority }) =>
      api.support.staffUpdate({ id, ...change }),
    onSuccess: (now, change) => {
      client.setQueryData(ticketQuery(staffSide, id).queryKey, now)
      void client.invalidateQueries({ queryKey: ['support'] })
      if (change.status) toast.success(`Ticket status updated to ${shown(change.status)}`)
      else toast.success(`Ticket priority updated to ${change.priority}`)
    },
    onError: (error, change) =>
      toast.error(
        `Failed to update ticket ${change.status ? 'status' : 'priority'}. ${sentence(errorText(error))}`,
      ),
  })
  return (
    <div className="flex flex-wrap items-start justify-between gap-2 border-b border-line p-4">
      <div className="min-w-0">
        <h2 className="text-heading break-words">{title}</h2>
        <p className="text-label text-muted">
          <span className="font-mono">{shortId(id)}</span>
          {'user_email' in ticket && `, ${ticket.user_email ?? 'an account without an address'}`}
          {ticket.person_asked_at && ', a person was asked for'}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <span className="lg:hidden">
          <Button onClick={onClose}>All tickets</Button>
        </span>
        <Select
          aria-label="Status"
          prefix="Status"
          options={statuses}
          value={status}
          disabled={set.isPending}
          onValueChange={value => set.mutate({ status: value })}
        />
        <Select
          aria-label="Priority"
          prefix="Priority"
          options={priorities}
          value={priority}
          disabled={set.isPending}
          onValueChange={value => set.mutate({ priority: value })}
        />
      </div>
    </div>
  )
}
