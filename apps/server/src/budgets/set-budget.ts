import { type AtLimit, budgetProblem } from '@ingot/contracts/budgets'
import { IngotError } from '@ingot/contracts/errors'
import { type Micro, parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

export interface BudgetWish {
  /** Null: the account's. */
  readonly instance_id: string | null
  /** Null: no budget. */
  readonly limit: string | null
  readonly at_limit: AtLimit
}

/** Sets or removes one budget; returns its limit. The instance is the caller's. `field`: what holds the limit. */
export async function setBudget(
  tx: Tx,
  userId: string,
  { instance_id, limit, at_limit }: BudgetWish,
  at: string,
  field = 'limit',
): Promise<Micro | null> {
  const micro = limit === null ? null : budgetMicro(limit, field)
  await sql`select set_budget(${userId}, ${instance_id}, ${micro}, ${at_limit}, ${at})`.execute(tx)
  return micro
}

/** A limit as an amount. `field`: what holds it. */
export function budgetMicro(limit: string, field: string): Micro {
  const problem = budgetProblem(limit)
  if (problem) throw new IngotError('validation_failed', { fields: { [field]: problem } })
  return parseUsd(limit)
}
