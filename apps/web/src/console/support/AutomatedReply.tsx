import type { ReplySource, TicketMessage } from '@ingot/contracts/support'
import { automatedLead } from '@ingot/contracts/support/ai-replies'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Time } from '../../ui/Time.tsx'
import { toast } from '../../ui/toast.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { ticketQuery } from './queries.ts'
import { customerSide, type Side } from './side.ts'

interface AutomatedReplyProps {
  readonly side: Side
  readonly message: TicketMessage
}

/** Its text with the numbers of its sources, the sources, and beside it the way to a person. */
export function AutomatedReply({ side, message }: AutomatedReplyProps) {
  const { id, content, sources, facts } = message
  const text = content.startsWith(automatedLead) ? content.slice(automatedLead.length).trim() : content
  return (
    <>
      <p className="break-words whitespace-pre-wrap">{withNumbers(text, id, sources)}</p>
      {sources.length > 0 && (
        <ol aria-label="Sources" className="flex flex-wrap gap-x-4 gap-y-1">
          {sources.map(source => (
            <li key={source.number} id={anchorOf(id, source.number)} className="flex min-w-0 gap-2">
              <span className="font-semi tabular-nums">{source.number}</span>
              <SourceLink side={side} source={source} />
            </li>
          ))}
        </ol>
      )}
      {side.of === 'customer' ? <Ways id={message.ticket_id} /> : <FactsUsed facts={facts} />}
    </>
  )
}

const anchorOf = (messageId: string, number: number): string => `source-${messageId}-${number}`

/** `[1]` is a raised number that leads to its source. */
function withNumbers(text: string, messageId: string, sources: readonly ReplySource[]): ReactNode[] {
  return text.split(/( ?\[\d{1,2}\])/).map((part, n) => {
    const number = Number(/^ ?\[(\d{1,2})\]$/.exec(part)?.[1])
    const source = sources.find(each => each.number === number)
    if (!source) return part
    return (
      // oxlint-disable-next-line react/no-array-index-key -- parts of a text that does not change
      <sup key={n} className="ml-1 font-semi">
        <a href={`#${anchorOf(messageId, number)}`} aria-label={`Source ${number}: ${source.title}`}>
          {number}
        </a>
      </sup>
    )
  })
}

const linkClass = 'break-words text-link underline hover:text-link-hover'

/** Pages of the site open beside the console. What is the customer's own opens for the customer. */
function SourceLink({
  side,
  source: { kind, title, url },
}: {
  readonly side: Side
  readonly source: ReplySource
}) {
  if (kind === 'docs')
    return (
      <a href={url} target="_blank" rel="noreferrer" className={linkClass}>
        {title}
      </a>
    )
  if (side.of === 'staff') return <span className="break-words">{title}</span>
  if (kind === 'instance')
    return (
      <Link to="/console/instances/$id" params={{ id: url.split('/').at(-1)! }} className={linkClass}>
        {title}
      </Link>
    )
  return (
    <Link to="/console/billing" className={linkClass}>
      {title}
    </Link>
  )
}

function Ways({ id }: { readonly id: string }) {
  const { data: ticket } = useQuery(ticketQuery(customerSide, id))
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: (what: 'resolved' | 'person') =>
      what === 'person' ? api.support.askPerson({ id }) : api.support.update({ id, status: what }),
    onSuccess: now => {
      client.setQueryData(ticketQuery(customerSide, id).queryKey, now)
      void client.invalidateQueries({ queryKey: ['support'] })
    },
    onError: error => toast.error(sentence(errorText(error))),
  })
  if (!ticket) return null
  const isOver = ticket.status === 'resolved' || ticket.status === 'closed'
  const busy = (what: string) => act.isPending && act.variables === what
  return (
    <div className="flex flex-wrap items-center gap-2">
      {!isOver && ticket.person_asked_at === null && (
        <Button busy={busy('resolved')} onClick={() => act.mutate('resolved')}>
          This answers it
        </Button>
      )}
      {ticket.person_asked_at === null ? (
        <Button busy={busy('person')} onClick={() => act.mutate('person')}>
          Ask a person
        </Button>
      ) : (
        <span className="text-label text-muted">
          You asked a person <Time at={ticket.person_asked_at} />
        </span>
      )}
    </div>
  )
}

function FactsUsed({ facts }: { readonly facts: readonly string[] }) {
  if (facts.length === 0) return <p className="text-label text-muted">No facts were found for it.</p>
  return (
    <details>
      <summary className="cursor-pointer text-label text-muted">Facts used ({facts.length})</summary>
      <ol className="flex list-decimal flex-col gap-1 pt-2 pl-4 text-label font-normal text-muted">
        {facts.map(fact => (
          <li key={fact} className="break-words whitespace-pre-wrap">
            {fact}
          </li>
        ))}
      </ol>
    </details>
  )
}
