/** A new volume that holds what a snapshot does. It is made where the snapshot lies, and charged as any new volume. */
import { IngotError } from '@ingot/contracts/errors'
import type { Tx } from '../../db/database.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { type CreateNeeds, insertVolume } from '../create-volume.ts'
import { lockSnapshot } from '../queries.ts'
import { storeForSale } from '../stores.ts'

export interface RestoreWish {
  readonly id: string
  readonly name: string
  /** Without it the snapshot's. */
  readonly size_gb?: number
  readonly quoted_total?: string
}

export async function restoreSnapshot(
  tx: Tx,
  needs: CreateNeeds,
  userId: string,
  { id, size_gb, ...wish }: RestoreWish,
): Promise<string> {
  await lockWallet(tx, userId)
  const row = await lockSnapshot(tx, userId, id)
  if (row.status !== 'available')
    throw new IngotError('invalid_state', {
      message: row.status === 'creating' ? 'The snapshot is being taken.' : 'The snapshot is being deleted.',
    })
  if (row.lapsed_at !== null)
    throw new IngotError('invalid_state', {
      message: 'The month of this snapshot is not paid. Restore that first.',
    })
  if (size_gb !== undefined && size_gb < row.size_gb)
    throw new IngotError('validation_failed', {
      fields: { size_gb: `is to be at least ${row.size_gb}: the snapshot needs so much` },
    })
  await storeForSale(tx, needs, row.region)
  const { region, driver, host_id } = row
  const place = { region, driver, host_id, restored_from: id }
  return insertVolume(
    tx,
    needs,
    userId,
    { ...wish, ...place, size_gb: size_gb ?? row.size_gb },
    'volume.restored',
  )
}
