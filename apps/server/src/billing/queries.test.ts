import { amountText } from '@ingot/contracts/money'
import { builtInTemplates } from '@ingot/contracts/templates'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { until, useTestServer } from '../product/test-server.ts'

const server = useTestServer()
const configuration = {
  template_id: builtInTemplates[0]!.id,
  gpu_type: 'A40',
  gpu_count: 1,
  region: 'US-East',
  system_storage_gb: 40,
  billing_period: 'hourly',
} as const

test('a bill says amounts with two decimals, and a rate with every digit it has', async () => {
  const { client } = await server.user('20')
  for (const [name, data_storage_gb] of [
    ['plain', 100],
    ['larger', 200],
  ] as const) {
    const { id } = await client.instances.create({ ...configuration, name, data_storage_gb })
    await until(
      () => client.instances.get({ id }),
      ({ status }) => status === 'running',
    )
  }
  await server.advance(3 * 3_600_000)
  const bill = await until(
    () => client.billing.list({ search: 'usage' }),
    ({ items }) => items.length >= 2,
  )
  const said = bill.items.map(({ description }) => description)
  expect(said).toContainEqual(expect.stringMatching(/^plain: usage, [\d.]+ s at \$0\.75 per hour$/))
  expect(said).toContainEqual(expect.stringMatching(/^larger: usage, [\d.]+ s at \$0\.763889 per hour$/))
})

test('a deposit is found by the amount that its line says', async () => {
  const user = await server.user()
  await server.faucet((await user.client.wallet.usdtConfig()).walletAddress, '25.123456')
  const { items } = await until(
    () => user.client.billing.list({ search: 'Deposit of 25.12 USDT', status: 'paid' }),
    found => found.items.length > 0,
  )
  expect(items).toMatchObject([{ amount: '25.123456', description: 'Deposit of 25.12 USDT' }])
})

test('the database writes an amount as the contract does', async () => {
  const amounts = [
    0n,
    1n,
    5_000n,
    9_999n,
    10_000n,
    15_000n,
    24_999n,
    25_000n,
    25_001n,
    35_000n,
    125_000n,
    -25_000n,
  ]
  const { rows } = await sql<{ text: string }>`
    select amount_text(micro) as text from unnest(${amounts}::bigint[]) with ordinality as a(micro, n) order by n`.execute(
    server.services.database.kysely,
  )
  expect(rows.map(row => row.text)).toEqual(amounts.map(micro => amountText(micro)))
})

test('a refusal names what is needed in dollars and cents, rounded up', async () => {
  const { client } = await server.user('0.81')
  const { id } = await client.instances.create({ ...configuration, name: 'poor', data_storage_gb: 100 })
  await until(
    () => client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  await server.advance(3_600_000)
  await client.instances.stop({ id }).catch(() => null)
  await until(
    () => client.instances.get({ id }),
    ({ status }) => status === 'stopped',
  )
  await expect(client.instances.start({ id })).rejects.toThrow(/ten minutes in advance: \$0\.13$/)
})
