/** Who wants to hear from the operator: waiting lists of planned products, and subscribers to the blog. */
import * as z from 'zod/mini'
import { id, maxSearchText, operation, page, paging, timestamp } from '../operation.ts'
import { inquiryKinds, inquiryStatuses, plannedProducts, type PlannedProduct } from '../site.ts'

const product = z.enum(Object.keys(plannedProducts) as [PlannedProduct, ...PlannedProduct[]])
const search = z.optional(z.string().check(z.maxLength(maxSearchText)))

export const waiting = z.object({
  email: z.string(),
  /** Its slug; one that is planned no more keeps its list. */
  product: z.string(),
  created_at: timestamp,
})
export type Waiting = z.infer<typeof waiting>

export const subscriber = z.object({
  id,
  email: z.string(),
  created_at: timestamp,
  /** Null: the link in the first mail was not opened. Write only to who has. */
  confirmed_at: z.nullable(timestamp),
})
export type Subscriber = z.infer<typeof subscriber>

const ofWaiting = { product: z.optional(product), search }
const ofSubscribers = { confirmed: z.optional(z.boolean()), search }

export const readers = {
  waitlist: operation({
    id: 'listWaiting',
    method: 'GET',
    path: '/v1/admin/waitlist',
    who: 'admin',
    summary: 'Who wants to hear when a planned product is there, newest first',
    input: z.object({ ...paging, ...ofWaiting }),
    output: page(waiting),
    status: 200,
    errors: [],
  }),
  exportWaitlist: operation({
    id: 'exportWaiting',
    method: 'GET',
    path: '/v1/admin/waitlist/export',
    who: 'admin',
    summary: 'The waiting lists as a spreadsheet',
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    input: z.object(ofWaiting),
    status: 200,
    errors: [],
  }),
  subscribers: operation({
    id: 'listSubscribers',
    method: 'GET',
    path: '/v1/admin/subscribers',
    who: 'admin',
    summary: 'Who asked for new blog posts and has not unsubscribed, newest first',
    input: z.object({ ...paging, ...ofSubscribers }),
    output: page(subscriber),
    status: 200,
    errors: [],
  }),
  exportSubscribers: operation({
    id: 'exportSubscribers',
    method: 'GET',
    path: '/v1/admin/subscribers/export',
    who: 'admin',
    summary: 'Subscribers as a spreadsheet, with when each confirmed',
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    input: z.object(ofSubscribers),
    status: 200,
    errors: [],
  }),
  exportInquiries: operation({
    id: 'exportInquiries',
    method: 'GET',
    path: '/v1/admin/inquiries/export',
    who: 'admin',
    summary: 'Contacts, applications and document requests as a spreadsheet',
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    input: z.object({
      status: z.optional(z.enum(inquiryStatuses)),
      kind: z.optional(z.enum(inquiryKinds)),
    }),
    status: 200,
    errors: [],
  }),
}
