import { amountText, formatUsd, parseUsd } from '@ingot/contracts/money'
import { builtInTemplates } from '@ingot/contracts/templates'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { until, useTestServer } from '../product/test-server.ts'
import { getSpending } from './queries.ts'

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

test('two equal charges in one second are two lines', async () => {
  const { client } = await server.user('20')
  const wish = { ...configuration, name: 'twin', data_storage_gb: 100, start: false } as const
  await Promise.all([client.instances.create(wish), client.instances.create(wish)])
  const charges = (await client.billing.list({ search: 'twin' })).items
  expect(charges.map(({ amount }) => amount)).toEqual(['-0.750000', '-0.750000'])
  expect(new Set(charges.map(({ description }) => description)).size).toBe(1)
})

test('the lines of a bill are the movements of the wallet, one each, and add up to its balance', async () => {
  const user = await server.user('20')
  const { id } = await user.client.instances.create({ ...configuration, name: 'one', data_storage_gb: 100 })
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  await server.advance(90 * 60_000)
  await user.client.instances.stop({ id })
  await server.faucet((await user.client.wallet.usdtConfig()).walletAddress, '25')
  await until(
    () => user.client.billing.list({ search: 'Deposit of 25.00 USDT', status: 'paid' }),
    ({ items }) => items.length > 0,
  )
  await user.client.instances.delete({ id })
  const lines = (await user.client.billing.list({ limit: 100 })).items
  const { rows } = await sql<{ id: string }>`
    select t.idem as id from ledger_transfer t join wallets w on w.account_id in (from_account, to_account)
    where w.user_id = ${user.id}`.execute(server.services.database.kysely)
  expect(rows.length).toBeGreaterThanOrEqual(4)
  expect(lines.map(line => line.id).toSorted()).toEqual(rows.map(row => row.id).toSorted())
  const sum = lines.reduce((total, { amount }) => total + parseUsd(amount), 0n)
  expect(formatUsd(sum)).toBe((await user.client.wallet.get()).balance_usd)
})

test('a machine that was last seen in an earlier month takes no minutes off this one', async () => {
  const user = await server.user('20')
  const { id } = await user.client.instances.create({
    ...configuration,
    name: 'unseen',
    data_storage_gb: 100,
  })
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  const { clock } = server.services
  const seen = new Date(clock.now() - 70 * 24 * 3_600_000).toISOString()
  const reading = server.owner.transaction().execute(async tx => {
    await sql`update meter set seen_at = ${seen}, is_missed = true, metered_to = ${seen} where id = ${id}`.execute(
      tx,
    )
    const { usage_minutes } = await getSpending(tx, user.id, clock.iso())
    throw new Error(`undone: ${usage_minutes} minutes`)
  })
  await expect(reading).rejects.toThrow('undone: 0 minutes')
  await user.client.instances.delete({ id })
})

test('arriving is what is on its way or waits for the minimum, not what is set aside', async () => {
  const user = await server.user('20')
  const at = server.services.clock.iso()
  await sql`select hold_funds(${user.id}, 'hold', 1000000, 'Set aside', ${crypto.randomUUID()}, ${at})`.execute(
    server.owner,
  )
  await server.faucet((await user.client.wallet.usdtConfig()).walletAddress, '4')
  const { arriving, pending } = await until(
    () => user.client.billing.summary(),
    summary => summary.arriving !== '0.000000',
  )
  expect([arriving, pending]).toEqual(['4.000000', '0.000000'])
  expect((await user.client.billing.list({ status: 'pending' })).items.map(({ amount }) => amount)).toEqual(
    expect.arrayContaining(['-1.000000', '4.000000']),
  )
})

test('pending is what has accrued and is not settled', async () => {
  const user = await server.user('20')
  const { id } = await user.client.instances.create({ ...configuration, name: 'on', data_storage_gb: 100 })
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  // Beyond the prepaid hour, and less than an hour after the settlement at its end.
  await server.advance(90 * 60_000)
  // What is settled between the two questions is asked again.
  await until(
    async () => {
      const { pending, spent } = await user.client.billing.summary()
      const settled = (await user.client.billing.list()).items.filter(({ amount }) => amount.startsWith('-'))
      return {
        pending,
        unsettled: settled.reduce((sum, { amount }) => sum + parseUsd(amount), parseUsd(spent)),
      }
    },
    ({ pending, unsettled }) => unsettled > 100n && parseUsd(pending) === unsettled,
  )
  await user.client.instances.stop({ id })
  expect((await user.client.billing.summary()).pending).toBe('0.000000')
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
