import { IngotError } from '@ingot/contracts/errors'
import type { TicketMessage } from '@ingot/contracts/support'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useFileDrop } from '../files/use-file-drop.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { Composer } from './Composer.tsx'
import { MessageItem, SendingItem } from './MessageItem.tsx'
import { ticketQuery, useMessages } from './queries.ts'
import type { Side } from './side.ts'
import { StaffHead } from './StaffHead.tsx'
import { TicketAbout } from './TicketAbout.tsx'
import { TicketHead } from './TicketHead.tsx'
import { useAttach } from './use-attach.ts'
import { emptyDraft, useSendMessage } from './use-send-message.ts'

interface ConversationProps {
  readonly side: Side
  readonly id: string
  readonly onClose: () => void
  /** In a dialog: without what stands beside it. */
  readonly isAlone?: boolean
}

/** One ticket: its messages as they come, what is written next, and what it is about. */
export function Conversation({ side, id, onClose, isAlone = false }: ConversationProps) {
  const ticket = useQuery(ticketQuery(side, id))
  const messages = useMessages(side, id)
  const [draft, setDraft] = useState(emptyDraft)
  // What was typed meanwhile stays behind it.
  const { send, left } = useSendMessage(side, id, failed =>
    setDraft(now => ({ ...failed, content: [failed.content, now.content].filter(Boolean).join('\n') })),
  )
  const { attach, isAttaching } = useAttach(draft, setDraft)
  // Over all of it: a file that is dropped beside the lines that take it would have the browser leave for it.
  const drop = useFileDrop(chosen => attach(chosen.map(({ file }) => file)), null)
  const isGone =
    ticket.error instanceof IngotError && /^(not_found|validation_failed)$/.test(ticket.error.code)
  if (isGone)
    return (
      <EmptyState title="There is no such ticket" action={<Button onClick={onClose}>All tickets</Button>}>
        It was deleted, or it is not yours.
      </EmptyState>
    )
  return (
    <div
      className={cx(
        'grid h-full min-h-0 grid-cols-1',
        !isAlone && 'xl:grid-cols-[minmax(0,3fr)_minmax(0,1fr)]',
      )}
    >
      <div role="presentation" {...drop.target} className="flex min-h-0 min-w-0 flex-col">
        {ticket.data &&
          (side.of === 'staff' ? (
            <StaffHead ticket={ticket.data} onClose={onClose} />
          ) : (
            <TicketHead ticket={ticket.data} onClose={onClose} />
          ))}
        <QueryView
          query={messages}
          failed="Failed to load messages"
          consequence="What you write is kept here meanwhile."
          skeleton={<Skeleton className="m-4 h-chart" />}
        >
          {items => <MessageLog side={side} id={id} items={items} sending={left(items)} />}
        </QueryView>
        <Composer
          draft={draft}
          onDraft={setDraft}
          onSend={send}
          attach={attach}
          isAttaching={isAttaching}
          isOver={drop.isOver}
          side={side}
          isClosed={ticket.data?.status === 'closed'}
        />
      </div>
      {ticket.data && !isAlone && (
        <aside
          aria-label="About this ticket"
          className="min-h-0 overflow-y-auto border-line p-4 max-xl:border-t xl:border-l"
        >
          <TicketAbout side={side} ticket={ticket.data} messages={messages.data ?? []} />
        </aside>
      )}
    </div>
  )
}

/** What counts what is not read. */
const isCounted = ({ queryKey }: { readonly queryKey: readonly unknown[] }) =>
  queryKey.includes('list') || queryKey.includes('summary')

interface MessageLogProps {
  readonly side: Side
  readonly id: string
  readonly items: readonly TicketMessage[]
  readonly sending: ReturnType<ReturnType<typeof useSendMessage>['left']>
}

/** Stays at its end while its reader is there, and says that it was read. */
function MessageLog({ side, id, items, sending }: MessageLogProps) {
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const client = useQueryClient()
  const last = items.at(-1)?.seq ?? 0
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  })
  const newest = items.at(-1)
  useEffect(() => {
    // One's own is read when it is written.
    if (!newest || newest.sender_type === (side.of === 'staff' ? 'admin' : 'user')) return
    void side
      .read({ id, seq: last })
      .then(() => client.invalidateQueries({ queryKey: ['support'], predicate: isCounted }))
      .catch(() => {})
  }, [client, side, id, last, newest])
  return (
    <div
      ref={box}
      role="log"
      aria-label="Messages"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: at }) => {
        isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < 40
      }}
      className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
    >
      <ol className="flex flex-col">
        {items.map(message => (
          <MessageItem key={message.id} side={side} message={message} />
        ))}
        {sending.map(each => (
          <SendingItem key={each.clientId} message={each} />
        ))}
      </ol>
    </div>
  )
}
