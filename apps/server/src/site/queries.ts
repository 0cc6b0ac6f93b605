/**
 * Inquiries as administrators read them, newest first; files are left where they are until one is asked for. And how
 * the service was found to be doing.
 */
import { IngotError } from '@ingot/contracts/errors'
import {
  type Inquiry,
  type InquiryKind,
  type InquiryStatus,
  statusDays,
  type SystemStatus,
} from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, uuid } from '../db/page.ts'
import type { Vault } from '../vault.ts'
import { fileContext } from './keep-inquiry.ts'

const columns = sql`
  i.id, i.kind, i.status, i.name, i.email, i.company, i.subject, i.message, i.created_at, i.closed_at,
  case when i.file_name is not null then
    jsonb_build_object('name', i.file_name, 'type', i.file_type, 'bytes', i.file_bytes) end as file,
  coalesce((
    select jsonb_agg(jsonb_build_object('text', a.text, 'at', rfc3339(a.created_at)) order by a.id)
    from site_answer a where a.inquiry_id = i.id), '[]') as answers`

export async function listInquiries(
  db: Db,
  filter: Paging & { readonly status?: InquiryStatus; readonly kind?: InquiryKind },
): Promise<Page<Inquiry>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const { status = null, kind = null } = filter
  const { rows } = await sql<Inquiry>`
    select ${columns} from site_inquiry i
    where (${status}::text is null or i.status = ${status}) and (${kind}::text is null or i.kind = ${kind}) and (${before}::uuid is null or i.id < ${before}::uuid)
    order by i.id desc limit ${filter.limit + 1}`.execute(db)
  return page(rows, filter.limit, last => [last.id])
}

export async function getInquiry(db: Db | Tx, id: string): Promise<Inquiry> {
  const { rows } = await sql<Inquiry>`select ${columns} from site_inquiry i where i.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

export async function getInquiryFile(
  db: Db,
  vault: Vault,
  id: string,
): Promise<{ name: string; type: string; base64: string }> {
  const file = await db
    .selectFrom('site_inquiry')
    .select(['file_name', 'file_type', 'file_sealed'])
    .where('id', '=', id)
    .where('file_sealed', 'is not', null)
    .executeTakeFirst()
  if (!file) throw new IngotError('not_found')
  return {
    name: file.file_name!,
    type: file.file_type!,
    base64: vault.open(file.file_sealed!, fileContext(id)).toString('base64'),
  }
}

/** The last finding. */
export interface StatusRow {
  state: SystemStatus['state']
  checks: SystemStatus['checks']
  checked_at: string
}

/** `latest`: undefined before the first check. `days`: all that are shown, those without a check included. */
export async function getStatus(
  db: Db,
): Promise<{ latest: StatusRow | undefined; days: SystemStatus['days'] }> {
  const [latest, days] = await Promise.all([
    db.selectFrom('site_status').select(['state', 'checks', 'checked_at']).executeTakeFirst(),
    sql<SystemStatus['days'][number]>`
      select d::date::text as day, coalesce(ok_minutes, 0) as ok_minutes, coalesce(measured_minutes, 0) as measured_minutes
      from generate_series((now() at time zone 'UTC')::date - ${statusDays - 1}::int, (now() at time zone 'UTC')::date, interval '1 day') d
      left join site_status_day on day = d::date order by d`.execute(db),
  ])
  return { latest, days: days.rows }
}
