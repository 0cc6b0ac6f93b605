import { IngotError } from '@ingot/contracts/errors'
import {
  hourlyWithStorageMicro,
  whyNotStorageInTerm,
  whyNotStorageQueued,
  whyNotTermEnd,
} from '@ingot/contracts/instance-costs'
import { whyNot } from '@ingot/contracts/instances'
import { formatUsd } from '@ingot/contracts/money'
import type { Updateable } from 'kysely'
import { NoPlace, whyNoPlace } from '../catalog/places.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { Tables } from '../db/tables.ts'
import { lockWallet, setMeterLabel, setMeterPrice, setTermEnd } from '../ledger/ledger.ts'
import { assertQuote } from './create-instance.ts'
import { type InstanceRow, lockInstance, notLookedAt } from './queries.ts'

export interface InstanceChanges {
  readonly name?: string
  readonly data_storage_gb?: number
  readonly on_term_end?: 'hourly' | 'stop'
  readonly auto_shutdown_enabled?: boolean
  readonly auto_shutdown_minutes?: number
  readonly quoted_hourly_cost?: string
}

/**
 * The name and auto-shutdown change at any time; what becomes of it at the end of its term until then; the data storage, and with it the hourly cost, only while the instance
 * is stopped. A disk never shrinks.
 */
export async function updateInstance(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
  changes: InstanceChanges,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const refusal =
    whyNot('edit', row.status) ??
    (changes.data_storage_gb === undefined
      ? null
      : (whyNot('edit_storage', row.status) ?? whyNotStorageQueued(row)))
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  const at = clock.iso()
  const name = changes.name?.trim() ?? row.name
  const storage = changes.data_storage_gb ?? row.data_storage_gb
  const inTerm = storage === row.data_storage_gb ? null : whyNotStorageInTerm(row, new Date(at))
  if (inTerm) throw new IngotError('invalid_state', { message: inTerm })
  const on_term_end = changes.on_term_end ?? row.on_term_end
  const noTerm = on_term_end === row.on_term_end ? null : whyNotTermEnd(row, new Date(at))
  if (noTerm) throw new IngotError('invalid_state', { message: noTerm })
  if (storage < row.data_storage_gb) {
    throw new IngotError('validation_failed', {
      fields: { data_storage_gb: `must be at least ${row.data_storage_gb}: a disk never shrinks` },
    })
  }
  const cost = hourlyWithStorageMicro(row.hourly_cost_micro, row, storage)
  assertQuote(changes, { quoted_hourly_cost: formatUsd(cost) })
  if (name !== row.name) await setMeterLabel(tx, id, name)
  if (cost !== row.hourly_cost_micro) await setMeterPrice(tx, id, cost)
  if (on_term_end !== row.on_term_end) await setTermEnd(tx, id, on_term_end, at)
  await tx
    .updateTable('gpu_instances')
    .set({
      name,
      on_term_end,
      data_storage_gb: storage,
      hourly_cost_micro: cost,
      ...autoShutdownAfter(row, changes),
      updated_at: at,
    })
    .where('id', '=', id)
    .execute()
    .catch(error => {
      throw whyNoPlace(error)
        ? new NoPlace(id, 'disk', 'The host that keeps this instance’s disk has no room for a larger one.')
        : error
    })
  await appendEvent(tx, { userId, type: 'instance.updated', subjectId: id, at, data: { name } })
}

/** A change lets the time without activity begin anew, so that a shorter one never stops it at once. */
function autoShutdownAfter(row: InstanceRow, changes: InstanceChanges): Updateable<Tables['gpu_instances']> {
  const { auto_shutdown_enabled = row.auto_shutdown_enabled } = changes
  const { auto_shutdown_minutes = row.auto_shutdown_minutes } = changes
  const isSame =
    auto_shutdown_enabled === row.auto_shutdown_enabled && auto_shutdown_minutes === row.auto_shutdown_minutes
  return isSame ? {} : { auto_shutdown_enabled, auto_shutdown_minutes, ...notLookedAt }
}
