/**
 * The activity log is a reading of the facts: each fact about an instance, a volume or the API key is one line, with what
 * was metered if it metered.
 */
import { type activity, type EventKind, kindOf, usageActions, type UsageLog } from '@ingot/contracts/activity'
import { changedBy } from '@ingot/contracts/events'
import type { Output } from '@ingot/contracts/operation'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { escapeLike } from '../db/escape-like.ts'
import { idOf } from '../db/ids.ts'
import { mostLookedAt, page, type Page, type Paging, readCursor, serial, uuid } from '../db/page.ts'

export interface LogFilter {
  readonly instance_id?: string
  readonly volume_id?: string
  readonly action?: string
  readonly kind?: EventKind
  readonly search?: string
}

interface LogRow {
  /** The number of the last fact that a search looked at for this page, where there are more of them. */
  looked_to: bigint | null
  event_id: bigint
  user_id: string
  type: string
  instance_id: string | null
  instance_name: string | null
  volume_id: string | null
  volume_name: string | null
  volume_is_gone: boolean
  data: {
    cost?: string
    duration_minutes?: number
    seconds?: string
    from_prepaid?: string
    from_wallet?: string
  }
  message: string | null
  actor: UsageLog['actor']
  at: string
}

/** `instance_stopped` ↔ `instance.stopped`, `api_key_revealed` ↔ `api_key.revealed`. */
const subjects = Object.keys(changedBy).toSorted((a, b) => b.length - a.length)
const subjectOf = new RegExp(`^(${subjects.join('|')})_`)
const typeOf = (action: string): string =>
  subjectOf.test(action) ? action.replace(subjectOf, '$1.') : action.replace('_', '.')
const actionOf = (type: string): string => type.replace('.', '_')
const typesOf = ({ action, kind }: Pick<LogFilter, 'action' | 'kind'>): string[] =>
  usageActions.filter(each => (!action || each === action) && (!kind || kindOf(each) === kind)).map(typeOf)
/** The types of facts that the log shows: those of the contract, and those that kinds of meter have. */
const typesLike = (filter: Pick<LogFilter, 'action' | 'kind'>): RawBuilder<string[]> =>
  sql`(${typesOf(filter)}::text[] || kind_events(${filter.action ? typeOf(filter.action) : null}, ${filter.kind ?? null}))`
export const shownTypes = typesLike({})

const isOfVolume = sql`e.type like 'volume.%'`
/**
 * What a fact `e` is about: an instance `i`, and a volume by its id, its row `v` and the name that the fact has of it. A
 * snapshot's fact is about its volume; the first of them names that, so what the ledger tells of one is known after it too.
 */
export const aboutFact = sql`
  cross join lateral (select case when ${isOfVolume} then coalesce((e.data->>'volume_id')::uuid,
    (select s.volume_id from volume_snapshots s where s.id = e.subject_id),
    (select (b.data->>'volume_id')::uuid from event b where b.subject_id = e.subject_id and b.data ? 'volume_id' limit 1), e.subject_id) end as id) o
  left join network_volumes v on v.id = o.id and v.user_id = e.user_id
  left join gpu_instances i on i.id = case when ${isOfVolume} then (e.data->>'instance_id')::uuid else e.subject_id end and i.user_id = e.user_id`
const volumeName = sql`coalesce(v.name, case when ${isOfVolume} then e.data->>'name' end)`
/** Of `aboutFact`. */
export const aboutFields = sql`case when ${isOfVolume} then i.id else e.subject_id end as instance_id,
  case when ${isOfVolume} then i.name else coalesce(i.name, e.data->>'name') end as instance_name,
  o.id as volume_id, ${volumeName} as volume_name, o.id is not null and v.id is null as volume_is_gone`
const said = sql`coalesce(e.data->>'message' || coalesce(e'\\n' || (e.data->>'lines'), ''), case e.data->>'reason'
  when 'balance_empty' then 'The balance reached zero.' when 'budget_reached' then 'Its budget is used up.'
  when 'account_budget_reached' then 'The account''s budget is used up.' when 'lost' then 'The machine stopped by itself.'
  when 'term_over' then 'Its term ended, and it was to stop then.'
  when 'lapsed' then 'The balance does not cover the next month.' when 'grace_over' then 'It was not paid for in time.' end)`
/** The ledger calls a snapshot by the label of its meter, which names it. */
export const message = sql`case when e.type like 'volume.snapshot_%' and not e.data ? 'volume_id'
  then concat_ws(': ', e.data->>'name', ${said}) else ${said} end`
/** The words of a line, as it shows them and as the API names its action. */
const words = sql`lower(concat_ws(' ', i.name, e.data->>'name', ${volumeName}, e.subject_id, o.id, translate(e.type, '._', '  '), replace(e.type, '.', '_'), ${message}))`
export const actor = sql`case split_part(e.actor, ':', 1)
  when 'user' then 'user' when 'key' then 'api_key' when 'schedule' then 'schedule' when 'staff' then 'staff' when 'system' then 'system' end`
const zero = '0.000000'
/** How a volume begins. */
const firstFacts = ['volume.created', 'volume.restored']

/** The newest first. The cursor is the number of the last fact that was looked at. */
export async function listUsageLogs(
  db: Db,
  userId: string,
  { cursor, limit, instance_id, volume_id, ...filter }: LogFilter & Paging,
): Promise<Page<UsageLog>> {
  const [before] = readCursor(cursor, [serial]) ?? [null]
  const search = filter.search?.trim().toLowerCase()
  const those = sql`
    select * from event where user_id = ${userId} and type = any(${typesLike(filter)})
      and ${before ? sql`(at, id) < (select b.at, b.id from event b where b.id = ${before}::bigint)` : sql`true`}
      and ${volume_id ? sql`subject_id = any(${subjectsOf(userId, volume_id)})` : sql`true`}`
  const newest = sql`order by at desc, id desc`
  // Each half is read off an index of its own.
  const facts = instance_id
    ? sql`select * from (
        (${those} and subject_id = ${instance_id}::uuid ${newest} limit ${mostLookedAt}) union all
        (${those} and data ? 'instance_id' and data->>'instance_id' = ${instance_id} ${newest} limit ${mostLookedAt})) e ${newest}`
    : sql`${those} ${newest}`
  // In one statement: what arrives meanwhile would move the last one that was looked at.
  const { rows } = await sql<LogRow>`
    with found as materialized (
      select e.id as event_id, e.user_id, e.type, ${aboutFields}, e.data, ${message} as message, ${actor} as actor, e.at
      from (${facts} limit ${mostLookedAt}) e ${aboutFact}
      where ${search ? sql`position(${search} in ${words}) > 0` : sql`true`}
      order by e.at desc, e.id desc limit ${limit + 1})
    select case when ${Boolean(search)} and (select count(*) from found) <= ${limit} then (
      select id from (${facts} offset ${mostLookedAt - 1} limit 1) e) end as looked_to, found.*
    from (values (1)) page left join found on true order by at desc, event_id desc`.execute(db)
  const { looked_to } = rows[0]!
  // Where nothing was found, one row says how far it was looked.
  const found = rows.filter(row => row.event_id !== null)
  const { items, next_cursor } = page(found, limit, last => [last.event_id])
  return {
    items: items.map(present),
    next_cursor: next_cursor ?? looked_to?.toString() ?? null,
  }
}

/** A volume and its snapshots, those that are gone too. */
const subjectsOf = (userId: string, volumeId: string): RawBuilder<string[]> => sql`array(
  select ${volumeId}::uuid
  union select id from volume_snapshots where volume_id = ${volumeId} and user_id = ${userId}
  union select subject_id from event where data ? 'volume_id' and data->>'volume_id' = ${volumeId} and user_id = ${userId})`

const present = ({ looked_to: _, event_id, type, data, at, ...row }: LogRow): UsageLog => ({
  ...row,
  id: idOf('event', event_id),
  action: actionOf(type),
  cost: data.cost ?? zero,
  duration_minutes: data.duration_minutes ?? 0,
  seconds: data.seconds ?? null,
  from_prepaid: data.from_prepaid ?? zero,
  from_wallet: data.from_wallet ?? zero,
  timestamp: at,
})

const dayMs = 86_400_000

/** Of everything, whatever page of it a screen shows: what was counted before (`roll_up_facts`), and what is newer. */
export async function getActivitySummary(
  db: Db,
  userId: string,
  now: number,
  utcOffsetMinutes: number,
): Promise<Output<typeof activity.summary>> {
  const offsetMs = utcOffsetMinutes * 60_000
  const dayStart = new Date(Math.floor((now + offsetMs) / dayMs) * dayMs - offsetMs).toISOString()
  const { rows } = await sql<Output<typeof activity.summary>>`
    with fact as (
      select type, count from fact_count where user_id = ${userId}
      union all
      select type, count from facts_after(${userId}, coalesce((select before_xid from fact_counted where user_id = ${userId}), '0')))
    select coalesce(sum(count) filter (where type = any(${shownTypes})), 0)::int as total,
      (select count(*)::int from event where user_id = ${userId} and type = any(${shownTypes}) and at >= ${dayStart}::timestamptz) as today,
      coalesce(sum(count) filter (where type = any(${typesLike({ kind: 'instance' })})), 0)::int as instance_events,
      coalesce(sum(count) filter (where type = any(${typesLike({ kind: 'volume' })})), 0)::int as storage_events
    from fact`.execute(db)
  return rows[0]!
}

/** Deleted ones too: their rows stay, and so does their history. */
export async function listLoggedInstances(
  db: Db,
  userId: string,
  filter: Paging & { readonly search?: string },
): Promise<Output<typeof activity.instances>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const search = filter.search?.trim() ? escapeLike(filter.search.trim()) : null
  const { rows } = await sql<Output<typeof activity.instances>['items'][number]>`
    select id, name, status = 'terminated' as is_deleted from gpu_instances
    where user_id = ${userId} and (${before}::uuid is null or id < ${before}::uuid)
      and (${search}::text is null or name ilike '%' || ${search} || '%' or id::text ilike ${search} || '%')
    order by id desc limit ${filter.limit + 1}`.execute(db)
  return page(rows, filter.limit, last => [last.id])
}

/** Of a volume that is gone its first fact stays, with the name that it had then. */
export async function listLoggedVolumes(
  db: Db,
  userId: string,
  filter: Paging & { readonly search?: string },
): Promise<Output<typeof activity.volumes>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const search = filter.search?.trim() ? escapeLike(filter.search.trim()) : null
  const { rows } = await sql<Output<typeof activity.volumes>['items'][number]>`
    select * from (
      select e.subject_id as id, coalesce(v.name, e.data->>'name') as name, v.id is null or v.status = 'deleting' as is_deleted
      from event e left join network_volumes v on v.id = e.subject_id and v.user_id = e.user_id
      where e.user_id = ${userId} and e.type = any(${firstFacts}) and e.type <> 'instance.usage_charged') volume
    where (${before}::uuid is null or id < ${before}::uuid)
      and (${search}::text is null or name ilike '%' || ${search} || '%' or id::text ilike ${search} || '%')
    order by id desc limit ${filter.limit + 1}`.execute(db)
  return page(rows, filter.limit, last => [last.id])
}
