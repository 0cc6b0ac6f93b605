import type { instances } from '@ingot/contracts/instances'
import type { Input } from '@ingot/contracts/operation'
import { builtInTemplates } from '@ingot/contracts/templates'
import type { RowMakers } from '../http/test-owner.ts'

export const pytorch = builtInTemplates[0]!.id

/** An A40 of the defaults, at $0.75 an hour. */
export const a40 = (
  changes: Partial<Input<typeof instances.create>> = {},
): Input<typeof instances.create> => ({
  name: 'box',
  template_id: pytorch,
  gpu_type: 'A40',
  gpu_count: 1,
  region: 'US-East',
  system_storage_gb: 40,
  data_storage_gb: 100,
  billing_period: 'hourly',
  ...changes,
})

export const rows: RowMakers = {
  instances: async ({ client }) => (await client.instances.create(a40({ start: false }))).id,
}
