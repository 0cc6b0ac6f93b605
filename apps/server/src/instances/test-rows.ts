import type { Driver, Listed } from '@ingot/compute/driver'
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

/** What a driver holds. */
export async function machinesOf(driver: Driver): Promise<readonly Listed[]> {
  const answer = await driver.list()
  if (answer.kind !== 'done') throw new Error(`not listed: ${JSON.stringify(answer)}`)
  return answer.value
}

/** Where the machine of an instance is reached. */
export const refOf = async (driver: Driver, instanceId: string): Promise<string> =>
  (await machinesOf(driver)).find(machine => machine.instanceId === instanceId)!.ref

export const rows: RowMakers = {
  instances: async ({ client }) => (await client.instances.create(a40({ start: false, ports: [8888] }))).id,
  'port-shares': async ({ client }) => {
    const { id } = await client.instances.create(a40({ start: false, ports: [8888] }))
    return (await client.instances.sharePort({ id, port: 8888 })).id
  },
}
