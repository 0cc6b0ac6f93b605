/**
 * A clone's own copy of the volume of its source: a snapshot of it, and a new volume that is made of that once it is there.
 * Both are asked for and paid with the clone. What can't be made returns its price, and the clone stays without a volume.
 */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import { maxVolumeName } from '@ingot/contracts/volumes'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { insertVolume, withRoom } from '../../volumes/create-volume.ts'
import { lockSnapshot, lockVolume } from '../../volumes/queries.ts'
import { takeSnapshot } from '../../volumes/snapshots/take-snapshot.ts'
import type { StoreNeeds } from '../../volumes/stores.ts'
import type { InstanceRow } from '../queries.ts'
import { findInstance } from '../queries.ts'

const copySuffix = '-clone'

/** The clone is in this transaction, and does not run. */
export async function cloneVolume(
  tx: Tx,
  needs: StoreNeeds & { readonly clock: Clock },
  userId: string,
  source: InstanceRow,
  cloneId: string,
  quoted: string | undefined,
): Promise<void> {
  if (source.network_volume_id === null)
    throw new IngotError('validation_failed', {
      fields: { clone_volume: `is not possible: ${source.name} has no volume` },
    })
  const clone = await findInstance(tx, userId, cloneId)
  const snapshotId = await takeSnapshot(tx, needs, userId, {
    id: source.network_volume_id,
    name: `for ${clone.name}`.slice(0, maxVolumeName),
  })
  const volume = await lockVolume(tx, userId, source.network_volume_id)
  const snapshot = await lockSnapshot(tx, userId, snapshotId)
  const total = formatUsd(snapshot.month_micro + volume.month_micro)
  if (quoted !== undefined && quoted !== total)
    throw new IngotError('price_changed', { fields: { quoted_volume_total: `is now ${total}` } })
  if (clone.host_id !== null && volume.host_id !== null && clone.host_id !== volume.host_id)
    throw new IngotError('no_capacity', {
      message: `The clone would be on another host than the volume ${volume.name}. Clone it without a term and as stopped.`,
    })
  const { region, driver, host_id, size_gb } = volume
  const id = await insertVolume(
    tx,
    needs,
    userId,
    {
      name: `${volume.name.slice(0, maxVolumeName - copySuffix.length)}${copySuffix}`,
      size_gb,
      region,
      driver,
      host_id,
      restored_from: snapshotId,
    },
    'volume.restored',
  )
  await withRoom(region, () =>
    tx
      .updateTable('gpu_instances')
      .set({ network_volume_id: id, host_id: clone.host_id ?? host_id })
      .where('id', '=', cloneId)
      .execute(),
  )
}
