/** Whose tickets are read, and with which calls: a customer's own, or everybody's, by staff. */
import type {
  Attachment,
  StaffTicket,
  Ticket,
  TicketMessage,
  TicketPriority,
  TicketStatus,
} from '@ingot/contracts/support'
import { api } from '../shell/api.ts'
import type { Page } from '../list/use-pages.ts'

export interface TicketFilter {
  readonly search?: string
  readonly status?: TicketStatus
  readonly priority?: TicketPriority
}

interface Options {
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
}

interface Paging {
  readonly limit: number
  readonly cursor: string | undefined
}

export interface Side {
  readonly of: 'customer' | 'staff'
  list(filter: TicketFilter & Paging, options: Options): Promise<Page<Ticket | StaffTicket>>
  get(id: string, options: Options): Promise<Ticket | StaffTicket>
  messages(
    of: { readonly id: string; readonly after_seq: number; readonly limit: number },
    options: Options,
  ): Promise<{ readonly items: readonly TicketMessage[]; readonly is_more: boolean }>
  send(
    message: {
      readonly id: string
      readonly content: string
      readonly client_id: string
      readonly attachments?: string[]
      readonly links?: { readonly kind: 'instance' | 'payment' | 'invoice'; readonly id: string }[]
    },
    options: Options,
  ): Promise<TicketMessage>
  read(of: { readonly id: string; readonly seq: number }): Promise<unknown>
  attachment(of: Pick<Attachment, 'id'>, options: Options): Promise<Blob>
}

export const customerSide: Side = {
  of: 'customer',
  list: ({ priority: _, ...filter }, options) => api.support.list(filter, options),
  get: (id, options) => api.support.get({ id }, options),
  messages: (of, options) => api.support.messages(of, options),
  send: (message, options) => api.support.send(message, options),
  read: of => api.support.read(of),
  attachment: async ({ id }, options) => (await api.support.attachment({ id }, options)).blob(),
}

export const staffSide: Side = {
  of: 'staff',
  list: (filter, options) => api.support.staffList(filter, options),
  get: (id, options) => api.support.staffGet({ id }, options),
  messages: (of, options) => api.support.staffMessages(of, options),
  send: ({ links: _, ...message }, options) => api.support.staffSend(message, options),
  read: of => api.support.staffRead(of),
  attachment: async ({ id }, options) => (await api.support.staffAttachment({ id }, options)).blob(),
}
