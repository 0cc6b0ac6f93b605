/**
 * The activity log is a reading of the facts: each fact about an instance or the API key is one line, with what was
 * metered if it metered.
 */
import { type UsageAction, usageActions, type UsageLog } from '@ingot/contracts/activity'
import { changedBy } from '@ingot/contracts/events'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { idOf } from '../db/ids.ts'
import { page, type Page, type Paging, readCursor, serial } from '../db/page.ts'

export interface LogFilter extends Paging {
  readonly instance_id?: string
  readonly action?: UsageAction
  readonly search?: string
}

interface LogRow {
  event_id: bigint
  user_id: string
  type: string
  instance_id: string | null
  instance_name: string | null
  data: {
    cost?: string
    duration_minutes?: number
    seconds?: string
    from_prepaid?: string
    from_wallet?: string
    message?: string
    reason?: string
  }
  at: string
}

/** `instance_stopped` ↔ `instance.stopped`, `api_key_revealed` ↔ `api_key.revealed`. */
const subjects = Object.keys(changedBy).toSorted((a, b) => b.length - a.length)
const subjectOf = new RegExp(`^(${subjects.join('|')})_`)
const typeOf = (action: UsageAction): string => action.replace(subjectOf, '$1.')
const actionOf = (type: string): UsageAction => type.replace('.', '_') as UsageAction
const types = usageActions.map(typeOf)
const zero = '0.000000'

export async function listUsageLogs(db: Db, userId: string, filter: LogFilter): Promise<Page<UsageLog>> {
  const [before] = readCursor(filter.cursor, [serial]) ?? [null]
  const wanted = filter.action ? [typeOf(filter.action)] : types
  const search = filter.search?.toLowerCase() ?? null
  const { rows } = await sql<LogRow>`
    select e.id as event_id, e.user_id, e.type, e.subject_id as instance_id, coalesce(i.name, e.data->>'name') as instance_name, e.data, e.at
    from event e left join gpu_instances i on i.id = e.subject_id
    where e.user_id = ${userId} and e.type = any(${wanted}) and (${before}::bigint is null or e.id < ${before}::bigint)
      and (${filter.instance_id ?? null}::uuid is null or e.subject_id = ${filter.instance_id ?? null}::uuid)
      and (${search}::text is null or position(${search}::text in lower(concat_ws(' ', coalesce(i.name, e.data->>'name'), translate(e.type, '._', '  '), e.data->>'message'))) > 0)
    order by e.id desc limit ${filter.limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, filter.limit, last => [last.event_id])
  return { items: items.map(present), next_cursor }
}

const present = ({ event_id, type, data, at, ...row }: LogRow): UsageLog => ({
  ...row,
  id: idOf('event', event_id),
  action: actionOf(type),
  cost: data.cost ?? zero,
  duration_minutes: data.duration_minutes ?? 0,
  seconds: data.seconds ?? null,
  from_prepaid: data.from_prepaid ?? zero,
  from_wallet: data.from_wallet ?? zero,
  message:
    data.message ??
    (data.reason === 'balance_empty'
      ? 'The balance reached zero.'
      : data.reason === 'lost'
        ? 'The machine stopped by itself.'
        : null),
  timestamp: at,
})
