/**
 * The audit log, newest first. Each filter has an index that is in the order of the list; where several are given, the
 * database takes the one that leaves least. Of several actors that are one person, each is read in that order.
 */
import type { AuditEntry } from '@ingot/contracts/admin/audit-log'
import { isId } from '@ingot/contracts/operation'
import { type RawBuilder, sql } from 'kysely'
import { changesOf } from '../../db/audit-log.ts'
import type { Db } from '../../db/database.ts'
import { mostLookedAt, page, type Page, type Paging, readCursor, serial } from '../../db/page.ts'

export interface AuditFilter {
  readonly actor?: string
  readonly customer?: string
  readonly operation?: string
  readonly subject_kind?: string
  readonly from?: string
  readonly to?: string
  readonly search?: string
}

interface Row extends Omit<AuditEntry, 'actor_person' | 'customer' | 'changes'> {
  readonly micros: string
  readonly before: unknown
  readonly after: unknown
  readonly person_id: string | null
  readonly person_email: string | null
  readonly user_id: string | null
  readonly user_email: string | null
}

const nothing = { items: [], next_cursor: null }
/** Enough for an entry of each way in which one person acts. */
const mostActors = 20

export async function listAuditLog(
  db: Db,
  { cursor, limit, ...filter }: AuditFilter & Paging,
): Promise<Page<AuditEntry>> {
  const [micros, id] = readCursor(cursor, [serial, serial]) ?? [null, null]
  const actors = filter.actor === undefined ? null : await actorsOf(db, filter.actor.trim())
  const customer = filter.customer === undefined ? null : await personOf(db, filter.customer.trim())
  if (actors?.length === 0 || customer === undefined) return nothing
  const words = wordsOf(filter.search ?? '')
  if (words === null) return nothing

  const conditions = [
    ...(micros
      ? [sql`(at, id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::bigint)`]
      : []),
    ...(customer ? [sql`user_id = ${customer}::uuid`] : []),
    ...(filter.operation ? [sql`operation = ${filter.operation}`] : []),
    ...(filter.subject_kind ? [sql`subject_kind = ${filter.subject_kind}`] : []),
    ...(filter.from ? [sql`at >= ${filter.from}::timestamptz`] : []),
    ...(filter.to ? [sql`at < ${filter.to}::timestamptz`] : []),
  ]
  const all = (more: readonly RawBuilder<unknown>[]) =>
    sql.join([sql`true`, ...conditions, ...more], sql` and `)
  const ways: Way[] = words
    ? [
        // Common words are soon met in the order of the list.
        more => sql`(
          select * from audit_log where ${all(more)} order by at desc, id desc limit ${mostLookedAt}) near
          where ${matches(words)}`,
        // Others are read by the index of words and sorted. The fence keeps the database from going through the list.
        more => sql`(select * from audit_log where ${matches(words)} offset 0) found where ${all(more)}`,
      ]
    : [more => sql`audit_log where ${all(more)}`]
  let rows: Row[] = []
  for (const way of ways) if (rows.length <= limit) rows = await read(db, way, actors, limit + 1)
  const { items, next_cursor } = page(rows, limit, last => [last.micros, last.id])
  return { items: items.map(present), next_cursor }
}

/** What follows the `from`, with more conditions. */
type Way = (more: readonly RawBuilder<unknown>[]) => RawBuilder<unknown>

const matches = (words: string) => sql`to_tsvector('simple', reason) @@ to_tsquery('simple', ${words})`

async function read(db: Db, way: Way, actors: readonly string[] | null, most: number): Promise<Row[]> {
  const entries = (more: readonly RawBuilder<unknown>[]) =>
    sql`(select * from ${way(more)} order by at desc, id desc limit ${most})`
  const found = actors
    ? sql.join(
        actors.map(actor => entries([sql`actor = ${actor}`])),
        sql` union all `,
      )
    : entries([])
  const { rows } = await sql<Row>`
    select l.id::text, l.at, (extract(epoch from l.at) * 1000000)::bigint::text as micros, l.actor, l.role, l.ip, l.request_id,
      l.operation, l.subject_kind, l.subject_id, l.reason, l.before, l.after, p.id as person_id, p.email as person_email,
      l.user_id, u.email as user_email
    from (select * from (${found}) f order by at desc, id desc limit ${most}) l
    left join lateral (
      select case when l.actor ~ '^(user|staff):[0-9a-f-]{36}$' then split_part(l.actor, ':', 2)::uuid
        when l.actor ~ '^key:[0-9a-f-]{36}$' then (select user_id from api_keys k where k.id = split_part(l.actor, ':', 2)::uuid)
        end as id) a on true
    left join auth_user p on p.id = a.id
    left join auth_user u on u.id = l.user_id
    order by l.at desc, l.id desc`.execute(db)
  return rows
}

function present({
  micros: _,
  before,
  after,
  person_id,
  person_email,
  user_id,
  user_email,
  ...entry
}: Row): AuditEntry {
  return {
    ...entry,
    actor_person: person_id === null ? null : { id: person_id, email: person_email },
    customer: user_id === null ? null : { id: user_id, email: user_email },
    changes: changesOf(before, after),
  }
}

/** Undefined for an address that nobody has. */
async function personOf(db: Db, given: string): Promise<string | undefined> {
  if (isId(given)) return given.toLowerCase()
  const user = await db
    .selectFrom('auth_user')
    .select('id')
    .where('email', '=', given.toLowerCase())
    .executeTakeFirst()
  return user?.id
}

async function actorsOf(db: Db, given: string): Promise<string[]> {
  if (given === 'system' || given === 'visitor') return [given]
  if (given === 'service_role') return ['staff:service_role']
  const id = await personOf(db, given)
  if (id === undefined) return []
  const keys = await db
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', id)
    .orderBy('id', 'desc')
    .limit(mostActors)
    .execute()
  return [`staff:${id}`, `user:${id}`, ...keys.map(key => `key:${key.id}`)]
}

/** As PostgreSQL's search has them, each one the beginning of a word; null where nothing but signs was asked for. */
function wordsOf(search: string): string | null | undefined {
  if (!search.trim()) return undefined
  const words = search.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length ? words.map(word => `'${word}':*`).join(' & ') : null
}
