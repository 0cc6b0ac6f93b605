/**
 * Starts whoever waits, in the order of their turns: each in a transaction of its own, so it happens once however many
 * servers look and wherever one is killed. Whoever cannot have a place lets those pass that need another. Whoever lacks
 * money beside what is set aside is told so and passed over until it is there.
 */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { NoPlace } from '../../catalog/places.ts'
import type { Region } from '../../catalog/regions.ts'
import type { Clock } from '../../db/clock.ts'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { type Running, startRunning } from '../../worker/running.ts'
import type { Signals } from '../../worker/signals.ts'
import { createWaker } from '../../worker/waker.ts'
import { startQueued } from './start-queued.ts'

/** Where a wake-up was lost. */
const everyMs = 5_000
const mostAtOnce = 1_000

export interface QueueNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly regions: readonly Region[]
  readonly log: Logger
}

export const startQueue = (needs: QueueNeeds): Running =>
  startRunning(async signal => {
    const waker = createWaker()
    const ends = (['places', 'clock'] as const).map(topic => needs.signals.on(topic, waker.wake))
    signal.addEventListener('abort', () => waker.wake())
    while (!signal.aborted) {
      await serveQueue(needs).catch(error => needs.log.error({ err: error }, 'the queue was not served'))
      if (!signal.aborted) await waker.wait(everyMs)
    }
    for (const end of ends) end()
  })

interface Waiting {
  readonly instance_id: string
  readonly user_id: string
  readonly driver: string
  readonly region: string
  readonly gpu_type: string
  readonly gpu_count: number
  readonly host_id: bigint | null
  readonly blocked: string | null
}

/** One round over all that waits for drivers of this server. Returns how many have started. */
export async function serveQueue(needs: QueueNeeds): Promise<number> {
  const { rows } = await sql<Waiting>`
    select q.instance_id, q.user_id, q.blocked, i.driver, i.region, i.gpu_type, i.gpu_count, i.host_id
    from instance_queue q join gpu_instances i on i.id = q.instance_id
    where i.region = any(${needs.regions.filter(({ available }) => available).map(({ id }) => id)})
    order by q.turn limit ${mostAtOnce}`.execute(needs.database.kysely)
  /** The fewest cards of a kind for which there was no place in this round. */
  const full = new Map<string, number>()
  let started = 0
  for (const row of rows) {
    const kind = `${row.driver} ${row.gpu_type} ${row.host_id}`
    if (row.blocked === null && row.gpu_count >= (full.get(kind) ?? Number.POSITIVE_INFINITY)) continue
    const outcome = await attempt(needs, row)
    if (outcome === 'full') full.set(kind, Math.min(row.gpu_count, full.get(kind) ?? row.gpu_count))
    if (outcome === 'started') started++
  }
  return started
}

async function attempt(needs: QueueNeeds, row: Waiting): Promise<'started' | 'full' | 'passed'> {
  const { database, clock, signals, log } = needs
  try {
    const isStarted = await inTransaction(database.kysely, async tx => {
      await lockWallet(tx, row.user_id)
      const locked = await lockWaiting(tx, row.instance_id)
      return locked ? startQueued(tx, locked, clock.iso(), true) : false
    })
    if (!isStarted) return 'passed'
    for (const topic of ['gpu_instances', 'wallets', 'notice', `user:${row.user_id}`] as const)
      signals.send(topic)
    return 'started'
  } catch (error) {
    const isFull = error instanceof NoPlace
    if (!isFull && !(error instanceof IngotError))
      log.error({ err: error, instance: row.instance_id }, 'a start in the queue failed')
    const why = isFull ? null : error instanceof IngotError ? error.message : 'Something failed on our side.'
    if (why !== row.blocked) await note(needs, row, why)
    return isFull ? 'full' : 'passed'
  }
}

/** None where it waits no more, or another server has it in hand. */
async function lockWaiting(tx: Tx, id: string) {
  const { rows } =
    await sql`select from instance_queue where instance_id = ${id} for update skip locked`.execute(tx)
  if (!rows.length) return undefined
  return tx
    .selectFrom('gpu_instances')
    .selectAll()
    .where('id', '=', id)
    .where('status', '=', 'stopped')
    .where('status_reason', '=', 'queued')
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** Why it is passed over, told once; null: it is not any more. */
async function note(
  { database, clock, signals }: QueueNeeds,
  row: Waiting,
  why: string | null,
): Promise<void> {
  await sql`
    with noted as (
      update instance_queue q set blocked = left(${why}::text, 500) from instance_queue before
      where before.id = q.id and q.instance_id = ${row.instance_id} returning before.blocked as was),
    said as (
      update gpu_instances set status_message = ${why}, updated_at = ${clock.iso()} from noted
      where id = ${row.instance_id} and status_reason = 'queued' returning name, was)
    select queue_notice(${row.user_id}, 'queue_blocked', 'mail',
      jsonb_build_object('at', ${clock.iso()}::text, 'name', name, 'message', ${why}::text))
    from said where was is null and ${why}::text is not null`.execute(database.kysely)
  await database.kysely
    .insertInto('event')
    .values({
      user_id: row.user_id,
      type: 'instance.queue_noted',
      subject_id: row.instance_id,
      data: '{}',
      at: clock.iso(),
    })
    .execute()
  for (const topic of ['notice', `user:${row.user_id}`] as const) signals.send(topic)
}
