/**
 * The service looks at itself: the database, its own work, each driver, the chain. What is found is public, so it names
 * no error; the log does. `startChecks` does so twice a minute for as long as the worker runs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { statusDays, type SystemState, type SystemStatus } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Region } from '../catalog/regions.ts'
import type { Clock } from '../db/clock.ts'
import type { Database, Db } from '../db/database.ts'
import type { Chain } from '../wallet/chain.ts'

type Check = SystemStatus['checks'][number]

export interface Checked {
  readonly state: SystemState
  readonly checks: readonly Check[]
}

export const everyMs = 30_000
/** Whatever takes longer does not answer. */
const patienceMs = 5_000
const slowMs = 1_000
const lateMs = 5_000
const sweepEvery = 120

export const databaseCheck = 'Database'
export const workerCheck = 'Worker'
const chainCheck = 'Deposits'
const machinesCheck = 'Machines'
const silent = 'Does not answer'

/** What is due since before `since` and in nobody's hands. */
const waitingSince = (since: { readonly business: string; readonly real: string }) => sql<{
  waiting: number
}>`
  select (
    (select count(*) from gpu_instances where due_at < ${since.business} and (lock_expires_at is null or lock_expires_at < now()))
    + (select count(*) from wallets where due_at < ${since.business} and (lock_expires_at is null or lock_expires_at < now()))
    + (select count(*) from chain_cursor where due_at < ${since.real} and (lock_expires_at is null or lock_expires_at < now()))
  )::int as waiting`

export interface CheckNeeds {
  readonly database: Database
  readonly regions: readonly Region[]
  readonly chain: Pick<Chain, 'reader'>
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
      await driver.offers()
      return { ok: true, detail: of.join(', ') }
    })
  })
  if (!machines.length)
    machines.push(Promise.resolve({ name: machinesCheck, ok: false, detail: 'No region is available' }))
  const checks = await Promise.all([
    look(databaseCheck, () => askDatabase(database.kysely)),
    look(workerCheck, () => askWorker(database.kysely, since, lateBy)),
    ...machines,
    look(chainCheck, async () => ({
      ok: true,
      detail: `The chain is at block ${(await chain.reader.head('solid')).height}`,
    })),
  ])
  return { state: stateOf(checks), checks }
}

async function askDatabase(db: Db): Promise<Omit<Check, 'name'>> {
  const from = performance.now()
  await sql`select 1`.execute(db)
  const ms = Math.ceil(performance.now() - from)
  return { ok: ms < slowMs, detail: `Answered in ${ms} ms` }
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

/** The latest finding, and its minute. */
export async function record(db: Db, { state, checks }: Checked, at: Date): Promise<void> {
  await sql`
    insert into site_status (state, checks, checked_at) values (${state}, ${JSON.stringify(checks)}, ${at.toISOString()})
    on conflict (one) do update set state = excluded.state, checks = excluded.checks, checked_at = excluded.checked_at`.execute(
    db,
  )
  await measure(db, at, state === 'operational')
}

async function measure(db: Db, at: Date, ok: boolean): Promise<void> {
  await sql`select site_measure(${at.toISOString()}, ${ok})`.execute(db)
}

export interface Checks {
  stop(): Promise<void>
}

export function startChecks(needs: CheckNeeds & { readonly clock: Clock }, pauseMs = everyMs): Checks {
  const { database, clock, log } = needs
  const stopping = new AbortController()
  /** Minutes that could not be written down because the database was away; they count once it is back. */
  const missed = new Map<number, Date>()

  const run = async () => {
    let since: { business: string; real: string } | null = null
    let planned = Date.now()
    for (let n = 0; !stopping.signal.aborted; n++) {
      const at = new Date()
      const found = await check(needs, since, at.getTime() - planned)
      since = { business: clock.iso(), real: new Date().toISOString() }
      try {
        for (const [minute, when] of missed) {
          await measure(database.kysely, when, false)
          missed.delete(minute)
        }
        await record(database.kysely, found, at)
        if (n % sweepEvery === 0) await sql`select site_sweep(${statusDays})`.execute(database.kysely)
      } catch (error) {
        missed.set(Math.floor(at.getTime() / 60_000), at)
        log.warn({ err: error }, 'the state of the service could not be written down')
      }
      planned = Date.now() + pauseMs
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
