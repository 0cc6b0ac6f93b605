import type { Ticket } from '@ingot/contracts/support'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { ticketQuery } from './queries.ts'
import { customerSide } from './side.ts'
import { priorityText, shortId } from './ticket-text.ts'

export function TicketHead({ ticket, onClose }: { readonly ticket: Ticket; readonly onClose: () => void }) {
  const { id, title, status, priority, person_asked_at } = ticket
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: (what: 'resolved' | 'open' | 'person') =>
      what === 'person' ? api.support.askPerson({ id }) : api.support.update({ id, status: what }),
    onSuccess: now => {
      client.setQueryData(ticketQuery(customerSide, id).queryKey, now)
      void client.invalidateQueries({ queryKey: ['support'] })
    },
    onError: error => toast.error(sentence(errorText(error))),
  })
  const isOver = status === 'resolved' || status === 'closed'
  const busy = (what: string) => act.isPending && act.variables === what
  return (
    <div className="flex flex-wrap items-start justify-between gap-2 border-b border-line p-4">
      <div className="min-w-0">
        <h2 className="text-heading break-words">{title}</h2>
        <p className="text-label text-muted">
          <span className="font-mono">{shortId(id)}</span>, priority {priorityText[priority].toLowerCase()}
          {person_asked_at && ', a person was asked for'}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <span className="lg:hidden">
          <Button onClick={onClose}>All tickets</Button>
        </span>
        <CopyCall call="support.messages" values={{ id }} />
        {!isOver && person_asked_at === null && (
          <Button busy={busy('person')} onClick={() => act.mutate('person')}>
            Ask a person
          </Button>
        )}
        {isOver ? (
          <Button busy={busy('open')} onClick={() => act.mutate('open')}>
            Open again
          </Button>
        ) : (
          <Button busy={busy('resolved')} onClick={() => act.mutate('resolved')}>
            Mark resolved
          </Button>
        )}
      </div>
    </div>
  )
}
