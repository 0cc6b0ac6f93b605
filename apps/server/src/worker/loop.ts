/**
 * One claim loop over due rows of a table: claim → work → guarded apply.
 *
 * A claim marks rows with a token and a lease in one short statement, skipping rows that others hold. The work runs
 * outside any transaction, while a heartbeat extends the lease: a dead process's rows are free again after one lease.
 * `apply` writes its outcome only while the token still stands: when the lease ran out and somebody else took the row,
 * the result is dropped. So killing a process at any point loses nothing; the row is claimed again when its lease ends,
 * and the work, which is idempotent, continues from what the row says.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Claimable, Outcome, RowOf } from './claimable.ts'
import type { Running } from './running.ts'
import type { Signals } from './signals.ts'
import { createWaker } from './waker.ts'

export interface Work<Table extends Claimable> {
  readonly table: Table
  readonly key: keyof RowOf<Table> & string
  /** Which clock `due_at` is on. */
  readonly clock: 'business' | 'real'
  readonly leaseMs?: number
  readonly concurrency: number
  /** Work that hangs for longer than this is given up to whoever claims its row. */
  readonly longestMs?: number
  /** Which rows this server can work on, where it can't on all; `now`: on the clock of `due_at`. */
  only?(now: string): RawBuilder<unknown>
  /** Locks that come before the row's own in the lock order. */
  lockFirst?(tx: Tx, row: RowOf<Table>): Promise<void>
  perform(row: RowOf<Table>, claim: Claim<Table>): Promise<void>
}

type Write<Table extends Claimable> = (tx: Tx, now: RowOf<Table>) => Promise<Outcome<Table>>

export interface Claim<Table extends Claimable> {
  /**
   * Runs `write` and sets the columns it returns if the row is still ours. Returns false, having written nothing, when
   * it is not.
   */
  apply(write: Write<Table>): Promise<boolean>
  /** The loop ends: work that takes long stops where another can go on. */
  readonly stopping: AbortSignal
}

/** What a loop works with. */
export interface LoopNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

const defaultLeaseMs = 3_000
const heartbeatsPerLease = 3
const longestWorkMs = 120_000
const pollMs = 5_000
const afterErrorMs = 1_000
/** A row that some transaction has locked is tried again after that. */
const lockedMs = 20

/** A loop that is stopped takes no more rows and waits for those in hand. */
export function startLoop<Table extends Claimable>(work: Work<Table>, needs: LoopNeeds): Running {
  const { log, signals } = needs
  const stopping = new AbortController()
  /** Work under way, and since when. */
  const inHand = new Map<Promise<void>, Held & { readonly since: number }>()
  const { wake, wait } = createWaker()

  const run = async () => {
    while (!stopping.signal.aborted) {
      let waitMs = afterErrorMs
      try {
        const free = work.concurrency - inHand.size
        const now = nowOf(work, needs.clock)
        const rows = free > 0 ? await claimRows(work, needs, now, free) : []
        for (const { row, token } of rows) {
          const task: Promise<void> = performRow(work, needs, row, token, stopping.signal).finally(() => {
            inHand.delete(task)
            wake()
          })
          inHand.set(task, { key: row[work.key], token, since: Date.now() })
        }
        if (rows.length === free && free > 0) continue
        waitMs = free > 0 ? await untilNextDue(work, needs, now) : pollMs
      } catch (error) {
        if (!stopping.signal.aborted) log.error({ err: error, loop: work.table }, 'claim failed')
      }
      await wait(waitMs)
    }
    await Promise.all(inHand.keys())
    clearInterval(heartbeat)
  }
  const heartbeat = setInterval(
    () => {
      const alive = [...inHand.values()].filter(
        ({ since }) => Date.now() - since < (work.longestMs ?? longestWorkMs),
      )
      if (alive.length) void extendLeases(work, needs, alive)
    },
    leaseOf(work) / heartbeatsPerLease,
  )

  const unsubscribe = [signals.on(work.table, wake), signals.on('clock', wake)]
  const running = run()
  return {
    async stop() {
      stopping.abort()
      wake()
      for (const end of unsubscribe) end()
      await running
    },
  }
}

const nowOf = (work: Pick<Work<Claimable>, 'clock'>, clock: Clock) =>
  work.clock === 'business' ? clock.iso() : new Date().toISOString()

const onlyOf = <Table extends Claimable>(work: Work<Table>, now: string): RawBuilder<unknown> =>
  work.only?.(now) ?? sql`true`

const leaseOf = (work: { readonly leaseMs?: number }) => work.leaseMs ?? defaultLeaseMs

/** A row in hand: its key, and the token it was claimed with. */
interface Held {
  readonly key: unknown
  readonly token: string
}

/**
 * Leaves out rows that a transaction has locked at this moment: their turn comes with the next heartbeat, and meanwhile
 * nobody else can claim them either. Waiting for them would let the other leases run out.
 */
async function extendLeases<Table extends Claimable>(
  work: Work<Table>,
  { database, log }: LoopNeeds,
  held: readonly Held[],
): Promise<void> {
  const table = sql.table(work.table)
  const key = sql.ref(work.key)
  await sql`update ${table} set lock_expires_at = now() + ${leaseOf(work)} * interval '1 ms'
    where ${key} in (
      select ${key} from ${table}
      where ${key} = any(${held.map(each => each.key)}) and lock_token = any(${held.map(each => each.token)}::uuid[])
      for no key update skip locked)`
    .execute(database.kysely)
    .catch(error => log.warn({ err: error, loop: work.table }, 'leases were not extended'))
}

async function claimRows<Table extends Claimable>(
  work: Work<Table>,
  { database }: LoopNeeds,
  now: string,
  limit: number,
): Promise<{ row: RowOf<Table>; token: string }[]> {
  const token = newId()
  const table = sql.table(work.table)
  const { rows } = await sql<RowOf<Table>>`
    update ${table} set lock_token = ${token}, lock_expires_at = now() + ${leaseOf(work)} * interval '1 ms'
    where ${sql.ref(work.key)} in (
      select ${sql.ref(work.key)} from ${table}
      where due_at <= ${now} and (lock_expires_at is null or lock_expires_at < now()) and ${onlyOf(work, now)}
      order by due_at limit ${limit} for no key update skip locked)
    returning *`.execute(database.kysely)
  return rows.map(row => ({ row, token }))
}

/**
 * How long until there may be something to claim: a row falls due, or one that was due at `claimedAt` and is still held
 * by somebody comes free. Of those that fall due the index gives the first, however many there are; those that are held
 * are as few as the workers.
 */
async function untilNextDue<Table extends Claimable>(
  work: Work<Table>,
  { database, clock }: LoopNeeds,
  claimedAt: string,
): Promise<number> {
  const table = sql.table(work.table)
  const only = onlyOf(work, claimedAt)
  const { rows } = await sql<{ ms: number | null }>`
    select ceil(extract(epoch from least(
      (select min(due_at) from ${table} where due_at > ${claimedAt}) - ${nowOf(work, clock)}::timestamptz,
      (select min(greatest(lock_expires_at, now() + ${lockedMs} * interval '1 ms')) from ${table}
        where due_at <= ${claimedAt} and ${only}) - now()
    )) * 1000)::float8 as ms`.execute(database.kysely)
  return Math.min(pollMs, Math.max(1, rows[0]?.ms ?? pollMs))
}

async function performRow<Table extends Claimable>(
  work: Work<Table>,
  needs: LoopNeeds,
  row: RowOf<Table>,
  token: string,
  stopping: AbortSignal,
): Promise<void> {
  const { database, log } = needs
  const key = row[work.key]
  try {
    await work.perform(row, {
      apply: write => applyGuarded(work, database, row, token, write),
      stopping,
    })
  } catch (error) {
    log.error({ err: error, loop: work.table, key }, 'work failed; it is tried again')
    await sql`update ${sql.table(work.table)} set lock_expires_at = now() + ${afterErrorMs} * interval '1 ms'
      where ${sql.ref(work.key)} = ${key} and lock_token = ${token}`
      .execute(database.kysely)
      .catch(() => {})
  }
}

function applyGuarded<Table extends Claimable>(
  work: Work<Table>,
  database: Database,
  row: RowOf<Table>,
  token: string,
  write: Write<Table>,
): Promise<boolean> {
  return inTransaction(database.kysely, async tx => {
    await work.lockFirst?.(tx, row)
    const { rows } = await sql<RowOf<Table>>`select * from ${sql.table(work.table)}
      where ${sql.ref(work.key)} = ${row[work.key]} and lock_token = ${token} for no key update`.execute(tx)
    if (!rows[0]) return false
    const changes = { ...(await write(tx, rows[0])), lock_token: null, lock_expires_at: null }
    const assignments = Object.entries(changes)
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
    await sql`update ${sql.table(work.table)} set ${sql.join(assignments)}
      where ${sql.ref(work.key)} = ${row[work.key]}`.execute(tx)
    return true
  })
}
