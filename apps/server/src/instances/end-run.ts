import { IngotError } from '@ingot/contracts/errors'
import { whyNot } from '@ingot/contracts/instances'
import { assertNotBanned } from '../auth/banned.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { assertCanRun, closeMeter, lockWallet } from '../ledger/ledger.ts'
import { forgetEnds } from './chosen-template.ts'
import { stopUnpaid, tellCharged, usageOf } from './last-line.ts'
import { lockInstance } from './queries.ts'
import { isTermOver } from './term.ts'
import { unpaidText } from './unpaid-text.ts'

/** What stop and restart have in common: the run is charged up to this moment, and the machine is to stop. */
export async function endRun(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
  verb: 'stop' | 'restart',
  /** Of a stop that nobody asked for. */
  why?: { readonly reason: 'idle' | 'volume_lapsed' | 'suspended' | 'maintenance'; readonly message: string },
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const refusal = whyNot(verb, row.status)
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  // Read once the wallet is ours: a settlement that went before us must not have charged past this moment.
  const at = clock.iso()
  const last = await closeMeter(tx, id, at, verb)
  if (last?.closed_at) {
    const unpaid = unpaidText(verb, row, last.closed_at, at)
    await stopUnpaid(tx, row, last, at, unpaid)
    if (verb === 'restart')
      await appendEvent(tx, {
        userId,
        type: 'instance.restart_failed',
        subjectId: id,
        at,
        data: { name: row.name, message: unpaid },
      })
    return
  }
  // Its term ended before, and the settlement has stopped it.
  if (isTermOver(row, row.started_at, at)) {
    if (last) await tellCharged(tx, row, last)
    return
  }
  if (verb === 'restart') {
    await assertNotBanned(tx, userId)
    await assertCanRun(tx, id, at, 'Restarting')
    await forgetEnds(tx, id)
    if (last) await tellCharged(tx, row, last)
  }
  await tx
    .updateTable('gpu_instances')
    .set({
      status: 'stopping',
      desired: verb === 'restart' ? 'running' : 'stopped',
      restarting: verb === 'restart',
      stopped_at: at,
      ...(why ? { status_reason: why.reason, status_message: why.message } : {}),
      attempts: 0,
      due_at: at,
      updated_at: at,
    })
    .where('id', '=', id)
    .execute()
  await appendEvent(tx, {
    userId,
    type:
      verb === 'restart'
        ? 'instance.restarted'
        : why?.reason === 'idle'
          ? 'instance.auto_stopped'
          : 'instance.stopped',
    subjectId: id,
    at,
    data: { name: row.name, ...(verb === 'stop' ? usageOf(last) : {}), message: why?.message },
  })
}
