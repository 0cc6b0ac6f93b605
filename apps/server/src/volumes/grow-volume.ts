/**
 * Makes a volume larger, never smaller: the rest of its month is paid now, and the loop has the store do it. Its months
 * cost more from when it is that large; what can't be made so large returns all that was paid for it.
 */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import { growthMicro, volumeMonthMicro } from '@ingot/contracts/volume/prices'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { lockWallet } from '../ledger/ledger.ts'
import { payGrowth, settleMonth } from '../ledger/months.ts'
import { assertQuote, withRoom } from './create-volume.ts'
import { isUpAs } from './delete-volume.ts'
import { assertLarger, assertVolume, lockHolder, lockVolume, whyNoMonth } from './queries.ts'
import { storeOf, type StoreNeeds } from './stores.ts'

export async function growVolume(
  tx: Tx,
  { clock, ...needs }: StoreNeeds & { readonly clock: Clock },
  userId: string,
  {
    id,
    size_gb,
    quoted_total,
  }: { readonly id: string; readonly size_gb: number; readonly quoted_total?: string },
): Promise<void> {
  const at = clock.iso()
  await assertVolume(tx, userId, id)
  await lockWallet(tx, userId)
  const endsAt = await settleMonth(tx, id, at)
  const holder = await lockHolder(tx, userId, id)
  const row = await lockVolume(tx, userId, id)
  const refused = (message: string) => new IngotError('invalid_state', { message })
  if (row.status !== 'available' || row.lapsed_at !== null || endsAt === null)
    throw refused(whyNoMonth(row.status, row.lapsed_at))
  if (row.stored_gb < row.size_gb)
    throw refused(`It is being made ${row.size_gb} GB large. Wait until it is.`)
  assertLarger(row.size_gb, size_gb)
  if (holder && isUpAs(holder.status) && !storeOf(needs, row.driver).capabilities.growsWhileRunning)
    throw refused(
      `Here a volume grows while no instance runs with it. Stop ${holder.name}, or detach the volume, first.`,
    )
  const cost = growthMicro(row.size_gb, size_gb, Date.parse(endsAt) - Date.parse(at))
  assertQuote(quoted_total, cost)
  const words = `${row.name}: ${size_gb} GB instead of ${row.size_gb} for the rest of the month`
  const transfer = await payGrowth(tx, { id, key: newId(), cost, words }, at)
  // The host's row is the last that is locked.
  await withRoom(row.region, () =>
    tx
      .updateTable('network_volumes')
      .set({
        size_gb,
        month_micro: volumeMonthMicro(size_gb),
        growth_transfer: transfer,
        attempts: 0,
        due_at: at,
        updated_at: at,
      })
      .where('id', '=', id)
      .execute(),
  )
  await appendEvent(
    tx,
    {
      userId,
      type: 'volume.growth_started',
      subjectId: id,
      at,
      data: { name: row.name, charged: formatUsd(cost), message: `from ${row.size_gb} to ${size_gb} GB` },
    },
    { userId, type: 'wallet.updated', at },
  )
}
