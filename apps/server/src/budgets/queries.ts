/** Every read of budgets. */
import { type AllBudgets, type Budget, usedPercent } from '@ingot/contracts/budgets'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import type { Db, Tx } from '../db/database.ts'
import { type BudgetNow, budgetsNow } from '../ledger/budgets.ts'

const byUse = (a: Budget, b: Budget) => b.used_percent - a.used_percent

/** Of instances that are gone only the history is left. */
export async function getBudgets(db: Db | Tx, userId: string, at: string): Promise<AllBudgets> {
  const rows = await budgetsNow(db, userId, at)
  const account = rows.find(row => row.meter_id === null)
  const instances = await db
    .selectFrom('gpu_instances')
    .select(['id', 'name', 'created_at'])
    .where('user_id', '=', userId)
    .where('status', '<>', 'terminated')
    .where(({ eb, fn, val }) => eb('id', '=', fn.any(val(rows.flatMap(row => row.meter_id ?? [])))))
    .execute()
  const byId = new Map(rows.map(row => [row.meter_id, row]))
  return {
    account: account ? budgetOf(account, ...monthOf(account.month!)) : null,
    instances: instances
      .map(({ id, name, created_at }) => ({
        ...budgetOf(byId.get(id)!, created_at, null),
        instance_id: id,
        name,
      }))
      .toSorted((a, b) => byUse(a, b) || a.name.localeCompare(b.name)),
  }
}

const monthOf = (month: Date): [string, string] => [
  month.toISOString(),
  new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1)).toISOString(),
]

function budgetOf(
  { limit_micro, at_limit, spent_micro, reached_at }: BudgetNow,
  period_start: string,
  period_end: string | null,
): Budget {
  const spent = spent_micro > 0n ? spent_micro : 0n
  return {
    limit: formatUsd(limit_micro),
    at_limit,
    spent: formatUsd(spent),
    left: formatUsd(limit_micro > spent ? limit_micro - spent : 0n),
    used_percent: usedPercent(spent, limit_micro, reached_at !== null),
    period_start,
    period_end,
    reached_at,
  }
}

/** Another user's instance does not exist, nor does one that is deleted. */
export async function assertOwnInstance(tx: Tx, userId: string, id: string): Promise<void> {
  const row = await tx
    .selectFrom('gpu_instances as i')
    .leftJoin('meter as m', 'm.id', 'i.id')
    .select('m.id as meter')
    .where('i.id', '=', id)
    .where('i.user_id', '=', userId)
    .where('i.status', '<>', 'terminated')
    .where('i.desired', '<>', 'deleted')
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  if (!row.meter)
    throw new IngotError('invalid_state', {
      message:
        'It waits for its deploy, and costs nothing until then. Its budget can be set once it has its place.',
    })
}
