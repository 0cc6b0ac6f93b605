/**
 * Stops instances that nobody uses. Twice a minute each running instance with auto-shutdown on is looked at: it is at
 * work when something was typed into one of its terminals since the last look or its processes took more than
 * `busyShare` of a processor core; where the driver cannot tell, only what was typed counts. After its minutes
 * without that it takes the ordinary stop, with a reason. What a look found is in the row, so a restart of the server
 * neither forgets how long an instance has been idle nor takes the time it was away itself for idleness.
 *
 * Time here is real: moving the business clock on makes no instance idle.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Region } from '../catalog/regions.ts'
import type { Clock } from '../db/clock.ts'
import { type Database, inTransaction } from '../db/database.ts'
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

/** What one look sees; `cpuMs` null: the driver cannot tell. */
export interface Sight {
  readonly at: number
  readonly cpuMs: number | null
  readonly inputAt: string | null
}

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

/** One look at every instance that is due for one; `now` in ms of real time. */
export async function checkIdle(needs: IdleNeeds, now = Date.now()): Promise<void> {
  const rows = await needs.database.kysely
    .selectFrom('gpu_instances')
    .selectAll()
    .where('status', '=', 'running')
    .where('auto_shutdown_enabled', '=', true)
    .where(is => is.or([is('looked_at', 'is', null), is('looked_at', '<=', iso(now - shortestPauseMs))]))
    .execute()
  for (let from = 0; from < rows.length; from += together)
    await Promise.all(rows.slice(from, from + together).map(row => look(needs, row, now)))
}

async function look(needs: IdleNeeds, row: InstanceRow, now: number): Promise<void> {
  const { regions, log } = needs
  const driver = regions.find(region => region.compute.name === row.driver)?.compute
  try {
    const answer = row.driver_ref === null ? undefined : await driver?.cpuTime(row.driver_ref)
    // The driver could not tell now: nothing is recorded and nothing stopped.
    if (answer?.kind !== 'done') return
    const sight = { at: now, cpuMs: answer.value, inputAt: row.last_activity_at }
    const busyAt = isBusy(row, sight) ? now : Date.parse(row.busy_at!)
    if (now - busyAt < row.auto_shutdown_minutes * msPerMinute) await record(needs, row, sight, busyAt)
    else await stop(needs, row)
  } catch (error) {
    log.warn({ err: error, instance: row.id }, 'whether it is idle could not be told')
  }
}

/** Keeps what a look saw, unless somebody else has looked meanwhile or the instance has started anew. */
async function record({ database }: { database: Database }, row: InstanceRow, sight: Sight, busyAt: number) {
  await database.kysely
    .updateTable('gpu_instances')
    .set({
      looked_at: iso(sight.at),
      busy_at: iso(busyAt),
      seen_cpu_ms: sight.cpuMs,
      seen_input_at: sight.inputAt,
    })
    .where('id', '=', row.id)
    .where('status', '=', 'running')
    .where('started_at', '=', row.started_at)
    .where('auto_shutdown_enabled', '=', true)
    .where('auto_shutdown_minutes', '=', row.auto_shutdown_minutes)
    .where('looked_at', 'is not distinct from', row.looked_at)
    .execute()
}

/** Stops it, unless anything that this was decided by has changed since it was read. */
async function stop(needs: IdleNeeds, row: InstanceRow): Promise<void> {
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

const decidedBy = [
  'status',
  'started_at',
  'auto_shutdown_enabled',
  'auto_shutdown_minutes',
  'last_activity_at',
  'looked_at',
] as const

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
