/**
 * Stops instances that nobody uses. Twice a minute each running instance with auto-shutdown on is looked at: it is at
 * work when something was typed into one of its terminals since the last look or its processes took more than
 * `busyShare` of a processor core; where the driver does not measure that, only what was typed counts. After its minutes
 * without that it takes the ordinary stop, with a reason. What a look found is in the row, so a restart of the server
 * neither forgets how long an instance has been idle nor takes the time it was away itself for idleness.
 *
 * A round goes through the instances a page at a time, in the order of an index, and writes a page in one statement.
 *
 * Time here is real: moving the business clock on makes no instance idle.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { done } from '@ingot/compute/driver'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Region } from '../catalog/regions.ts'
import type { Clock } from '../db/clock.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { lockWallet } from '../ledger/ledger.ts'
import { type Running, startRunning } from '../worker/running.ts'
import type { Signals } from '../worker/signals.ts'
import { type InstanceRow, lockInstance } from './queries.ts'
import { stopIdleInstance } from './stop-idle-instance.ts'

const lookEveryMs = 30_000
/** A look sooner than that after the one before would judge by a few ticks of the kernel's clock. */
const shortestPauseMs = 20_000
/** A shell with a monitor such as `top` in it stays well below 1%; whatever feeds a GPU takes many times 2%. */
const busyShare = 0.02
const pageLength = 1_000
/** Questions to drivers at a time. */
const together = 16
const msPerMinute = 60_000

/** What looking, and the stop that may follow, needs. */
export interface IdleNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly regions: readonly Region[]
  readonly log: Logger
}

/** What one look sees; `cpuMs` null: the driver does not measure it. */
export interface Sight {
  readonly at: number
  readonly cpuMs: number | null
  readonly inputAt: string | null
}

/** What it is decided by, and what must still be so when it is stopped. */
const decidedBy = [
  'status',
  'started_at',
  'auto_shutdown_enabled',
  'auto_shutdown_minutes',
  'last_activity_at',
  'looked_at',
] as const
const columns = [
  ...decidedBy,
  'busy_at',
  'seen_cpu_ms',
  'seen_input_at',
  'id',
  'user_id',
  'driver',
  'driver_ref',
] as const
type Row = Pick<InstanceRow, (typeof columns)[number]>
type Seen = Pick<InstanceRow, 'looked_at' | 'busy_at' | 'seen_cpu_ms' | 'seen_input_at'>

/**
 * Whether it is at work. In doubt it is: at its first look, and when its processor time can be told only now. A pause
 * longer than usual, because the server was away, counts as one usual pause: a little work in it is work. A fall counts
 * like growth: something ended.
 */
export function isBusy(seen: Seen, { at, cpuMs, inputAt }: Sight): boolean {
  if (seen.looked_at === null || seen.busy_at === null || seen.seen_input_at !== inputAt) return true
  if (cpuMs === null) return false
  if (seen.seen_cpu_ms === null) return true
  const pauseMs = Math.min(at - Date.parse(seen.looked_at), 2 * lookEveryMs)
  return Math.abs(cpuMs - seen.seen_cpu_ms) > busyShare * pauseMs
}

/** One look at every instance that is due for one; `now` in ms of real time. A page that fails takes no other with it. */
export async function checkIdle(needs: IdleNeeds, now = Date.now()): Promise<void> {
  const { database, log } = needs
  for (let after = firstId; ;) {
    const rows = await pageOf(database.kysely, after, now)
    await lookAtAll(needs, rows, now).catch(error =>
      log.error({ err: error, instances: rows.length }, 'what a look at running instances saw was not kept'),
    )
    if (rows.length < pageLength) return
    after = rows.at(-1)!.id
  }
}

const firstId = '00000000-0000-0000-0000-000000000000'

const pageOf = (db: Db, after: string, now: number): Promise<Row[]> =>
  db
    .selectFrom('gpu_instances')
    .select(columns)
    .where('status', '=', 'running')
    .where('auto_shutdown_enabled', '=', true)
    .where('id', '>', after)
    .where(is => is.or([is('looked_at', 'is', null), is('looked_at', '<=', iso(now - shortestPauseMs))]))
    .orderBy('id')
    .limit(pageLength)
    .execute()

interface Seeing {
  readonly row: Row
  readonly sight: Sight
  readonly busyAt: number
}

async function lookAtAll(needs: IdleNeeds, rows: readonly Row[], now: number): Promise<void> {
  const kept: Seeing[] = []
  const left = rows.values()
  const lookAtRest = async () => {
    for (const row of left) {
      const seeing = await look(needs, row, now)
      if (seeing && tellsMore(seeing)) kept.push(seeing)
    }
  }
  await Promise.all(Array.from({ length: together }, lookAtRest))
  if (kept.length) await record(needs.database.kysely, kept, now)
}

/** Asks the driver, and stops what is idle; answers what is to be kept in the row. */
async function look(needs: IdleNeeds, row: Row, now: number): Promise<Seeing | null> {
  const { regions, log } = needs
  const driver = regions.find(region => region.compute.name === row.driver)?.compute
  try {
    if (!driver || row.driver_ref === null) return null
    const answer = driver.capabilities.measures.processor ? await driver.cpuTime(row.driver_ref) : done(null)
    // What the driver measures cannot be read now: nothing is recorded and nothing stopped.
    if (answer.kind !== 'done') return null
    const sight = { at: now, cpuMs: answer.value, inputAt: row.last_activity_at }
    const busyAt = isBusy(row, sight) ? now : Date.parse(row.busy_at!)
    if (now - busyAt < row.auto_shutdown_minutes * msPerMinute) return { row, sight, busyAt }
    await stop(needs, row)
  } catch (error) {
    log.warn({ err: error, instance: row.id }, 'whether it is idle could not be told')
  }
  return null
}

/** False while an instance whose driver measures nothing goes on being idle: only the time of the look would change. */
const tellsMore = ({ row, sight, busyAt }: Seeing): boolean =>
  sight.cpuMs !== null || row.seen_cpu_ms !== null || busyAt === sight.at || row.looked_at === row.busy_at

/**
 * Keeps what looks saw, but of no instance that somebody else has looked at meanwhile, that has started anew, or that is
 * locked: who holds one may want another of the same page.
 */
async function record(db: Db, kept: readonly Seeing[], now: number): Promise<void> {
  const each = <T>(read: (seeing: Seeing) => T): T[] => kept.map(read)
  await sql`
    with seen as (
      select * from unnest(
        ${each(({ row }) => row.id)}::uuid[], ${each(({ row }) => row.started_at)}::timestamptz[],
        ${each(({ row }) => row.auto_shutdown_minutes)}::integer[], ${each(({ row }) => row.looked_at)}::timestamptz[],
        ${each(({ busyAt }) => iso(busyAt))}::timestamptz[], ${each(({ sight }) => sight.cpuMs)}::float8[],
        ${each(({ sight }) => sight.inputAt)}::timestamptz[]
      ) as seen (id, started_at, minutes, looked_at, busy_at, cpu_ms, input_at)
    ), same as (
      select i.id from gpu_instances i join seen on seen.id = i.id
      where i.status = 'running' and i.started_at = seen.started_at and i.auto_shutdown_enabled
        and i.auto_shutdown_minutes = seen.minutes and i.looked_at is not distinct from seen.looked_at
      for no key update of i skip locked
    )
    update gpu_instances i
    set looked_at = ${iso(now)}, busy_at = seen.busy_at, seen_cpu_ms = seen.cpu_ms, seen_input_at = seen.input_at
    from same join seen using (id) where i.id = same.id`.execute(db)
}

/** Stops it, unless anything that this was decided by has changed since it was read. */
async function stop(needs: IdleNeeds, row: Row): Promise<void> {
  const { database, signals, log } = needs
  const isStopped = await inTransaction(database.kysely, async tx => {
    await lockWallet(tx, row.user_id)
    const now = await lockInstance(tx, row.user_id, row.id)
    const isSame = decidedBy.every(column => now[column] === row[column])
    if (isSame) await stopIdleInstance(tx, needs, row.user_id, row.id, row.auto_shutdown_minutes)
    return isSame
  })
  if (!isStopped) return
  log.info({ instance: row.id }, 'stopped as idle')
  for (const topic of ['gpu_instances', 'wallets', `user:${row.user_id}`] as const) signals.send(topic)
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** Looks for as long as the worker runs. */
export const startIdleChecks = (needs: IdleNeeds): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await checkIdle(needs).catch(error =>
        needs.log.error({ err: error }, 'idle instances were not looked for'),
      )
      await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })
