import { IngotError } from '@ingot/contracts/errors'
import { cloneName } from '@ingot/contracts/instances'
import type { Tx } from '../db/database.ts'
import { createInstance, type CreateNeeds, type NewInstance } from './create-instance.ts'
import { findInstance } from './queries.ts'
import { keysLeft } from './ssh/chosen-keys.ts'
import { cloneVolume } from './volume/clone-volume.ts'

interface CloneWish extends Pick<
  NewInstance,
  'billing_period' | 'start' | 'when_full' | 'quoted_hourly_cost' | 'quoted_total'
> {
  readonly name?: string
  readonly clone_volume: boolean
  readonly quoted_volume_total?: string
}

/** A new instance with the configuration of another, at today's price, and with a copy of its volume where that is wanted. */
export async function cloneInstance(
  tx: Tx,
  needs: CreateNeeds,
  userId: string,
  id: string,
  { name, clone_volume, quoted_volume_total, ...wish }: CloneWish,
): Promise<string> {
  const source = await findInstance(tx, userId, id)
  if (clone_volume && wish.start)
    throw new IngotError('validation_failed', {
      fields: { start: 'is not possible with its volume: start the clone when that is available' },
    })
  const copy = await createInstance(
    tx,
    needs,
    userId,
    {
      ...wish,
      name: name ?? cloneName(source.name),
      template_id: source.template_id,
      gpu_type: source.gpu_type,
      gpu_count: source.gpu_count,
      region: source.region,
      system_storage_gb: source.system_storage_gb,
      data_storage_gb: source.data_storage_gb,
      on_term_end: wish.billing_period === 'hourly' ? 'hourly' : source.on_term_end,
      auto_shutdown_enabled: source.auto_shutdown_enabled,
      auto_shutdown_minutes: source.auto_shutdown_minutes,
      ssh_key_ids: await keysLeft(tx, userId, source.ssh_key_ids),
    },
    source.id,
  )
  if (clone_volume) await cloneVolume(tx, needs, userId, source, copy, quoted_volume_total)
  return copy
}
