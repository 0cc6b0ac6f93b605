import { until, useTestServer } from '../product/test-server.ts'
import { expect, test } from 'vitest'
import { a40 } from './test-rows.ts'

const server = useTestServer()

test('the wallet answers while the dearest instance of the catalogue runs', async () => {
  const { client } = await server.user('1000')
  const { id } = await client.instances.create(a40({ gpu_type: 'H100', gpu_count: 8, data_storage_gb: 1000 }))
  await server.advance(2_000)
  await until(
    () => client.instances.get({ id }),
    each => each.status === 'running',
  )
  const { empty_at, spending_per_hour } = await client.wallet.get()
  expect(spending_per_hour).toBe('32.925000')
  expect(Date.parse(empty_at!) - server.services.clock.now()).toBeGreaterThan(30 * 3_600_000)
})
