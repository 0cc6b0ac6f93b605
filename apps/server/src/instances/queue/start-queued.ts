/**
 * The turn of one that waits: what was set aside is back in the wallet, the charge that it was for is made at the price
 * that was shown, and the place is taken, in one transaction. Any refusal leaves it waiting, with its money set aside.
 */
import { termEnd } from '@ingot/contracts/catalog'
import { formatUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { assertNotBanned } from '../../auth/banned.ts'
import { placeInstance } from '../../catalog/places.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { assertCanRun, takeQueued } from '../../ledger/ledger.ts'
import { payDeploy } from '../pay-deploy.ts'
import type { InstanceRow } from '../queries.ts'

/** False: it does not wait any more. The wallet and the row are locked. The charge comes first: the host's lock is the last. */
export async function startQueued(
  tx: Tx,
  row: InstanceRow,
  at: string,
  /** Nobody asked for it now, so its owner is told by mail. */
  isTold = false,
): Promise<boolean> {
  await assertNotBanned(tx, row.user_id)
  const wait = await takeQueued(tx, row.id, at)
  if (!wait) return false
  const isNew = wait.total_micro !== null
  const isTerm = isNew && row.billing_period !== 'hourly'
  const paidUntil =
    isTerm && row.billing_period !== 'hourly' ? termEnd(row.billing_period, new Date(at)).toISOString() : null
  if (wait.total_micro === null) await assertCanRun(tx, row.id, at)
  else
    await payDeploy(
      tx,
      row,
      {
        hourly: row.hourly_cost_micro,
        total: wait.total_micro,
        paidUntil,
        starts: wait.starts,
        budget: wait.budget,
      },
      at,
    )
  const until = wait.starts ? null : paidUntil
  const host_id = await placeInstance(tx, { ...row, turn: wait.turn }, at, until)
  await tx
    .updateTable('gpu_instances')
    .set({
      ...(isNew ? { created_at: at, paid_until: paidUntil } : {}),
      ...(wait.starts
        ? {
            status: 'starting' as const,
            desired: 'running' as const,
            started_at: at,
            stopped_at: null,
            last_activity_at: at,
            due_at: at,
          }
        : {}),
      status_reason: null,
      status_message: null,
      attempts: 0,
      updated_at: at,
      host_id,
    })
    .where('id', '=', row.id)
    .execute()
  const { user_id: userId, name } = row
  await appendEvent(
    tx,
    {
      userId,
      type: 'instance.turn_came',
      subjectId: row.id,
      at,
      data: { name, message: 'It has waited for its place, and has it.' },
    },
    ...(wait.starts
      ? [{ userId, type: 'instance.starting' as const, subjectId: row.id, at, data: { name } }]
      : []),
    { userId, type: 'wallet.updated', at },
  )
  if (isTold)
    await sql`select queue_notice(${userId}, 'queue_started', 'mail', ${JSON.stringify({ at, name, starts: wait.starts, hourly: formatUsd(row.hourly_cost_micro) })}::jsonb)`.execute(
      tx,
    )
  return true
}
