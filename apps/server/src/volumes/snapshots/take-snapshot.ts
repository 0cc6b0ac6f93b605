/**
 * Keeps what a volume holds now. Its first month is paid now by the bytes that the volume was last seen to use, or by its
 * size where nobody measures; what is stored in the end counts, never more than was shown, and the difference returns.
 */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import { snapshotMonthMicro } from '@ingot/contracts/volume/prices'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { newId } from '../../db/ids.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { chargeMonth } from '../../ledger/months.ts'
import { assertQuote, withRoom } from '../create-volume.ts'
import { isUpAs } from '../delete-volume.ts'
import { lockHolder, lockVolume, type VolumeRow } from '../queries.ts'
import { storeOf, type StoreNeeds } from '../stores.ts'

const gibibyte = 2n ** 30n

export interface SnapshotWish {
  readonly id: string
  readonly name?: string
  readonly quoted_total?: string
}

export async function takeSnapshot(
  tx: Tx,
  needs: StoreNeeds & { readonly clock: Clock },
  userId: string,
  { id: volumeId, name: given, quoted_total }: SnapshotWish,
): Promise<string> {
  await lockWallet(tx, userId)
  const holder = await lockHolder(tx, userId, volumeId)
  const volume = await lockVolume(tx, userId, volumeId)
  const reason = await whyNot(tx, needs, volume, holder)
  if (reason) throw new IngotError('invalid_state', { message: reason })

  const at = needs.clock.iso()
  const id = newId()
  const name = given?.trim() ?? `${at.slice(0, 16).replace('T', ' ')} UTC`
  const month = snapshotMonthMicro(volume.used_bytes ?? BigInt(volume.size_gb) * gibibyte)
  assertQuote(quoted_total, month)
  const label = `${volume.name}, ${name}`
  await chargeMonth(
    tx,
    { userId, id, kind: 'snapshot', label, month, description: `${label}: first month of a snapshot` },
    at,
  )
  await withRoom(volume.region, () =>
    tx
      .insertInto('volume_snapshots')
      .values({
        id,
        user_id: userId,
        volume_id: volumeId,
        volume_name: volume.name,
        name,
        region: volume.region,
        driver: volume.driver,
        host_id: volume.host_id,
        size_gb: volume.size_gb,
        month_micro: month,
        created_at: at,
        updated_at: at,
        due_at: at,
      })
      .execute(),
  )
  await appendEvent(
    tx,
    {
      userId,
      type: 'volume.snapshot_taken',
      subjectId: id,
      at,
      data: { name: volume.name, volume_id: volumeId, charged: formatUsd(month), message: name },
    },
    { userId, type: 'wallet.updated', at },
  )
  return id
}

async function whyNot(
  tx: Tx,
  needs: StoreNeeds,
  volume: VolumeRow,
  holder: { readonly name: string; readonly status: string } | undefined,
): Promise<string | null> {
  if (volume.status !== 'available') return 'Cannot create snapshot while volume is being created or deleted'
  if (volume.lapsed_at !== null) return 'The month of this volume is not paid. Restore it first.'
  if (volume.stored_gb < volume.size_gb)
    return `It is being made ${volume.size_gb} GB large. Wait until it is.`
  if (holder && isUpAs(holder.status) && storeOf(needs, volume.driver).capabilities.quiesce === 'stopped')
    return `Here a snapshot is taken while no instance runs with the volume. Stop ${holder.name}, or detach the volume, first.`
  const other = await tx
    .selectFrom('volume_snapshots')
    .select('name')
    .where('volume_id', '=', volume.id)
    .where('status', '=', 'creating')
    .executeTakeFirst()
  return other ? `The snapshot ${other.name} of it is being taken. Wait until it is there.` : null
}
