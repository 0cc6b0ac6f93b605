/**
 * What is paid by the month, in advance: volumes and snapshots. A month costs what was agreed, to the micro-dollar; the
 * rules are the ledger's (`functions.sql`), and the wallet's lock is held as there.
 */
import { IngotError } from '@ingot/contracts/errors'
import { type Micro, moneyText } from '@ingot/contracts/money'
import { hourOfMonth } from '@ingot/contracts/volume/prices'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { money } from './ledger.ts'

interface MonthCharge {
  readonly userId: string
  /** Of the volume or snapshot, and of its meter. */
  readonly id: string
  readonly kind: 'volume' | 'snapshot'
  readonly label: string
  readonly month: Micro
  readonly description: string
}

/** Pays its first month, which begins with `openMonth`. An hour is rounded down: the rest of it stays prepaid. */
export async function chargeMonth(tx: Tx, charge: MonthCharge, at: string): Promise<void> {
  const { id, month } = charge
  await money(
    sql`select deploy_charge(${charge.userId}, ${id}, ${charge.label}, ${hourOfMonth(month)}, ${month}, null,
      ${charge.description}, ${at}, false, ${charge.kind})`.execute(tx),
  )
}

/** It is there: its month begins, and renews by itself. */
export async function openMonth(tx: Tx, id: string, at: string): Promise<void> {
  await sql`select open_meter(${id}, ${at})`.execute(tx)
}

/** Pays the month of what lapsed, from when it lapsed. */
export async function reviveMonth(tx: Tx, id: string, at: string): Promise<void> {
  try {
    await sql`select revive_meter(${id}, ${at})`.execute(tx)
  } catch (error) {
    const { code, detail } = error as { code?: string; detail?: string }
    if (code === 'IN402')
      throw new IngotError('insufficient_funds', {
        message: `Insufficient funds in wallet. Its month costs ${moneyText(BigInt(detail!), 'up')}`,
      })
    if (code === 'IN409')
      throw new IngotError('invalid_state', { message: 'It is over: nothing revives it.' })
    throw error
  }
}

/** Charges what is due up to `at`, and tells when its month ends; null: none runs. */
export async function settleMonth(tx: Tx, id: string, at: string): Promise<string | null> {
  const { rows } = await sql<{
    ends_at: string | null
  }>`select settle_month(${id}, ${at}) as ends_at`.execute(tx)
  return rows[0]!.ends_at
}

/**
 * Pays what the rest of a month will cost more. Its month is the larger one with `setMonth`; until then `returnGrowth`
 * gives all of it back. Returns the transfer; null: there was nothing to pay.
 */
export async function payGrowth(
  tx: Tx,
  {
    id,
    key,
    cost,
    words,
  }: { readonly id: string; readonly key: string; readonly cost: Micro; readonly words: string },
  at: string,
): Promise<bigint | null> {
  const { rows } = await money(
    sql<{
      transfer: bigint | null
    }>`select pay_growth(${id}, ${key}, ${cost}, ${words}, ${at}) as transfer`.execute(tx),
  )
  return rows[0]!.transfer
}

/** How much came back. */
export async function returnGrowth(tx: Tx, id: string, transfer: bigint, at: string): Promise<Micro> {
  const { rows } = await sql<{ returned: Micro }>`
    select return_growth(${id}, ${transfer}, ${at}) as returned`.execute(tx)
  return rows[0]!.returned
}

/** What its months cost from `at` on. */
export async function setMonth(tx: Tx, id: string, month: Micro, at: string): Promise<void> {
  await sql`select set_month(${id}, ${month}, ${hourOfMonth(month)}, ${at})`.execute(tx)
}

/** Its month has not begun and costs less than was paid: how much came back. */
export async function lowerMonth(tx: Tx, id: string, month: Micro, at: string): Promise<Micro> {
  const { rows } = await sql<{ returned: Micro }>`
    select lower_month(${id}, ${month}, ${hourOfMonth(month)}, ${at}) as returned`.execute(tx)
  return rows[0]!.returned
}
