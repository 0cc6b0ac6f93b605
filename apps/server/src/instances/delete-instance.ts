import { IngotError } from '@ingot/contracts/errors'
import { whyNot } from '@ingot/contracts/instances'
import { formatUsd } from '@ingot/contracts/money'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { closeMeter, leaveQueue, lockWallet, returnPrepaid } from '../ledger/ledger.ts'
import { stopUnpaid, usageOf } from './last-line.ts'
import { findWait } from './queue/find-wait.ts'
import { lockInstance } from './queries.ts'
import { isTermOver } from './term.ts'

/**
 * Ends it in any state: charged up to now, what is left of the deploy charge returns at once, the loop destroys the
 * machine.
 */
export async function deleteInstance(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const refusal = row.desired === 'deleted' ? 'This instance is being deleted.' : whyNot('delete', row.status)
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  const at = clock.iso()
  const wait = row.status_reason === 'queued' ? await findWait(tx, id) : undefined
  const back = wait ? await leaveQueue(tx, id, at) : null
  // What was never deployed has no meter.
  const isDeployed = wait?.total_micro == null
  const last = isDeployed ? await closeMeter(tx, id, at, 'delete') : undefined
  if (last?.closed_at) await stopUnpaid(tx, row, last, at)
  const returned = (isDeployed ? await returnPrepaid(tx, id, at) : 0n) + (back ?? 0n)
  await tx
    .updateTable('gpu_instances')
    .set({
      status: 'stopping',
      desired: 'deleted',
      restarting: false,
      ...(wait ? { status_reason: null, status_message: null } : {}),
      stopped_at: row.status === 'running' ? at : (row.stopped_at ?? at),
      attempts: 0,
      due_at: at,
      updated_at: at,
    })
    .where('id', '=', id)
    .execute()
  const fact = { userId, subjectId: id, at }
  if (row.status === 'running' && !last?.closed_at && !isTermOver(row, row.started_at, at)) {
    await appendEvent(tx, { ...fact, type: 'instance.stopped', data: { name: row.name, ...usageOf(last) } })
  }
  await appendEvent(
    tx,
    { ...fact, type: 'instance.deleted', data: { name: row.name, returned: formatUsd(returned) } },
    { userId, type: 'wallet.updated', at },
  )
}
