/** Limits that customers set themselves: of an instance over its life, of the account in a month (UTC). */
import * as z from 'zod/mini'
import { type Micro, parseUsd } from './money.ts'
import { id, nothing, operation, timestamp, usd } from './operation.ts'

/** What becomes of a budget that is used up: it is told, or what draws on it stops. */
export const atLimits = ['warn', 'stop'] as const
export type AtLimit = (typeof atLimits)[number]
/** The shares of a budget that are told, each once. */
export const budgetShares = [50, 80, 100] as const
export const maxBudget = '1000000'

/** Dollars: "50", "50.00". More than nothing, at most `maxBudget`. */
export const budgetLimit = z.string().check(z.regex(/^[0-9]{1,7}(\.[0-9]{1,6})?$/))
export const budgetInput = z.object({ limit: budgetLimit, at_limit: z.enum(atLimits) })
export type BudgetInput = z.infer<typeof budgetInput>

/** What is wrong with a limit as it is typed; null: nothing. */
export function budgetProblem(limit: string): string | null {
  const isAmount = budgetLimit.safeParse(limit).success
  const isInRange = isAmount && parseUsd(limit) > 0n && parseUsd(limit) <= parseUsd(maxBudget)
  return isInRange ? null : 'must be an amount in dollars, more than 0 and at most 1,000,000'
}

export const budget = z.object({
  limit: usd,
  at_limit: z.enum(atLimits),
  /** What the wallet paid, less what returned, with what has accrued up to now. */
  spent: usd,
  /** Nothing where more was spent than the limit. */
  left: usd,
  used_percent: z.int(),
  /** The month of an account's; of an instance's when that was deployed. */
  period_start: timestamp,
  /** Null: it lasts as long as the instance. */
  period_end: z.nullable(timestamp),
  /** When it was used up in this period. */
  reached_at: z.nullable(timestamp),
})
export type Budget = z.infer<typeof budget>

export const instanceBudget = z.extend(budget, { instance_id: id, name: z.string() })
export type InstanceBudget = z.infer<typeof instanceBudget>

export const allBudgets = z.object({
  account: z.nullable(budget),
  /** Those used most first. */
  instances: z.array(instanceBudget),
})
export type AllBudgets = z.infer<typeof allBudgets>

/** In whole hundredths. One that stopped something is used up, though a part of a cent may be left. */
export function usedPercent(spent: Micro, limit: Micro, isReached: boolean): number {
  const percent = spent > 0n ? Number((spent * 100n) / limit) : 0
  return isReached && percent === 99 ? 100 : percent
}

export const budgets = {
  get: operation({
    id: 'getBudgets',
    method: 'GET',
    path: '/v1/budgets',
    who: 'user',
    actable: true,
    summary: 'The budget of your account for this month (UTC), and those of your instances',
    input: nothing,
    output: allBudgets,
    status: 200,
    errors: [],
  }),
  set: operation({
    id: 'setBudget',
    method: 'PUT',
    path: '/v1/budgets',
    who: 'user',
    summary: 'Set one budget, or remove it: what a budget that stops does not cover stops at once',
    input: z.object({
      /** Null: the account's. */
      instance_id: z.nullable(id),
      /** Null: no budget. */
      limit: z.nullable(budgetLimit),
      at_limit: z._default(z.enum(atLimits), 'stop'),
    }),
    output: allBudgets,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
}
