/** Support: tickets, their messages and attachments, for the customer and for staff. */
import * as z from 'zod/mini'
import { id, maxSearchText, nothing, operation, page, paging, timestamp } from './operation.ts'
import { aiReplies } from './support/ai-replies.ts'

export const ticketStatuses = ['open', 'in_progress', 'resolved', 'closed'] as const
export type TicketStatus = (typeof ticketStatuses)[number]
export const ticketPriorities = ['low', 'medium', 'high'] as const
export type TicketPriority = (typeof ticketPriorities)[number]

export const maxTicketTitle = 200
export const maxMessage = 10_000
export const mostAttachments = 5
export const maxAttachmentBytes = 5 * 1024 * 1024
/** Uploaded and not sent yet. */
export const mostUnsentAttachments = 20
/** A closed ticket can be opened again for so long. */
export const reopenDays = 14

/** What a message may be about: it shows what was so when it was sent. */
export const linkKinds = ['instance', 'payment', 'invoice'] as const
export const mostLinks = 5
export const ticketLink = z.object({
  kind: z.enum(linkKinds),
  id,
  /** As it was when the message was sent. */
  title: z.string(),
  detail: z.string(),
})
export type TicketLink = z.infer<typeof ticketLink>

/** What an attachment may be, as its bytes say. */
export const attachmentTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'text/plain'] as const
export const attachmentWrongType = 'Attach a PNG, JPEG, GIF or WebP image, or a text file such as a log'

export const attachment = z.object({
  id,
  name: z.string(),
  media_type: z.enum(attachmentTypes),
  bytes: z.int(),
})
export type Attachment = z.infer<typeof attachment>

export const ticket = z.object({
  id,
  user_id: id,
  title: z.string(),
  status: z.enum(ticketStatuses),
  priority: z.enum(ticketPriorities),
  /** Messages that the reader has not read. */
  unread: z.int(),
  /** Of the last message. */
  last_seq: z.int(),
  /** When a reply was first written: by the service itself, and by a person. */
  first_reply_at: z.nullable(timestamp),
  first_person_at: z.nullable(timestamp),
  /** A person was asked for, and none has answered since. */
  person_asked_at: z.nullable(timestamp),
  /** Until when a closed one can be opened again; null unless it is closed. */
  reopens_until: z.nullable(timestamp),
  created_at: timestamp,
  /** Of its last change: the order of the list. */
  updated_at: timestamp,
})
export type Ticket = z.infer<typeof ticket>

/** Where an automated reply is from. */
export const replySource = z.object({
  /** As the text names it: `[1]`. */
  number: z.int(),
  kind: z.enum(['docs', ...linkKinds, 'charge']),
  title: z.string(),
  /** A path of this site, with the place's anchor. What is the customer's own opens for the customer alone. */
  url: z.string(),
})
export type ReplySource = z.infer<typeof replySource>

export const senderTypes = ['user', 'admin'] as const
export const ticketMessage = z.object({
  id,
  ticket_id: id,
  /** From 1, without a gap: what a reader shows, in which order, and whether one is missing. */
  seq: z.int(),
  content: z.string(),
  sender_type: z.enum(senderTypes),
  /** It was not written by a person. */
  is_automated: z.boolean(),
  /** Who wrote it; null for the service itself. */
  user_id: z.nullable(id),
  /** The sender's own mark: what it has shown already is this one. */
  client_id: z.nullable(z.string()),
  attachments: z.array(attachment),
  links: z.array(ticketLink),
  /** Of an automated reply, in the order of their numbers; else none. */
  sources: z.array(replySource),
  /** What an automated reply was made of, for staff; none for customers. */
  facts: z.array(z.string()),
  created_at: timestamp,
})
export type TicketMessage = z.infer<typeof ticketMessage>

/** What staff see of a ticket: whose it is, too. */
export const staffTicket = z.extend(ticket, { user_email: z.nullable(z.string()) })
export type StaffTicket = z.infer<typeof staffTicket>

/** How soon somebody answers, as it was lately. */
export const supportWait = z.object({
  /** The median from a ticket to a person's first answer, of the last 30 days; null while too few were answered to say. */
  first_person_seconds: z.nullable(z.int()),
  /** When people answer, in the operator's words. */
  hours: z.nullable(z.string()),
})
export type SupportWait = z.infer<typeof supportWait>
/** Of how many tickets a median is said. */
export const fewestAnswered = 5
/** Messages of one customer, in any of their tickets: so many at once, and again one every two seconds. */
export const messageLimit = { burst: 30, perSecond: 0.5 } as const

const byId = z.object({ id })
const content = z.string().check(z.maxLength(maxMessage), z.regex(/\S/))
const message = {
  content,
  client_id: z.optional(z.string().check(z.regex(/^[\w-]{1,64}$/))),
  /** Ids of what was uploaded and not sent yet. */
  attachments: z.optional(z.array(id).check(z.maxLength(mostAttachments))),
  links: z.optional(z.array(z.object({ kind: z.enum(linkKinds), id })).check(z.maxLength(mostLinks))),
}
const list = {
  ...paging,
  /** Matches the subject, or how the id begins; of staff also the customer's address. */
  search: z.optional(z.string().check(z.maxLength(maxSearchText))),
  status: z.optional(z.enum(ticketStatuses)),
}
const messages = {
  id,
  /** Only those after this one. */ after_seq: z._default(z.int().check(z.minimum(0)), 0),
  limit: paging.limit,
}
const messagePage = z.object({
  items: z.array(ticketMessage),
  /** There are more after these. */ is_more: z.boolean(),
})

export const support = {
  list: operation({
    id: 'listTickets',
    method: 'GET',
    path: '/v1/tickets',
    who: 'user',
    summary: 'Your support tickets, the last changed first',
    input: z.object(list),
    output: page(ticket),
    status: 200,
    errors: [],
  }),
  summary: operation({
    id: 'getTicketsSummary',
    method: 'GET',
    path: '/v1/tickets/summary',
    who: 'user',
    actable: true,
    summary: 'How many of your tickets have replies that you have not read',
    input: nothing,
    output: z.object({
      total: z.int(),
      unread: z.int(),
      /** What answers first: nothing, the service from its own facts, or a model from the same. */
      automated: z.enum(['off', 'facts', 'model']),
      /** Where what you write is sent for that; null unless a model writes. */
      model_host: z.nullable(z.string()),
    }),
    status: 200,
    errors: [],
  }),
  wait: operation({
    id: 'getSupportWait',
    method: 'GET',
    path: '/v1/tickets/wait',
    who: 'user',
    summary: 'How soon a person answers, as it was in the last 30 days, and when people are there',
    input: nothing,
    output: supportWait,
    status: 200,
    errors: [],
  }),
  create: operation({
    id: 'createTicket',
    method: 'POST',
    path: '/v1/tickets',
    who: 'user',
    summary: 'Open a ticket; the content is its first message',
    input: z.object({
      title: z.string().check(z.maxLength(maxTicketTitle), z.regex(/\S/)),
      priority: z._default(z.enum(ticketPriorities), 'medium'),
      ...message,
    }),
    output: ticket,
    status: 201,
    errors: ['invalid_state', 'rate_limited'],
  }),
  get: operation({
    id: 'getTicket',
    method: 'GET',
    path: '/v1/tickets/{id}',
    who: 'user',
    summary: 'One ticket',
    input: byId,
    output: ticket,
    status: 200,
    errors: ['not_found'],
  }),
  update: operation({
    id: 'updateTicket',
    method: 'PATCH',
    path: '/v1/tickets/{id}',
    who: 'user',
    summary: 'Say that it is resolved, or open it again; a closed one for 14 days',
    input: z.object({ id, status: z.enum(['open', 'resolved']) }),
    output: ticket,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  messages: operation({
    id: 'listTicketMessages',
    method: 'GET',
    path: '/v1/tickets/{id}/messages',
    who: 'user',
    summary: 'Its messages, the oldest first',
    input: z.object(messages),
    output: messagePage,
    status: 200,
    errors: ['not_found'],
  }),
  send: operation({
    id: 'sendTicketMessage',
    method: 'POST',
    path: '/v1/tickets/{id}/messages',
    who: 'user',
    summary: 'Write to it. A resolved one is open again; the same client_id sends once',
    input: z.object({ id, ...message }),
    output: ticketMessage,
    status: 201,
    errors: ['not_found', 'invalid_state', 'rate_limited'],
  }),
  read: operation({
    id: 'markTicketRead',
    method: 'POST',
    path: '/v1/tickets/{id}/read',
    who: 'user',
    summary: 'All of it up to this message was read',
    input: z.object({ id, seq: z.int().check(z.minimum(0)) }),
    output: ticket,
    status: 200,
    errors: ['not_found'],
  }),
  askPerson: operation({
    id: 'askForPerson',
    method: 'POST',
    path: '/v1/tickets/{id}/person',
    who: 'user',
    summary: 'Have a person answer: nothing automated is written to it any more before one has',
    input: byId,
    output: ticket,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  attach: operation({
    id: 'uploadAttachment',
    method: 'POST',
    path: '/v1/attachments',
    who: 'user',
    summary: 'An image or a log for a message that is sent within a day',
    input: z.object({
      name: z.string().check(z.maxLength(200), z.regex(/^(?!\s*$)[^\p{Cc}/\\]*$/u)),
      sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    }),
    transport: 'upload',
    output: attachment,
    bodyLimit: maxAttachmentBytes,
    status: 201,
    errors: ['invalid_state', 'body_too_large'],
  }),
  attachment: operation({
    id: 'getAttachment',
    method: 'GET',
    path: '/v1/attachments/{id}',
    who: 'user',
    summary: 'What was attached to a message of yours, or of staff to you',
    input: byId,
    transport: 'bytes',
    mediaTypes: attachmentTypes,
    status: 200,
    errors: ['not_found'],
  }),
  staffList: operation({
    id: 'listAllTickets',
    method: 'GET',
    path: '/v1/admin/tickets',
    who: 'staff',
    summary: 'Tickets of all customers, the last changed first',
    input: z.object({ ...list, priority: z.optional(z.enum(ticketPriorities)) }),
    output: page(staffTicket),
    status: 200,
    errors: [],
  }),
  staffGet: operation({
    id: 'getAnyTicket',
    method: 'GET',
    path: '/v1/admin/tickets/{id}',
    who: 'staff',
    summary: 'One ticket of whichever customer',
    input: byId,
    output: staffTicket,
    status: 200,
    errors: ['not_found'],
  }),
  staffUpdate: operation({
    id: 'updateAnyTicket',
    method: 'PATCH',
    path: '/v1/admin/tickets/{id}',
    who: 'staff',
    summary: 'Give it another status or priority',
    input: z.object({
      id,
      status: z.optional(z.enum(ticketStatuses)),
      priority: z.optional(z.enum(ticketPriorities)),
    }),
    output: staffTicket,
    status: 200,
    errors: ['not_found'],
  }),
  staffMessages: operation({
    id: 'listAnyTicketMessages',
    method: 'GET',
    path: '/v1/admin/tickets/{id}/messages',
    who: 'staff',
    summary: 'The messages of any ticket, the oldest first',
    input: z.object(messages),
    output: messagePage,
    status: 200,
    errors: ['not_found'],
  }),
  staffSend: operation({
    id: 'replyToTicket',
    method: 'POST',
    path: '/v1/admin/tickets/{id}/messages',
    who: 'staff',
    summary: 'Answer the customer, who is told by mail; an open ticket is in progress from then on',
    input: z.object({
      id,
      content: message.content,
      client_id: message.client_id,
      attachments: message.attachments,
    }),
    output: ticketMessage,
    status: 201,
    errors: ['not_found'],
  }),
  staffRead: operation({
    id: 'markAnyTicketRead',
    method: 'POST',
    path: '/v1/admin/tickets/{id}/read',
    who: 'staff',
    summary: 'Staff have read all of it up to this message',
    input: z.object({ id, seq: z.int().check(z.minimum(0)) }),
    output: staffTicket,
    status: 200,
    errors: ['not_found'],
  }),
  staffAttachment: operation({
    id: 'getAnyAttachment',
    method: 'GET',
    path: '/v1/admin/attachments/{id}',
    who: 'staff',
    summary: 'What was attached to a message of any ticket',
    input: byId,
    transport: 'bytes',
    mediaTypes: attachmentTypes,
    status: 200,
    errors: ['not_found'],
  }),
  ...aiReplies,
}
