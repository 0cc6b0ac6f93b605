/** The charge of a deploy, with what it sets beside it: made at once, or when its turn in the queue has come. */
import type { BudgetInput } from '@ingot/contracts/budgets'
import { type BillingPeriod, terms } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro, moneyText } from '@ingot/contracts/money'
import { setBudget } from '../budgets/set-budget.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { chargeDeploy, setTermEnd } from '../ledger/ledger.ts'

export interface Deploy {
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly gpu_type: string
  readonly gpu_count: number
  readonly billing_period: BillingPeriod
  readonly on_term_end: 'hourly' | 'stop'
}

interface Terms {
  readonly hourly: Micro
  readonly total: Micro
  readonly paidUntil: string | null
  readonly starts: boolean
  readonly budget: BudgetInput | null
  readonly cloneOf?: string | undefined
}

export async function payDeploy(
  tx: Tx,
  row: Deploy,
  { hourly, total, paidUntil, starts, budget, cloneOf }: Terms,
  at: string,
): Promise<void> {
  const { id, user_id: userId, name } = row
  await chargeDeploy(
    tx,
    {
      userId,
      instanceId: id,
      label: name,
      hourlyCost: hourly,
      total,
      paidUntil,
      description: describe(row),
      starts,
    },
    at,
  )
  if (budget)
    assertBudgetCovers(
      await setBudget(tx, userId, { instance_id: id, ...budget }, at, 'budget'),
      budget,
      total,
    )
  if (row.on_term_end === 'stop') await setTermEnd(tx, id, 'stop', at)
  await appendEvent(
    tx,
    {
      userId,
      type: cloneOf ? 'instance.cloned' : 'instance.created',
      subjectId: id,
      at,
      data: { name, charged: formatUsd(total), ...(cloneOf ? { clone_of: cloneOf } : {}) },
    },
    { userId, type: 'wallet.updated', at },
  )
}

/** The charge of a deploy counts already: a budget that stops has to cover it. */
export function assertBudgetCovers(limit: Micro | null, { at_limit }: BudgetInput, total: Micro): void {
  if (at_limit !== 'stop' || limit === null || limit >= total) return
  throw new IngotError('budget_exceeded', {
    message: `A budget of ${moneyText(limit, 'down')} does not cover the ${moneyText(total, 'up')} that the deploy costs`,
    fields: { budget: `must be at least ${moneyText(total, 'up')}, which is paid at once` },
  })
}

function describe({ name, billing_period, gpu_count, gpu_type }: Deploy): string {
  const what =
    billing_period === 'hourly'
      ? 'initial setup, first hour prepaid'
      : `upfront payment for ${terms[billing_period].label}`
  return `${name}: ${what}, ${gpu_count} × ${gpu_type}`
}
