/**
 * The service looks at itself: the database, its own work, each driver, deposits. A finding is public, so it names no
 * error; the log does.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemState, SystemStatus } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Region } from '../catalog/regions.ts'
import type { Database, Db } from '../db/database.ts'
import type { Chain } from '../wallet/chain.ts'
import { delayedMinutes } from '../wallet/delay.ts'

type Check = SystemStatus['checks'][number]

export interface Checked {
  readonly state: SystemState
  readonly checks: readonly Check[]
}

/** A check that takes longer counts as no answer. */
const patienceMs = 5_000
const slowMs = 1_000
const lateMs = 5_000

export const databaseCheck = 'Database'
export const workerCheck = 'Worker'
export const depositsCheck = 'Deposits'
const machinesCheck = 'Machines'
const silent = 'Does not answer'

/** Counts rows that were due before `since` and that nobody holds. */
const waitingSince = (since: { readonly business: string; readonly real: string }) => sql<{
  waiting: number
}>`
  select (
    (select count(*) from gpu_instances where due_at < ${since.business} and (lock_expires_at is null or lock_expires_at < now()))
    + (select count(*) from driver_round where due_at < ${since.business} and (lock_expires_at is null or lock_expires_at < now()))
    + (select count(*) from missed_run where due_at < ${since.business} and (lock_expires_at is null or lock_expires_at < now()))
    + (select count(*) from wallets where due_at < ${since.business})
    + (select count(*) from chain_cursor where due_at < ${since.real} and (lock_expires_at is null or lock_expires_at < now()))
  )::int as waiting`

export interface CheckNeeds {
  readonly database: Database
  readonly regions: readonly Region[]
  readonly chain: Pick<Chain, 'name' | 'isTestNetwork' | 'endpoints'>
  readonly log: Logger
}

/** One look. `since`: the one before, or null at the first; `lateBy`: how much later than planned this one is. */
export async function check(
  { database, regions, chain, log }: CheckNeeds,
  since: { readonly business: string; readonly real: string } | null,
  lateBy: number,
): Promise<Checked> {
  const look = async (name: string, ask: () => Promise<Omit<Check, 'name'>>): Promise<Check> => {
    try {
      return { name, ...(await within(patienceMs, ask())) }
    } catch (error) {
      log.warn({ err: error, check: name }, 'a check of the service failed')
      return { name, ok: false, detail: silent }
    }
  }
  const drivers = new Set(regions.filter(region => region.available).map(region => region.compute))
  const machines = [...drivers].map(driver => {
    const of = regions
      .filter(region => region.available && region.compute === driver)
      .map(region => region.name)
    return look(`${machinesCheck}, ${driver.name}`, async () => {
      const { kind } = await driver.inventory()
      return kind === 'done' ? { ok: true, detail: of.join(', ') } : { ok: false, detail: silent }
    })
  })
  if (!machines.length)
    machines.push(Promise.resolve({ name: machinesCheck, ok: false, detail: 'No region is available' }))
  const checks = await Promise.all([
    look(databaseCheck, () => askDatabase(database.kysely)),
    look(workerCheck, () => askWorker(database.kysely, since, lateBy)),
    ...machines,
    look(depositsCheck, () => askDeposits(database.kysely, chain)),
  ])
  return { state: stateOf(checks), checks }
}

async function askDatabase(db: Db): Promise<Omit<Check, 'name'>> {
  const from = performance.now()
  await sql`select 1`.execute(db)
  const ms = Math.ceil(performance.now() - from)
  return { ok: ms < slowMs, detail: `Answered in ${ms} ms` }
}

async function askDeposits(db: Db, chain: CheckNeeds['chain']): Promise<Omit<Check, 'name'>> {
  const minutes = await delayedMinutes(db, chain)
  // Before the first pass: whether there can be one.
  if (minutes === undefined) await chain.endpoints.ask(reader => reader.head('solid'))
  return !minutes
    ? { ok: true, detail: 'Up to date' }
    : { ok: false, detail: `Delayed by ${minutes} minutes` }
}

async function askWorker(
  db: Db,
  since: Parameters<typeof waitingSince>[0] | null,
  lateBy: number,
): Promise<Omit<Check, 'name'>> {
  if (lateBy > lateMs) return { ok: false, detail: `${Math.round(lateBy / 1000)} s behind` }
  const waiting = since ? (await waitingSince(since).execute(db)).rows[0]!.waiting : 0
  return waiting
    ? { ok: false, detail: `Waiting since the last check: ${waiting}` }
    : { ok: true, detail: 'Work is taken up as it falls due' }
}

/** Down: nothing can be deployed or even looked at. Degraded: something fails, the rest works. */
function stateOf(checks: readonly Check[]): SystemState {
  if (checks.every(each => each.ok)) return 'operational'
  const machines = checks.filter(each => each.name.startsWith(machinesCheck))
  const broken = checks.some(each => each.name === databaseCheck && each.detail === silent)
  return broken || !machines.some(each => each.ok) ? 'down' : 'degraded'
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  try {
    return await Promise.race([
      work,
      sleep(ms, undefined, { signal: timer.signal, ref: false }).then(() => {
        throw new Error(`no answer in ${ms} ms`)
      }),
    ])
  } finally {
    timer.abort()
  }
}
