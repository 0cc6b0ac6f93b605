/** Announcements and maintenance as rows: all that servers keep, and lists for staff. */
import { IngotError } from '@ingot/contracts/errors'
import type {
  Announcement,
  AnnouncementPlace,
  AnnouncementState,
  Maintenance,
  ToldAnnouncement,
  ToldMaintenance,
} from '@ingot/contracts/site/announcements'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { page, type Page, type Paging, readCursor, uuid } from '../../db/page.ts'

export interface PostedRows {
  readonly maintenance: ToldMaintenance | null
  /** Newest first; those to come too. */
  readonly announcements: readonly (ToldAnnouncement & {
    readonly place: AnnouncementPlace
    readonly from: string
    readonly until: string | null
  })[]
}

const link = sql`case when a.link_href is not null then
    jsonb_build_object('label', a.link_label, 'href', a.link_href) end`

/** What is told at `at`, and what will be: one statement, since every server asks each second. */
export async function readPosted(db: Db, at: string): Promise<PostedRows> {
  const { rows } = await sql<PostedRows>`
    select coalesce((
        select jsonb_agg(jsonb_build_object('key', a.id || '.' || a.revision, 'tone', a.tone, 'place', a.place, 'text', a.text,
          'from', rfc3339(a.shown_from), 'until', rfc3339(a.shown_until), 'link', ${link}) order by a.id desc)
        from site_announcement a where coalesce(a.shown_until, 'infinity') > ${at}::timestamptz), '[]') as announcements,
      (select jsonb_build_object('text', m.text, 'since', rfc3339(m.changed_at), 'planned_end', rfc3339(m.planned_end))
        from site_maintenance m where m.is_on) as maintenance`.execute(db)
  return rows[0]!
}

const columns = (at: string) => sql`
  a.id, a.tone, a.place, a.text, a.shown_from as "from", a.shown_until as until, a.created_at, a.created_by, ${link} as link,
  case when a.shown_until <= ${at}::timestamptz then 'over' when a.shown_from > ${at}::timestamptz then 'planned' else 'shown' end as state`

const within: Record<AnnouncementState, (at: string) => ReturnType<typeof sql>> = {
  planned: at =>
    sql`a.shown_from > ${at}::timestamptz and coalesce(a.shown_until, 'infinity') > ${at}::timestamptz`,
  shown: at =>
    sql`a.shown_from <= ${at}::timestamptz and coalesce(a.shown_until, 'infinity') > ${at}::timestamptz`,
  over: at => sql`a.shown_until <= ${at}::timestamptz`,
}

export async function listAnnouncements(
  db: Db,
  at: string,
  filter: Paging & { readonly state?: AnnouncementState },
): Promise<Page<Announcement>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const { rows } = await sql<Announcement>`
    select ${columns(at)} from site_announcement a
    where (${before}::uuid is null or a.id < ${before}::uuid) and ${filter.state ? within[filter.state](at) : sql`true`}
    order by a.id desc limit ${filter.limit + 1}`.execute(db)
  return page(rows, filter.limit, last => [last.id])
}

export async function getAnnouncement(db: Db | Tx, at: string, id: string): Promise<Announcement> {
  const { rows } = await sql<Announcement>`
    select ${columns(at)} from site_announcement a where a.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

export async function countUnfinished(tx: Tx, at: string, butId: string | null): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from site_announcement a
    where coalesce(a.shown_until, 'infinity') > ${at}::timestamptz and a.id is distinct from ${butId}::uuid`.execute(
    tx,
  )
  return rows[0]!.n
}

export const getMaintenance = (db: Db | Tx): Promise<Maintenance> =>
  db
    .selectFrom('site_maintenance')
    .select(['is_on', 'text', 'reason', 'planned_end', 'changed_at', 'changed_by'])
    .executeTakeFirstOrThrow()
