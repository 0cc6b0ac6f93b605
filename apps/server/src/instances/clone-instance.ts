import { cloneName } from '@ingot/contracts/instances'
import type { Tx } from '../db/database.ts'
import { createInstance, type CreateNeeds, type NewInstance } from './create-instance.ts'
import { findInstance } from './queries.ts'
import { keysLeft } from './ssh/chosen-keys.ts'

interface CloneWish extends Pick<
  NewInstance,
  'billing_period' | 'start' | 'when_full' | 'quoted_hourly_cost' | 'quoted_total'
> {
  readonly name?: string
}

/** A new instance with the configuration of another, at today's price. Returns its id. */
export async function cloneInstance(
  tx: Tx,
  needs: CreateNeeds,
  userId: string,
  id: string,
  { name, ...wish }: CloneWish,
): Promise<string> {
  const source = await findInstance(tx, userId, id)
  return createInstance(
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
}
