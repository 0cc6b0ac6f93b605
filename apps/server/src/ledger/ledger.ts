/**
 * The only place where money moves. The rules live in SQL (`functions.sql` has them as they stand), because each
 * movement is one call that locks the wallet, checks and writes: here are its callers, in TypeScript's types.
 *
 * Guarantees: a movement happens once per key; a wallet or prepaid account never goes below zero; running time is
 * charged once per millisecond and a total does not depend on how it was split. Lock order: wallet, then instance.
 * Refuses with `insufficient_funds`; then nothing of the caller's transaction remains.
 */
import type { BalanceChoice, DeletionBlock } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { coversStart, startNeedsMicro } from '@ingot/contracts/instance-costs'
import { type Micro, moneyText } from '@ingot/contracts/money'
import { type Selectable, sql } from 'kysely'
import type pg from 'pg'
import type { BudgetInput } from '@ingot/contracts/budgets'
import type { Db, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { assertBudgetsCover, deployBeyondBudget } from './budgets.ts'

/** The last stretch of a meter that was charged, and when the wallet ran out, if it did (`closed_at`). */
export interface SettledLine {
  readonly meter_id: string
  readonly from_at: string | null
  readonly to_at: string | null
  readonly amount_micro: Micro
  readonly prepaid_micro: Micro
  readonly wallet_micro: Micro
  readonly closed_at: string | null
}

export interface DeployCharge {
  readonly userId: string
  readonly instanceId: string
  readonly label: string
  readonly hourlyCost: Micro
  readonly total: Micro
  readonly paidUntil: string | null
  readonly description: string
  /** It is to run at once: then ten minutes of what runs stay in the wallet. */
  readonly starts: boolean
}

/** Moves the deploy total from the wallet to the instance's prepaid account and opens its meter, not yet running. */
export async function chargeDeploy(tx: Tx, charge: DeployCharge, at: string): Promise<void> {
  await money(
    sql`select deploy_charge(${charge.userId}, ${charge.instanceId}, ${charge.label}, ${charge.hourlyCost}, ${charge.total},
      ${charge.paidUntil}, ${charge.description}, ${at}, ${charge.starts})`.execute(tx),
  )
}

/** A place in the queue, with what it needs set aside. `total`: of a deploy. */
export interface QueueCharge {
  readonly id: string
  readonly userId: string
  readonly instanceId: string
  readonly hourlyCost: Micro
  readonly total: Micro | null
  readonly starts: boolean
  readonly budget: BudgetInput | null
  readonly setAside: Micro
}

/** Refused as the deploy would be now, and where too many of this user wait. */
export async function enterQueue(tx: Tx, charge: QueueCharge, most: number, at: string): Promise<void> {
  const { id, instanceId, userId, hourlyCost, total, starts, budget, setAside } = charge
  await money(
    sql`select enter_queue(${id}, ${instanceId}, ${userId}, ${hourlyCost}, ${total}, ${starts},
      ${budget && JSON.stringify(budget)}, ${setAside}, ${most}, ${at})`.execute(tx),
  )
}

/** What was set aside is in the wallet, for the charge that this transaction makes. */
export async function takeQueued(
  tx: Tx,
  instanceId: string,
  at: string,
): Promise<Selectable<Tables['instance_queue']> | undefined> {
  const { rows } = await sql<Selectable<Tables['instance_queue']>>`
    select * from take_queued(${instanceId}, ${at})`.execute(tx)
  return rows[0]
}

/** It waits no longer, and what was set aside is back: how much. Null where it did not wait. */
export async function leaveQueue(tx: Tx, instanceId: string, at: string): Promise<Micro | null> {
  const { rows } = await sql<{ micro: Micro | null }>`
    select leave_queue(${instanceId}, ${at}) as micro`.execute(tx)
  return rows[0]!.micro
}

/** From `at` on the instance costs its hourly price, as far as `source` looks at it: its driver. */
export async function openMeter(tx: Tx, instanceId: string, at: string, source: string): Promise<void> {
  await sql`select open_meter(${instanceId}, ${at}, ${source})`.execute(tx)
}

/**
 * A look that was asked for at `seenAt` found the machine in the run that is metered. Its horizon moves; had it passed,
 * the gap is charged. Returns whether the meter runs on: the wallet may not have covered the gap.
 */
export async function seeMeter(tx: Tx, instanceId: string, seenAt: string, at: string): Promise<boolean> {
  const { rows } = await sql<{
    runs: boolean
  }>`select see_meter(${instanceId}, ${seenAt}, ${at}) as runs`.execute(tx)
  return rows[0]!.runs
}

/** When a look last found the run that is metered. */
export async function lastSeen(tx: Tx, instanceId: string): Promise<string | null> {
  const { rows } = await sql<{ seen_at: string | null }>`
    select last_seen_of(meter) as seen_at from meter where id = ${instanceId}`.execute(tx)
  return rows[0]?.seen_at ?? null
}

/**
 * Charges up to `at` and ends the meter as far as is known. If the wallet ran out before, it ended there: see
 * `closed_at`. The meter's last line is the caller's to tell; all else was told. A last look tells where the run truly
 * ended: `endMeter`.
 */
export async function closeMeter(
  tx: Tx,
  instanceId: string,
  at: string,
  cause: 'stop' | 'restart' | 'delete',
): Promise<SettledLine | undefined> {
  const { rows } = await sql<SettledLine>`select * from close_meter(${instanceId}, ${at}, ${cause})`.execute(
    tx,
  )
  return rows[0]
}

/**
 * A look found that the run ended at `end`: what of it was not charged is charged, and what was charged beyond it
 * returns to the wallet.
 */
export async function endMeter(
  tx: Tx,
  instanceId: string,
  end: string,
  at: string,
): Promise<{ line: SettledLine | undefined; returned: Micro }> {
  const { rows } = await sql<SettledLine>`select * from end_meter(${instanceId}, ${end}, ${at})`.execute(tx)
  const back = rows.find(line => line.amount_micro < 0n)
  return { line: rows.find(line => line !== back), returned: -(back?.amount_micro ?? 0n) }
}

/** Ends all that an account pays for, and tells the nouns: what is left of what was prepaid returns. */
export async function endMeters(tx: Tx, userId: string, at: string): Promise<void> {
  await sql`select end_meters(${userId}, ${at})`.execute(tx)
}

/** Empties the prepaid account of a closed meter; returns what went back to the wallet. */
export async function returnPrepaid(tx: Tx, instanceId: string, at: string): Promise<Micro> {
  const { rows } = await sql<{
    returned: Micro
  }>`select return_prepaid(${instanceId}, ${at}) as returned`.execute(tx)
  return rows[0]!.returned
}

/** Nothing where it runs. */
export async function setMeterPrice(tx: Tx, instanceId: string, hourlyCost: Micro): Promise<void> {
  await sql`select set_meter_price(${instanceId}, ${hourlyCost})`.execute(tx)
}

export async function setMeterLabel(tx: Tx, instanceId: string, label: string): Promise<void> {
  await sql`select set_meter_label(${instanceId}, ${label})`.execute(tx)
}

/** What becomes of the meter at the end of its term, until that comes. */
export async function setTermEnd(
  tx: Tx,
  instanceId: string,
  choice: 'hourly' | 'stop',
  at: string,
): Promise<void> {
  await sql`select set_term_end(${instanceId}, ${choice === 'stop'}, ${at})`.execute(tx)
}

/** The machine was gone, for a cause outside of it, from `from` to `at`: a term ends so much later. */
export async function extendTerm(tx: Tx, instanceId: string, from: string, at: string): Promise<void> {
  await sql`select extend_terms(${[instanceId]}::uuid[], ${from}, ${at}, 'machine_lost', ${at})`.execute(tx)
}

/** It never ran: what was paid for it goes back whole. Returns how much. */
export async function returnFirstStart(tx: Tx, instanceId: string, at: string): Promise<Micro> {
  const { rows } = await sql<{
    returned: Micro
  }>`select return_first_start(${instanceId}, ${at}) as returned`.execute(tx)
  return rows[0]!.returned
}

/** Takes the wallet's lock, the first of every command that may charge; makes the wallet when there is none. */
export async function lockWallet(tx: Tx, userId: string): Promise<void> {
  await sql`select get_or_create_wallet(${userId})`.execute(tx)
  await sql`select lock_wallet(${userId})`.execute(tx)
}

/**
 * Refuses a start that would not leave ten minutes of everything that runs or is starting, in the wallet and in a budget
 * that stops; of its own budget, its own ten minutes. The wallet's lock is held,
 * and the instance itself does not run. Returns what it takes of the wallet.
 */
export async function assertCanRun(
  tx: Tx,
  instanceId: string,
  at: string,
  verb: 'Starting' | 'Restarting' = 'Starting',
): Promise<Micro> {
  const { rows } = await sql<{
    user_id: string
    hourly_cost: string
    prepaid_remaining: string
    paid_until: string | null
    balance: Micro
    reserve: Micro
  }>`
    select m.user_id, usd(m.price_micro) as hourly_cost, usd(p.balance_micro) as prepaid_remaining, m.paid_until,
      w.balance_micro - wallet_owed(m.user_id, ${at}) + credit_left(m.user_id, ${at}) as balance, start_reserve(m.user_id, ${at}) as reserve
    from meter m join ledger_account p on p.id = m.prepaid_account
      join wallets on wallets.user_id = m.user_id join ledger_account w on w.id = wallets.account_id
    where m.id = ${instanceId}`.execute(tx)
  const { user_id, balance, reserve, ...instance } = rows[0]!
  const needs = startNeedsMicro(instance, new Date(at))
  if (coversStart(balance, reserve, needs)) {
    await assertBudgetsCover(tx, user_id, instanceId, reserve, needs, at, verb)
    return needs
  }
  const beside = reserve > 0n ? `, beside ${moneyText(reserve, 'up')} for what runs` : ''
  throw new IngotError('insufficient_funds', {
    message: `Insufficient funds in wallet. ${verb} needs ten minutes in advance: ${moneyText(needs, 'up')}${beside}`,
  })
}

/** Money set aside that is not settled, by kind: it must be before the account may go. */
export async function openHolds(db: Db | Tx, userId: string): Promise<DeletionBlock[]> {
  const { rows } = await sql<{ kinds: DeletionBlock[] }>`select open_holds(${userId}) as kinds`.execute(db)
  return rows[0]!.kinds
}

/** What the wallet holds. Its lock is held and nothing runs, so nothing accrues. */
export async function walletBalance(tx: Tx, userId: string): Promise<Micro> {
  const { rows } = await sql<{ balance: Micro }>`select lock_wallet(${userId}) as balance`.execute(tx)
  return rows[0]!.balance
}

/**
 * Empties the wallet of an account that ends: to what former customers are owed (`refund`), or to what was earned. One
 * that is empty needs no choice.
 */
export async function closeWallet(
  tx: Tx,
  userId: string,
  choice: BalanceChoice | null,
  ref: string,
  at: string,
): Promise<void> {
  await sql`select close_wallet(${userId}, ${choice}, ${ref}, ${at})`.execute(tx)
}

export interface Balance {
  readonly account_id: bigint
  readonly balance_usd: string
  readonly spending_per_hour: string
  readonly drawing_per_hour: string
  readonly empty_at: string | null
  readonly start_reserve: string
  readonly credit: { readonly amount_usd: string; readonly ends_at: string } | null
}

export const runwayDays = 3650

export async function getBalance(pool: pg.Pool, userId: string, at: string): Promise<Balance | null> {
  const { rows } = await pool.query<Balance>({
    name: 'ledger.read-wallet',
    text: `select account_id, usd(balance_micro) as balance_usd, usd(spending_micro) as spending_per_hour,
        usd(drawing_micro) as drawing_per_hour, empty_at, usd(reserve_micro) as start_reserve,
        case when credit_micro > 0 then jsonb_build_object('amount_usd', usd(credit_micro), 'ends_at', rfc3339(credit_ends_at)) end as credit
      from read_wallet($1, $2, $3)`,
    values: [userId, at, runwayDays],
  })
  return rows[0] ?? null
}

/** The ledger's own refusals (raised with these codes) as the API's errors. */
export async function money<T>(query: Promise<T>): Promise<T> {
  try {
    return await query
  } catch (error) {
    const { code, detail } = error as { code?: string; detail?: string }
    if (code === 'IN403') throw deployBeyondBudget(detail!)
    if (code === 'IN429')
      throw new IngotError('invalid_state', {
        message:
          'As many of your instances wait for a place as may wait at a time. Let one of them leave the queue first.',
      })
    if (code !== 'IN402') throw error
    throw new IngotError('insufficient_funds', {
      message: detail
        ? `Insufficient funds in wallet. Beside the charge, ten minutes of what runs must be left: ${moneyText(BigInt(detail), 'up')}`
        : undefined,
    })
  }
}
