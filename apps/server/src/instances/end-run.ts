import { IngotError } from '@ingot/contracts/errors'
import { usedMicro } from '@ingot/contracts/instance-costs'
import { whyNot } from '@ingot/contracts/instances'
import { moneyText } from '@ingot/contracts/money'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { assertCanRun, closeMeter, lockWallet } from '../ledger/ledger.ts'
import { applySettlement, usageOf } from './apply-settlement.ts'
import { type InstanceRow, lockInstance } from './queries.ts'

/** What stop and restart have in common: the run is charged up to this moment, and the machine is to stop. */
export async function endRun(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
  verb: 'stop' | 'restart',
  /** Why it is stopped as idle. */
  idleMessage?: string,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const refusal = whyNot(verb, row.status)
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  // Read once the wallet is ours: a settlement that went before us must not have charged past this moment.
  const at = clock.iso()
  const { last, exhausted } = await applySettlement(
    tx,
    userId,
    await closeMeter(tx, id, at),
    at,
    verb === 'stop' ? id : undefined,
    (ended, closedAt) => (ended === id ? unpaidText(verb, row, closedAt, at) : undefined),
  )
  if (exhausted.has(id)) return
  if (verb === 'restart') await assertCanRun(tx, id, at, 'Restarting')
  await tx
    .updateTable('gpu_instances')
    .set({
      status: 'stopping',
      desired: verb === 'restart' ? 'running' : 'stopped',
      restarting: verb === 'restart',
      stopped_at: at,
      ...(idleMessage ? { status_reason: 'idle', status_message: idleMessage } : {}),
      attempts: 0,
      due_at: at,
      updated_at: at,
    })
    .where('id', '=', id)
    .execute()
  await appendEvent(tx, {
    userId,
    type:
      verb === 'restart' ? 'instance.restarted' : idleMessage ? 'instance.auto_stopped' : 'instance.stopped',
    subjectId: id,
    at,
    data: { name: row.name, ...(verb === 'stop' ? usageOf(last) : {}), message: idleMessage },
  })
}

/** The specification's words for what ran on after the balance had ended, which nobody pays; none when that is nothing. */
function unpaidText(
  verb: 'stop' | 'restart',
  { hourly_cost_micro }: InstanceRow,
  closedAt: string,
  at: string,
): string | undefined {
  const micro = usedMicro(hourly_cost_micro, Date.parse(at) - Date.parse(closedAt))
  if (micro === 0n) return undefined
  return verb === 'stop'
    ? `Instance stopped but couldn't charge ${moneyText(micro)} for usage. Please add funds to your wallet.`
    : `Couldn't charge ${moneyText(micro)} for usage before restart. Please add funds to your wallet.`
}
