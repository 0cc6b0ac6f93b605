import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { leaveQueue, lockWallet } from '../ledger/ledger.ts'
import { deleteInstance } from './delete-instance.ts'
import { lockInstance } from './queries.ts'
import { findWait } from './queue/find-wait.ts'

/** Waits for a place no longer: what was never deployed is deleted, what was stopped stays stopped. */
export async function leaveInstanceQueue(
  tx: Tx,
  needs: { clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const wait = await findWait(tx, id)
  if (!wait) throw new IngotError('invalid_state', { message: 'This instance does not wait for a place.' })
  if (wait.total_micro !== null) return deleteInstance(tx, needs, userId, id)
  const at = needs.clock.iso()
  const back = await leaveQueue(tx, id, at)
  await tx
    .updateTable('gpu_instances')
    .set({ status_reason: null, status_message: null, updated_at: at })
    .where('id', '=', id)
    .execute()
  await appendEvent(
    tx,
    {
      userId,
      type: 'instance.queue_left',
      subjectId: id,
      at,
      data: { name: row.name, returned: formatUsd(back ?? 0n), message: 'It waits for a place no longer.' },
    },
    { userId, type: 'wallet.updated', at },
  )
}
