/** Destroys a snapshot. What is left of its month returns at once, and the loop destroys what is stored. */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { closeMeter, lockWallet, returnPrepaid } from '../../ledger/ledger.ts'
import { lockSnapshot } from '../queries.ts'

export async function deleteSnapshot(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockSnapshot(tx, userId, id)
  if (row.status === 'deleting') return
  const restored = await tx
    .selectFrom('network_volumes')
    .select('name')
    .where('restored_from', '=', id)
    .where('status', '=', 'creating')
    .executeTakeFirst()
  if (restored)
    throw new IngotError('invalid_state', {
      message: `${restored.name} is being made of it. Delete it when that is available.`,
    })
  const at = clock.iso()
  await closeMeter(tx, id, at, 'delete')
  const returned = await returnPrepaid(tx, id, at)
  await tx
    .updateTable('volume_snapshots')
    .set({ status: 'deleting', status_message: null, attempts: 0, due_at: at, updated_at: at })
    .where('id', '=', id)
    .execute()
  await appendEvent(
    tx,
    {
      userId,
      type: 'volume.snapshot_deleted',
      subjectId: id,
      at,
      data: {
        name: row.volume_name,
        volume_id: row.volume_id,
        returned: formatUsd(returned),
        message: row.name,
      },
    },
    { userId, type: 'wallet.updated', at },
  )
}
