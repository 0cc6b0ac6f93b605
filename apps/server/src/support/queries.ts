/** Every read of support. A customer's names the owner in its `where`; those of staff are bound to staff's calls alone. */
import { IngotError } from '@ingot/contracts/errors'
import type { Output } from '@ingot/contracts/operation'
import {
  fewestAnswered,
  reopenDays,
  type StaffTicket,
  type support,
  type Ticket,
  type TicketMessage,
} from '@ingot/contracts/support'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import { fits, readSearch, type Wanted } from '../auth/search.ts'
import type { Db, Tx } from '../db/database.ts'
import { escapeLike } from '../db/escape-like.ts'
import { page, type Page, type Paging, readCursor, time, uuid } from '../db/page.ts'
import type { Tables } from '../db/tables.ts'

export type TicketRow = Selectable<Tables['support_tickets']>
/** Whose tickets are read: one customer's, or all, by staff. */
export type Reader = { readonly userId: string } | 'staff'

export interface TicketFilter {
  readonly search?: string
  readonly status?: string
  readonly priority?: string
}

const fieldsFor = (reader: Reader) => sql`
  t.id, t.user_id, t.title, t.status, t.priority, t.last_seq,
  t.last_seq - ${reader === 'staff' ? sql`t.staff_read_seq` : sql`t.user_read_seq`} as unread,
  t.first_reply_at, t.first_person_at, t.person_asked_at, t.closed_at + ${reopenDays} * interval '1 day' as reopens_until,
  t.created_at, t.updated_at${reader === 'staff' ? sql`, u.email as user_email` : sql``}
  from support_tickets t ${reader === 'staff' ? sql`join auth_user u on u.id = t.user_id` : sql``}`
const ownedBy = (reader: Reader): RawBuilder<unknown> =>
  reader === 'staff' ? sql`true` : sql`t.user_id = ${reader.userId}`

type ShownTo<R extends Reader> = R extends 'staff' ? StaffTicket : Ticket

export async function listTickets<R extends Reader>(
  db: Db,
  reader: R,
  { cursor, limit, ...filter }: TicketFilter & Paging,
): Promise<Page<ShownTo<R>>> {
  const [at, before] = readCursor(cursor, [time, uuid]) ?? [null, null]
  const search = filter.search?.trim() ? `%${escapeLike(filter.search.trim())}%` : null
  const wanted = reader === 'staff' ? await readSearch(db, filter.search) : null
  const { rows } = await sql<ShownTo<R>>`
    select ${fieldsFor(reader)}
    where ${ownedBy(reader)}
      and ${at ? sql`(t.updated_at, t.id) < (${at}::timestamptz, ${before}::uuid)` : sql`true`}
      and ${filter.status ? sql`t.status = ${filter.status}` : sql`true`}
      and ${filter.priority ? sql`t.priority = ${filter.priority}` : sql`true`}
      and ${wanted ? ticketMatches(wanted) : search ? sql`(t.title ilike ${search} or t.id::text like ${search.slice(1)})` : sql`true`}
    order by t.updated_at desc, t.id desc limit ${limit + 1}`.execute(db)
  return page(rows, limit, last => [last.updated_at, last.id])
}

/** A ticket `t` by its subject or id, or by whose it is. */
export const ticketMatches = (wanted: Wanted): RawBuilder<unknown> =>
  fits(wanted, { name: sql`t.title`, id: sql`t.id`, userId: sql`t.user_id` })

export async function getTicket<R extends Reader>(db: Db | Tx, reader: R, id: string): Promise<ShownTo<R>> {
  const { rows } = await sql<ShownTo<R>>`
    select ${fieldsFor(reader)} where ${ownedBy(reader)} and t.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

export async function getTicketsSummary(
  db: Db,
  userId: string,
): Promise<Pick<Output<typeof support.summary>, 'total' | 'unread'>> {
  const { rows } = await sql<{ total: number; unread: number }>`
    select count(*)::int as total, count(*) filter (where user_read_seq < last_seq)::int as unread
    from support_tickets where user_id = ${userId}`.execute(db)
  return rows[0]!
}

/** Of what was answered in the last 30 days. */
export async function getMedianWait(db: Db, at: string): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select case when count(*) >= ${fewestAnswered} then round(percentile_cont(0.5) within group (
      order by extract(epoch from first_person_at - created_at)))::int end as seconds
    from support_tickets where first_person_at > ${at}::timestamptz - interval '30 days'`.execute(db)
  return rows[0]!.seconds
}

const messageFields = (reader: Reader) => sql`
  m.id, m.ticket_id, m.seq, m.content, m.sender_type, m.is_automated, m.user_id, m.client_id, m.links, m.created_at, m.sources,
  ${reader === 'staff' ? sql`m.facts` : sql`'[]'::jsonb as facts`},
  coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'media_type', a.media_type, 'bytes', length(a.content)) order by a.place)
    from support_attachments a where a.message_id = m.id), '[]') as attachments
  from support_messages m`

/** The oldest first, after `after_seq`. */
export async function listMessages(
  db: Db,
  reader: Reader,
  { id, after_seq, limit }: { readonly id: string; readonly after_seq: number; readonly limit: number },
): Promise<Output<typeof support.messages>> {
  await getTicket(db, reader, id)
  const { rows } = await sql<TicketMessage>`
    select ${messageFields(reader)} where m.ticket_id = ${id} and m.seq > ${after_seq} order by m.seq limit ${limit + 1}`.execute(
    db,
  )
  return { items: rows.slice(0, limit), is_more: rows.length > limit }
}

export async function getMessage(db: Db | Tx, reader: Reader, id: string): Promise<TicketMessage> {
  const { rows } = await sql<TicketMessage>`select ${messageFields(reader)} where m.id = ${id}`.execute(db)
  return rows[0]!
}

/** Locked: whoever writes to it takes its turn. */
export async function lockTicket(tx: Tx, reader: Reader, id: string): Promise<TicketRow> {
  const { rows } = await sql<TicketRow>`
    select t.* from support_tickets t where t.id = ${id} and ${ownedBy(reader)} for no key update`.execute(tx)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

export type AttachmentRow = Selectable<Tables['support_attachments']>

/** What a customer uploaded, or what staff sent to them; of staff, whatever was sent. */
export async function getAttachment(db: Db, reader: Reader, id: string): Promise<AttachmentRow> {
  const { rows } = await sql<AttachmentRow>`
    select a.* from support_attachments a
    left join support_messages m on m.id = a.message_id left join support_tickets t on t.id = m.ticket_id
    where a.id = ${id} and ${reader === 'staff' ? sql`t.id is not null` : sql`(t.user_id = ${reader.userId} or a.user_id = ${reader.userId} and a.message_id is null)`}`.execute(
    db,
  )
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}
