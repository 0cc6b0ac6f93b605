/**
 * Destroys a volume with its data. It is taken off its instance first; where that can't be done while the instance runs,
 * it is refused. What is left of its month returns at once, and the loop destroys it.
 */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { closeMeter, lockWallet, returnPrepaid } from '../ledger/ledger.ts'
import { lockHolder, lockVolume } from './queries.ts'

/** A machine may have its disks in use. */
export const isUpAs = (status: string): boolean => status !== 'stopped' && status !== 'terminated'

export async function deleteVolume(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await lockWallet(tx, userId)
  const holder = await lockHolder(tx, userId, id)
  const row = await lockVolume(tx, userId, id)
  if (row.status === 'deleting') return
  if (holder && isUpAs(holder.status) && holder.desired !== 'deleted')
    throw new IngotError('invalid_state', {
      message: `It is attached to ${holder.name}, which is ${holder.status}. Stop that instance, or detach the volume, first.`,
    })
  const at = clock.iso()
  await closeMeter(tx, id, at, 'delete')
  const returned = await returnPrepaid(tx, id, at)
  if (holder)
    await tx
      .updateTable('gpu_instances')
      .set({ network_volume_id: null, updated_at: at })
      .where('id', '=', holder.id)
      .execute()
  await tx
    .updateTable('network_volumes')
    .set({ status: 'deleting', status_message: null, attempts: 0, due_at: at, updated_at: at })
    .where('id', '=', id)
    .execute()
  await appendEvent(
    tx,
    {
      userId,
      type: 'volume.deleted',
      subjectId: id,
      at,
      data: { name: row.name, returned: formatUsd(returned) },
    },
    { userId, type: 'wallet.updated', at },
  )
}
