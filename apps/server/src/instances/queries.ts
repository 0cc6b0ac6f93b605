/** Every read of instances. Each names the owner in its `where`: another user's row does not exist. */
import type { Instance, instances } from '@ingot/contracts/instances'
import type { Output } from '@ingot/contracts/operation'
import { fallbackTemplateName } from '@ingot/contracts/templates'
import { IngotError } from '@ingot/contracts/errors'
import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import type { Db, Tx } from '../db/database.ts'
import { escapeLike } from '../db/escape-like.ts'
import { page, type Page, type Paging, readCursor, uuid } from '../db/page.ts'
import type { Tables } from '../db/tables.ts'

export type InstanceRow = Selectable<Tables['gpu_instances']>

/** No look at it has been made yet: see idle/auto-shutdown. */
export const notLookedAt = {
  looked_at: null,
  busy_at: null,
  seen_cpu_ms: null,
  seen_input_at: null,
  seen_request_at: null,
  warned_busy_at: null,
} as const

/** Looks are on the real clock, the wire is on the business clock. */
const onWire = (time: string) => `${time} + (select offset_ms from business_clock) * interval '1 ms'`
export const autoShutdownAt = `
  case when i.status = 'running' and i.auto_shutdown_enabled and i.busy_at < i.looked_at then
    ${onWire('greatest(i.busy_at + make_interval(mins => i.auto_shutdown_minutes), i.snoozed_until)')} end`
export const snoozedUntil = `
  case when i.status = 'running' and i.auto_shutdown_enabled and i.snoozed_until > now() then ${onWire('i.snoozed_until')} end`

const queued = `
  case when q.id is not null then jsonb_build_object('position', queue_position(q), 'since', rfc3339(q.queued_at),
    'set_aside', usd(q.held_micro), 'is_new', q.total_micro is not null, 'blocked', q.blocked) end`

/** The wire's fields, in its order; money as text. What waits for its deploy has no account yet. */
const fields = `
  i.id, i.user_id, i.name, i.gpu_type, i.gpu_count, g.memory_gb as gpu_memory_gb, i.cpu_cores, i.memory_gb, i.storage_gb, i.system_storage_gb, i.data_storage_gb,
  i.status, i.status_reason, i.status_message, i.progress, ${queued} as queue, i.region, i.hardware, i.shell, i.public_ip, i.billing_period,
  usd(i.hourly_cost_micro) as hourly_cost, usd(coalesce(a.balance_micro, 0)) as prepaid_remaining, i.paid_until, i.on_term_end, i.extended_ms::float8 as extended_ms,
  i.template_id, coalesce(t.name, '${fallbackTemplateName}') as template_name, i.network_volume_id,
  i.auto_shutdown_enabled, i.auto_shutdown_minutes, ${autoShutdownAt} as auto_shutdown_at, ${snoozedUntil} as snoozed_until, i.last_activity_at, i.started_at, i.stopped_at, i.created_at, i.updated_at`
const from = `
  from gpu_instances i
  join gpu_type g on g.name = i.gpu_type
  left join ledger_account a on a.kind = 'prepaid' and a.owner = i.id
  left join instance_queue q on q.instance_id = i.id
  left join gpu_templates t on t.id = i.template_id`

const listText = `select ${fields} ${from}
  where i.user_id = $1 and i.status <> 'terminated' and ($2::uuid is null or i.id < $2)
    and ($3::text is null or i.status = $3)
    and ($4::text is null or i.name ilike $4 or i.gpu_type ilike $4)
  order by i.id desc limit $5`

export interface InstanceFilter extends Paging {
  readonly status?: string
  readonly search?: string
}

/**
 * Newest first; ids grow with time, so the last id of a page is the next one's cursor. One named statement: a hot path.
 */
export async function listInstances(
  pool: pg.Pool,
  userId: string,
  filter: InstanceFilter,
): Promise<Page<Instance>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const { rows } = await pool.query<Instance>({
    name: 'instances.list',
    text: listText,
    values: [
      userId,
      before,
      filter.status ?? null,
      filter.search ? `%${escapeLike(filter.search)}%` : null,
      filter.limit + 1,
    ],
  })
  return page(rows, filter.limit, last => [last.id])
}

/** Counted here, because a list is only a page of them. */
export async function getInstancesSummary(db: Db, userId: string): Promise<Output<typeof instances.summary>> {
  const { rows } = await sql<Output<typeof instances.summary>>`
    select count(*)::int as total, count(*) filter (where status = 'running')::int as running,
      count(*) filter (where status_reason = 'balance_empty')::int as stopped_by_balance
    from gpu_instances where user_id = ${userId} and status <> 'terminated'`.execute(db)
  return rows[0]!
}

/** `isOver`: also one that is terminated. */
export async function getInstance(
  db: Db | Tx,
  userId: string,
  id: string,
  isOver = false,
): Promise<Instance> {
  const { rows } = await sql<Instance>`select ${sql.raw(fields)} ${sql.raw(from)}
    where i.user_id = ${userId} and i.id = ${id} and (${isOver} or i.status <> 'terminated')`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

const ownRow = (db: Db | Tx, userId: string, id: string) =>
  db
    .selectFrom('gpu_instances')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('status', '<>', 'terminated')

const mustExist = () => new IngotError('not_found')

/** The owner's row as it is stored. */
export const findInstance = (db: Db | Tx, userId: string, id: string): Promise<InstanceRow> =>
  ownRow(db, userId, id).executeTakeFirstOrThrow(mustExist)

/** The owner's row, locked. The wallet's lock comes first: see the ledger. */
export const lockInstance = (tx: Tx, userId: string, id: string): Promise<InstanceRow> =>
  ownRow(tx, userId, id).forNoKeyUpdate().executeTakeFirstOrThrow(mustExist)
