/**
 * Stops instances that nobody uses. Twice a minute each running instance with auto-shutdown on is looked at (what counts
 * as work: signs.ts). After its minutes without any it takes the ordinary stop, with a reason; some minutes before, its
 * owner is told, once. Its owner may keep it on until a time of theirs. What a look found is in the row, so a restart of
 * the server neither forgets how long an instance has been idle nor takes the time it was away itself for idleness.
 *
 * A round goes through the instances of a driver a page at a time, in the order of an index, and writes a page in one
 * statement. Each driver has rounds of its own, and a machine that does not answer is waited for once: none of them
 * delays another driver's.
 *
 * Time here is real: moving the business clock on makes no instance idle.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver } from '@ingot/compute/driver'
import { warnedMs } from '@ingot/contracts/instance/idle'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Region } from '../../catalog/regions.ts'
import type { Clock } from '../../db/clock.ts'
import { type Database, type Db, inTransaction } from '../../db/database.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { type Running, startRunning } from '../../worker/running.ts'
import type { Signals as Wakes } from '../../worker/signals.ts'
import { type InstanceRow, lockInstance } from '../queries.ts'
import { driverNamed } from '../reconcile/ask.ts'
import type { Looks } from '../watching/looks.ts'
import { lookEveryMs, type Measured, type Sight, type Sign, signsOf } from './signs.ts'
import { stopIdleInstance } from './stop-idle-instance.ts'

/** A look sooner than that after the one before would judge by a few ticks of the kernel's clock. */
const shortestPauseMs = 20_000
const pageLength = 1_000
/** Questions to a driver at a time. */
const together = 16
const msPerMinute = 60_000
/** A card that somebody watches was measured just now. */
const youngMs = 4_000

/** What looking, and the stop that may follow, needs. */
export interface IdleNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Wakes
  readonly regions: readonly Region[]
  readonly looks: Looks
  readonly log: Logger
}

/** What it is decided by, and what must still be so when it is stopped. */
const decidedBy = [
  'status',
  'started_at',
  'auto_shutdown_enabled',
  'auto_shutdown_minutes',
  'last_activity_at',
  'last_request_at',
  'snoozed_until',
  'looked_at',
] as const
const columns = [
  ...decidedBy,
  'busy_at',
  'seen_cpu_ms',
  'seen_input_at',
  'seen_request_at',
  'last_input_by',
  'warned_busy_at',
  'id',
  'user_id',
  'name',
  'hardware',
  'shell',
  'driver',
  'driver_ref',
] as const
type Row = Pick<InstanceRow, (typeof columns)[number]>

const namesOf = ({ regions }: IdleNeeds) => [...new Set(regions.map(({ compute }) => compute.name))]

/** One look at every instance that is due for one; `now` in ms of real time. */
export async function checkIdle(needs: IdleNeeds, now = Date.now()): Promise<void> {
  await Promise.all(namesOf(needs).map(driver => checkDriver(needs, driver, now)))
}

/** A page that fails takes no other with it. */
async function checkDriver(needs: IdleNeeds, driver: string, now: number): Promise<void> {
  const { database, log } = needs
  for (let after = firstId; ;) {
    const rows = await pageOf(database.kysely, driver, after, now)
    await lookAtAll(needs, rows, now).catch(error =>
      log.error({ err: error, instances: rows.length }, 'what a look at running instances saw was not kept'),
    )
    if (rows.length < pageLength) return
    after = rows.at(-1)!.id
  }
}

const firstId = '00000000-0000-0000-0000-000000000000'

const pageOf = (db: Db, driver: string, after: string, now: number): Promise<Row[]> =>
  db
    .selectFrom('gpu_instances')
    .select(columns)
    .where('status', '=', 'running')
    .where('auto_shutdown_enabled', '=', true)
    .where('driver', '=', driver)
    .where('id', '>', after)
    .where(is => is.or([is('looked_at', 'is', null), is('looked_at', '<=', iso(now - shortestPauseMs))]))
    .orderBy('id')
    .limit(pageLength)
    .execute()

interface Seeing {
  readonly row: Row
  readonly sight: Sight
  readonly signs: readonly Sign[]
  readonly busyAt: number
  /** When it stops, where its owner is to be told now. */
  readonly warnsOf: number | null
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
  if (kept.length === 0) return
  await record(needs, kept, now)
  if (kept.some(({ warnsOf }) => warnsOf !== null)) needs.signals.send('notice')
}

/** Asks the driver, and stops what is idle; answers what is to be kept in the row. */
async function look(needs: IdleNeeds, row: Row, now: number): Promise<Seeing | null> {
  const driver = driverNamed(needs.regions, row.driver)
  try {
    if (!driver || row.driver_ref === null) return null
    const sight = {
      at: now,
      cpuMs: driver.capabilities.measures.processor
        ? ((await needs.looks.cpuTime(row)) ?? ('unknown' as const))
        : null,
      cards: await cardsOf(needs, driver, row),
      inputAt: row.last_activity_at,
      inputBy: row.last_input_by,
      requestAt: row.last_request_at,
    }
    const signs = signsOf(row, sight)
    // What is measured cannot be read now: nothing is recorded and nothing stopped.
    if (signs === 'unknown') return null
    const busyAt = signs.length ? now : Date.parse(row.busy_at!)
    const stopAt = Math.max(busyAt + row.auto_shutdown_minutes * msPerMinute, snoozedTo(row))
    if (now < stopAt) {
      const isSoon = signs.length === 0 && now >= stopAt - warnedMs(row.auto_shutdown_minutes)
      return {
        row,
        sight,
        signs,
        busyAt,
        warnsOf: isSoon && row.warned_busy_at !== row.busy_at ? stopAt : null,
      }
    }
    await stop(needs, row)
  } catch (error) {
    needs.log.warn({ err: error, instance: row.id }, 'whether it is idle could not be told')
  }
  return null
}

const snoozedTo = ({ snoozed_until }: Row): number =>
  snoozed_until === null ? -Infinity : Date.parse(snoozed_until)

/** Cards that are made up count for nothing (ADR 9), whatever load they show. */
export const countsCards = (driver: Driver, { hardware, shell }: Pick<Row, 'hardware' | 'shell'>): boolean =>
  driver.capabilities.measures.cards && hardware === 'real' && shell === 'real'

async function cardsOf(needs: IdleNeeds, driver: Driver, row: Row): Promise<Measured<number[]>> {
  if (!countsCards(driver, row)) return null
  const reading = await needs.looks.look(row, youngMs)
  return reading?.cards.length ? reading.cards.map(({ load }) => load) : 'unknown'
}

/** False while an instance whose driver measures nothing goes on being idle: only the time of the look would change. */
const tellsMore = ({ row, sight, busyAt, warnsOf }: Seeing): boolean =>
  sight.cpuMs !== null ||
  sight.cards !== null ||
  row.seen_cpu_ms !== null ||
  warnsOf !== null ||
  busyAt === sight.at ||
  row.looked_at === row.busy_at

/**
 * Keeps what looks saw, but of no instance that somebody else has looked at meanwhile, that has started anew, or that is
 * locked: who holds one may want another of the same page. What its owner is to be told is queued with it.
 */
async function record({ database, clock }: IdleNeeds, kept: readonly Seeing[], now: number): Promise<void> {
  const each = <T>(read: (seeing: Seeing) => T): T[] => kept.map(read)
  const business = (ms: number) => iso(ms - Date.now() + clock.now())
  await sql`
    with seen as (
      select * from unnest(
        ${each(({ row }) => row.id)}::uuid[], ${each(({ row }) => row.started_at)}::timestamptz[],
        ${each(({ row }) => row.auto_shutdown_minutes)}::integer[], ${each(({ row }) => row.looked_at)}::timestamptz[],
        ${each(({ row }) => row.snoozed_until)}::timestamptz[],
        ${each(({ busyAt }) => iso(busyAt))}::timestamptz[],
        ${each(({ row, sight }) => (sight.cpuMs === 'unknown' ? row.seen_cpu_ms : sight.cpuMs))}::float8[],
        ${each(({ sight }) => sight.inputAt)}::timestamptz[], ${each(({ sight }) => sight.requestAt)}::timestamptz[],
        ${each(({ signs }) => JSON.stringify(signalsOf(signs, now)))}::jsonb[],
        ${each(({ warnsOf }) => (warnsOf === null ? null : business(warnsOf)))}::timestamptz[]
      ) as seen (id, started_at, minutes, looked_at, snoozed_until, busy_at, cpu_ms, input_at, request_at, signals, stops_at)
    ), same as (
      select i.id from gpu_instances i join seen on seen.id = i.id
      where i.status = 'running' and i.started_at = seen.started_at and i.auto_shutdown_enabled
        and i.auto_shutdown_minutes = seen.minutes and i.looked_at is not distinct from seen.looked_at
        and i.snoozed_until is not distinct from seen.snoozed_until
      for no key update of i skip locked
    ), done as (
      update gpu_instances i
      set looked_at = ${iso(now)}, busy_at = seen.busy_at, seen_cpu_ms = seen.cpu_ms, seen_input_at = seen.input_at,
        seen_request_at = seen.request_at, signals = i.signals || seen.signals,
        warned_busy_at = case when seen.stops_at is null then i.warned_busy_at else seen.busy_at end
      from same join seen using (id) where i.id = same.id
      returning i.user_id, i.id, i.name, i.auto_shutdown_minutes, seen.stops_at
    )
    select note_idle_soon(user_id, jsonb_build_object('at', ${clock.iso()}::text, 'id', id, 'name', name,
      'minutes', auto_shutdown_minutes, 'stops_at', stops_at))
    from done where stops_at is not null order by user_id`.execute(database.kysely)
}

const signalsOf = (signs: readonly Sign[], now: number) =>
  Object.fromEntries(signs.map(({ signal, ...sign }) => [signal, { at: iso(now), ...sign }]))

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
    const lookAt = async (driver: string) => {
      while (!signal.aborted) {
        await checkDriver(needs, driver, Date.now()).catch(error =>
          needs.log.error({ err: error, driver }, 'idle instances were not looked for'),
        )
        await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
      }
    }
    await Promise.all(namesOf(needs).map(lookAt))
  })
