/** Waiting for a place: what is needed for the start is set aside, and the row says that it waits. */
import { maxQueued } from '@ingot/contracts/instance/places'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import { budgetMicro } from '../../budgets/set-budget.ts'
import { NoPlace } from '../../catalog/places.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { newId } from '../../db/ids.ts'
import { inSavepoint } from '../../db/savepoint.ts'
import { enterQueue } from '../../ledger/ledger.ts'
import { assertBudgetCovers, type Deploy } from '../pay-deploy.ts'
import type { BudgetInput } from '@ingot/contracts/budgets'
import type { InstanceRow } from '../queries.ts'

/** What `work` returns; null where it finds no place, and then nothing of it is left. */
export async function unlessFull<T>(tx: Tx, work: () => Promise<T>): Promise<T | null> {
  try {
    return await inSavepoint(tx, work)
  } catch (error) {
    if (error instanceof NoPlace) return null
    throw error
  }
}

interface Wait {
  readonly hourly: Micro
  readonly total: Micro
  readonly starts: boolean
  readonly budget: BudgetInput | null
  readonly cloneOf?: string | undefined
}

/** A deploy waits: nothing is charged, and its price is kept. */
export async function queueDeploy(
  tx: Tx,
  { id, user_id, name }: Deploy,
  { hourly, total, starts, budget, cloneOf }: Wait,
  at: string,
): Promise<void> {
  if (budget) assertBudgetCovers(budgetMicro(budget.limit, 'budget'), budget, total)
  const wait = {
    id: newId(),
    userId: user_id,
    instanceId: id,
    hourlyCost: hourly,
    total,
    starts,
    budget,
    setAside: total,
  }
  await enterQueue(tx, wait, maxQueued, at)
  await tell(
    tx,
    user_id,
    id,
    { name, set_aside: formatUsd(total), ...(cloneOf ? { clone_of: cloneOf } : {}) },
    at,
  )
}

/** A stopped instance waits for its start, with the ten minutes set aside that it needs of the wallet. */
export async function queueStart(tx: Tx, row: InstanceRow, setAside: Micro, at: string): Promise<void> {
  const { id, user_id, name, hourly_cost_micro } = row
  const wait = {
    id: newId(),
    userId: user_id,
    instanceId: id,
    hourlyCost: hourly_cost_micro,
    total: null,
    starts: true,
    budget: null,
    setAside,
  }
  await enterQueue(tx, wait, maxQueued, at)
  await tx
    .updateTable('gpu_instances')
    .set({ status_reason: 'queued', status_message: null, updated_at: at })
    .where('id', '=', id)
    .execute()
  await tell(tx, user_id, id, { name, set_aside: formatUsd(setAside) }, at)
}

const tell = (tx: Tx, userId: string, subjectId: string, data: Record<string, string>, at: string) =>
  appendEvent(
    tx,
    { userId, type: 'instance.queued', subjectId, at, data },
    { userId, type: 'wallet.updated', at },
  )
