/** Who wrote, waits and reads, as spreadsheets: every line that matches, page by page as it is taken. */
import type { Inquiry, InquiryKind, InquiryStatus } from '@ingot/contracts/site'
import type { Subscriber, Waiting } from '@ingot/contracts/site/readers'
import type { Db } from '../../db/database.ts'
import { everyPage } from '../../db/page.ts'
import type { Bytes } from '../../http/bytes.ts'
import { type Columns, csvFile } from '../../http/csv.ts'
import { listInquiries } from '../queries.ts'
import { listSubscribers, listWaiting, type SubscriberFilter, type WaitingFilter } from './queries.ts'

const waiting: Columns<Waiting> = {
  email: each => each.email,
  product: each => each.product,
  since: each => each.created_at,
}
const subscribers: Columns<Subscriber> = {
  email: each => each.email,
  confirmed: each => (each.confirmed_at ? 'yes' : 'no'),
  confirmed_at: each => each.confirmed_at,
  since: each => each.created_at,
}
/** Files stay where they are. */
const inquiries: Columns<Inquiry> = {
  sent_at: each => each.created_at,
  kind: each => each.kind,
  status: each => each.status,
  name: each => each.name,
  email: each => each.email,
  company: each => each.company,
  subject: each => each.subject,
  message: each => each.message,
  file: each => each.file?.name ?? null,
  answers: each => each.answers.length,
  closed_at: each => each.closed_at,
  id: each => each.id,
}

export const exportWaiting = (db: Db, filter: WaitingFilter): Bytes =>
  csvFile(
    'waiting-lists.csv',
    waiting,
    everyPage(page => listWaiting(db, { ...filter, ...page })),
  )

export const exportSubscribers = (db: Db, filter: SubscriberFilter): Bytes =>
  csvFile(
    'subscribers.csv',
    subscribers,
    everyPage(page => listSubscribers(db, { ...filter, ...page })),
  )

export const exportInquiries = (
  db: Db,
  filter: { readonly status?: InquiryStatus; readonly kind?: InquiryKind },
): Bytes =>
  csvFile(
    'inquiries.csv',
    inquiries,
    everyPage(page => listInquiries(db, { ...filter, ...page })),
  )
