/** What budgets refuse. A budget that stops is to a start and a deploy what a balance is, beside the balance. */
import { IngotError } from '@ingot/contracts/errors'
import { coversStart } from '@ingot/contracts/instance-costs'
import { type Micro, moneyText } from '@ingot/contracts/money'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'

/** A budget that holds now; `meter_id` is null in the account's. */
export interface BudgetNow {
  readonly meter_id: string | null
  readonly month: Date | null
  readonly limit_micro: Micro
  readonly at_limit: 'warn' | 'stop'
  /** With what has accrued. */
  readonly spent_micro: Micro
  readonly reached_at: string | null
}

export async function budgetsNow(db: Db | Tx, userId: string, at: string): Promise<BudgetNow[]> {
  const { rows } = await sql<BudgetNow>`select * from budgets_now(${userId}, ${at})`.execute(db)
  return rows
}

const leftOf = ({ limit_micro, spent_micro }: BudgetNow) =>
  limit_micro > spent_micro ? limit_micro - spent_micro : 0n
const whose = (own: boolean) => (own ? "The instance's budget" : "The account's budget for this month")
const says = (own: boolean, limit: Micro, left: Micro) =>
  `${whose(own)} of ${moneyText(limit, 'down')} has ${moneyText(left, 'down')} left`
const refusal = (own: boolean, limit: Micro, left: Micro, needs: string) =>
  new IngotError('budget_exceeded', {
    message: `${says(own, limit, left)}. ${needs}`,
    fields: {
      [own ? 'instance_budget' : 'account_budget']:
        `has ${moneyText(left, 'down')} of ${moneyText(limit, 'down')} left`,
    },
  })
const beside = (reserve: Micro) => (reserve > 0n ? `, beside ${moneyText(reserve, 'up')} for what runs` : '')

/** Refuses a start that a budget would end within ten minutes, of it or of what runs beside it. */
export async function assertBudgetsCover(
  tx: Tx,
  userId: string,
  instanceId: string,
  reserve: Micro,
  needs: Micro,
  at: string,
  verb: string,
): Promise<void> {
  for (const budget of await budgetsNow(tx, userId, at)) {
    const own = budget.meter_id === instanceId
    if (budget.at_limit === 'warn' || (!own && budget.meter_id !== null)) continue
    const left = leftOf(budget)
    const others = own ? 0n : reserve
    if (coversStart(left, others, needs)) continue
    throw refusal(
      own,
      budget.limit_micro,
      left,
      `${verb} needs ten minutes in advance: ${moneyText(needs, 'up')}${beside(others)}`,
    )
  }
}

/** The refusal of `deploy_charge`, with the figures that it raised. */
export function deployBeyondBudget(detail: string): IngotError {
  const { limit, left, charge, reserve } = JSON.parse(detail) as Record<string, string>
  const others = BigInt(reserve!)
  return refusal(
    false,
    BigInt(limit!),
    BigInt(left!),
    `This costs ${moneyText(BigInt(charge!), 'up')} at once${beside(others)}`,
  )
}
