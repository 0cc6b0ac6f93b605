/** Tickets and their messages as the service has them. Keys name the side: what staff see is another answer. */
import type { StaffTicket, Ticket, TicketMessage } from '@ingot/contracts/support'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'
import type { Side, TicketFilter } from './side.ts'

const pageSize = 50
const mostMessages = 100

export const useTickets = (side: Side, filter: TicketFilter) =>
  usePages<Ticket | StaffTicket>({
    queryKey: ['support', side.of, 'list', filter],
    pageSize,
    keepRows: true,
    fetch: (paging, { signal }) => side.list({ ...filter, ...paging }, { signal }),
  })

export const ticketQuery = (side: Side, id: string) =>
  queryOptions({
    queryKey: ['support', side.of, 'one', id],
    queryFn: ({ signal }) => side.get(id, { signal }),
  })

export const ticketsSummaryQuery = queryOptions({
  queryKey: ['support', 'summary'],
  queryFn: ({ signal }) => api.support.summary({}, { signal }),
})

/** It changes over days. */
export const supportWaitQuery = queryOptions({
  queryKey: ['support-wait'],
  staleTime: 600_000,
  queryFn: ({ signal }) => api.support.wait({}, { signal }),
})

export const messagesKey = (side: Side, id: string) => ['support', side.of, 'messages', id] as const

/** All messages, the oldest first: each time only those are fetched that are not here. */
export function useMessages(side: Side, id: string) {
  const client = useQueryClient()
  const queryKey = messagesKey(side, id)
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const messages = [...(client.getQueryData<readonly TicketMessage[]>(queryKey) ?? [])]
      for (;;) {
        const { items, is_more } = await side.messages(
          { id, after_seq: messages.at(-1)?.seq ?? 0, limit: mostMessages },
          { signal },
        )
        messages.push(...items)
        if (!is_more) return messages as readonly TicketMessage[]
      }
    },
  })
}

/** What an attachment holds, for whoever may read it. It never changes. */
export const attachmentQuery = (side: Side, id: string) =>
  queryOptions({
    queryKey: ['attachment', side.of, id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => side.attachment({ id }, { signal }),
  })

/** The same as an address of the page's own: pages show images of no other. */
export const imageQuery = (side: Side, id: string) =>
  queryOptions({
    queryKey: ['attachment-image', side.of, id],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal, client }) => {
      signal.throwIfAborted()
      return asDataUrl(await client.fetchQuery(attachmentQuery(side, id)))
    },
  })

const asDataUrl = (content: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error ?? new Error('it could not be read')))
    reader.readAsDataURL(content)
  })
