/**
 * Compares what the chain says that deposit addresses hold with what arrived at them and left them: a deposit that the
 * scanner missed, and coins that vanished without a transfer (an issuer can destroy them), show here and nowhere else.
 * Addresses with transfers are compared daily, those without weekly, in whichever server comes first.
 *
 * A balance is of no exact block: the node that answers stands somewhere between the heads read before and after it. So
 * the scanner is awaited at the second of them, and a balance is explained when it is what the address held after any
 * block in between. One that is not is asked for again, in case another node answered; then it is a difference.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatUsd } from '@ingot/contracts/money'
import { type Address20, toBase58 } from '@ingot/tron/address'
import { ReadError } from '@ingot/tron/read-error'
import type { ChainReader } from '@ingot/tron/reader'
import { scanLimits } from '@ingot/tron/scan'
import { tokenBalance, tokenSwitches } from '@ingot/tron/token'
import { type RawBuilder, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { type Running, startRunning } from '../worker/running.ts'
import type { Chain } from './chain.ts'

export interface ReconcileNeeds {
  readonly chain: Chain
  readonly database: Database
  readonly log: Logger
}

const everyMs = 60_000
/** Compared between two passes of the scanner. */
const atOnce = 50
const askedAtOnce = 4
const attempts = 3
/** The scanner is waited for so long. */
const patienceMs = 180_000

export const startReconciling = (needs: ReconcileNeeds): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await reconcileWhenDue(needs, signal).catch(error => {
        if (!signal.aborted)
          needs.log.error({ err: error }, 'balances on the chain were not compared: it is tried again')
      })
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })

/** How many addresses were compared; null when nothing is due, or another server is at it. */
export async function reconcileWhenDue(needs: ReconcileNeeds, signal?: AbortSignal): Promise<number | null> {
  if (!(await claim(needs, sql`balances_due_at <= now()`))) return null
  await lookAtToken(needs)
  let compared = 0
  while (!signal?.aborted) {
    const addresses = await dueAddresses(needs)
    if (!addresses.length) break
    await reconcile(needs, addresses, signal)
    compared += addresses.length
    await claim(needs, sql`true`)
  }
  return compared
}

/** Compares those where coins moved since they were last compared, and says how many: at most as many as are compared at once. */
export async function reconcileMoved(needs: ReconcileNeeds): Promise<number> {
  const { chain, database } = needs
  const { rows } = await sql<{ address: string }>`
    select encode(address20, 'hex') as address from (
      select to20 as address20, max(block_number) as height from chain_deposit
      where chain = ${chain.name} and state in ('credited', 'held', 'rejected') group by 1
      union all
      select from20, max(block_number) from chain_sweep where chain = ${chain.name} group by 1) m
    join deposit_address a using (address20)
    where a.chain = ${chain.name} and height > coalesce((
      select block_number from chain_balance b where b.chain = a.chain and b.address20 = m.address20), -1)
    group by address20 order by max(height) desc limit ${atOnce}`.execute(database.kysely)
  if (rows.length)
    await reconcile(
      needs,
      rows.map(({ address }) => address),
    )
  return rows.length
}

/** For an hour: one that is killed leaves the rest to the next. */
async function claim({ chain, database }: ReconcileNeeds, isFree: RawBuilder<unknown>): Promise<boolean> {
  const { numAffectedRows } = await sql`update chain_cursor set balances_due_at = now() + interval '1 hour'
    where chain = ${chain.name} and ${isFree}`.execute(database.kysely)
  return numAffectedRows === 1n
}

async function dueAddresses({ chain, database }: ReconcileNeeds): Promise<Address20[]> {
  const { rows } = await sql<{ address: string }>`
    select encode(a.address20, 'hex') as address
    from deposit_address a left join chain_balance b on b.chain = a.chain and b.address20 = a.address20
    where a.chain = ${chain.name} and coalesce(b.checked_at, a.created_at) < now() - case when exists (
        select from chain_deposit d where d.chain = a.chain and d.to20 = a.address20 and d.state in ('credited', 'held', 'rejected'))
      then interval '1 day' else interval '7 days' end
    order by coalesce(b.checked_at, a.created_at) limit ${atOnce}`.execute(database.kysely)
  return rows.map(row => row.address)
}

/** Each is compared; those that nothing explains are a finding of the audit from now on. */
export async function reconcile(
  needs: ReconcileNeeds,
  addresses: readonly Address20[],
  signal?: AbortSignal,
): Promise<void> {
  const { chain, log } = needs
  let left = addresses
  for (let attempt = 1; left.length > 0 && !signal?.aborted; attempt++) {
    const unexplained: Address20[] = []
    const { balances, from, to } = await chain.endpoints.ask(reader => readBalances(reader, chain, left))
    await scannedUpTo(needs, to, signal)
    for (const [address, held] of balances) {
      const at = await explain(needs, address, held, from, to)
      if (at === null && attempt < attempts) unexplained.push(address)
      else await note(needs, address, at ?? to, held)
      if (at === null && attempt === attempts)
        log.error(
          { chain: chain.name, address: toBase58(address), holds: formatUsd(held) },
          'a deposit address does not hold what arrived at it less what left it',
        )
    }
    left = unexplained
  }
}

interface Balances {
  readonly balances: readonly (readonly [Address20, bigint])[]
  /** They are of blocks from here to there. */
  readonly from: number
  readonly to: number
}

async function readBalances(
  reader: ChainReader,
  chain: Chain,
  addresses: readonly Address20[],
): Promise<Balances> {
  const before = await reader.head('solid')
  const balances: [Address20, bigint][] = []
  for (let start = 0; start < addresses.length; start += askedAtOnce)
    balances.push(
      ...(await Promise.all(
        addresses
          .slice(start, start + askedAtOnce)
          .map(
            async address =>
              [address, await tokenBalance(reader, chain.contract, address)] as [string, bigint],
          ),
      )),
    )
  const after = await reader.head('solid')
  // Behind one address stand several nodes, one of which may be somewhat behind the others.
  return { balances, from: Math.max(0, before.height - scanLimits.overlapBlocks), to: after.height }
}

async function scannedUpTo(
  { chain, database }: ReconcileNeeds,
  height: number,
  signal?: AbortSignal,
): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;) {
    const row = await database.kysely
      .selectFrom('chain_cursor')
      .select('height')
      .where('chain', '=', chain.name)
      .executeTakeFirstOrThrow()
    if (row.height >= BigInt(height)) return
    if (Date.now() > until || signal?.aborted)
      throw new ReadError('lagging', `the scanner has not come to block ${height}`)
    await sleep(500, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** A block after which the address held that, as recorded; null when there is none. */
async function explain(
  { chain, database }: ReconcileNeeds,
  address: Address20,
  held: bigint,
  from: number,
  to: number,
): Promise<number | null> {
  const address20 = Buffer.from(address, 'hex')
  const { rows } = await sql<{ height: bigint }>`
    select height from (
      select ${from}::bigint as height
      union select block_number from chain_deposit where chain = ${chain.name} and to20 = ${address20} and block_number between ${from} and ${to}
      union select block_number from chain_sweep where chain = ${chain.name} and from20 = ${address20} and block_number between ${from} and ${to}) moved
    where recorded_balance(${chain.name}, ${address20}, height) = ${held} order by height desc limit 1`.execute(
    database.kysely,
  )
  return rows[0] ? Number(rows[0].height) : null
}

async function note(
  { chain, database }: ReconcileNeeds,
  address: Address20,
  height: number,
  held: bigint,
): Promise<void> {
  await sql`select note_chain_balance(${chain.name}, ${Buffer.from(address, 'hex')}, ${height}, ${held})`.execute(
    database.kysely,
  )
}

/** What the issuer can switch. Told when it changes; nothing else is done about it, and a successor is never followed. */
export async function lookAtToken({ chain, database, log }: ReconcileNeeds): Promise<void> {
  const { paused, successor, feeBasisPoints } = await chain.endpoints.ask(reader =>
    tokenSwitches(reader, chain.contract),
  )
  const state =
    [
      paused ? 'transfers are paused' : null,
      successor ? `it has moved to ${toBase58(successor)}` : null,
      feeBasisPoints > 0n ? `it keeps ${feeBasisPoints} of 10,000 of each transfer` : null,
    ]
      .filter(Boolean)
      .join('; ') || null
  const { numUpdatedRows } = await database.kysely
    .updateTable('chain_cursor')
    .set({ token_state: state })
    .where('chain', '=', chain.name)
    .where('token_state', 'is distinct from', state)
    .executeTakeFirst()
  if (!numUpdatedRows) return
  if (state) log.error({ chain: chain.name }, `the token’s issuer has changed something: ${state}`)
  else log.warn({ chain: chain.name }, 'the token’s issuer has changed it back')
}
