/**
 * Messages that are on their way: shown at once, and replaced by what the service has by their mark. One that fails goes
 * back to where it was typed.
 */
import type { Attachment, TicketLink, TicketMessage } from '@ingot/contracts/support'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from '../../ui/toast.ts'
import { errorText } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { messagesKey } from './queries.ts'
import type { Side } from './side.ts'

export interface Draft {
  readonly content: string
  readonly attachments: readonly Attachment[]
  readonly links: readonly TicketLink[]
}

export const emptyDraft: Draft = { content: '', attachments: [], links: [] }

export interface Sending extends Draft {
  readonly clientId: string
  readonly at: string
}

export function useSendMessage(side: Side, id: string, restore: (draft: Draft) => void) {
  const client = useQueryClient()
  const [sending, setSending] = useState<readonly Sending[]>([])
  const mutation = useMutation({
    mutationFn: ({ clientId, content, attachments, links }: Sending) =>
      side.send(
        {
          id,
          content,
          client_id: clientId,
          ...(attachments.length ? { attachments: attachments.map(each => each.id) } : {}),
          ...(links.length ? { links: links.map(({ kind, id: of }) => ({ kind, id: of })) } : {}),
        },
        { idempotencyKey: clientId },
      ),
    onSuccess: sent => {
      // Only where nothing is missing between: else the list is fetched, which has it.
      client.setQueryData<readonly TicketMessage[]>(messagesKey(side, id), known =>
        known && (known.at(-1)?.seq ?? 0) === sent.seq - 1 ? [...known, sent] : known,
      )
      toast.success('Message sent')
      void client.invalidateQueries({ queryKey: ['support'] })
    },
    onError: (error, draft) => {
      setSending(now => now.filter(each => each.clientId !== draft.clientId))
      restore(draft)
      toast.error(`Failed to send message. ${sentence(errorText(error))}`)
    },
  })
  const send = (draft: Draft) => {
    const next = { ...draft, clientId: crypto.randomUUID(), at: new Date().toISOString() }
    setSending(now => [...now, next])
    mutation.mutate(next)
  }
  /** Without what the service has by now. */
  const left = (messages: readonly TicketMessage[]): readonly Sending[] => {
    const known = new Set(messages.map(message => message.client_id))
    return sending.filter(each => !known.has(each.clientId))
  }
  return { send, left }
}
