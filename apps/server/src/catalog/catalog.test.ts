import { priceOf } from '@ingot/contracts/catalog'
import { quoteOf } from '@ingot/contracts/instance-costs'
import type { Instance } from '@ingot/contracts/instances'
import { specifiedGpus, specifiedRegions } from '@ingot/contracts/test-catalog'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from '../db/database.ts'
import { a40 } from '../instances/test-rows.ts'
import { lockWallet } from '../ledger/ledger.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { readCatalog } from './queries.ts'

const server = useTestServer()
/** Prices are an operator's. */
const db = () => server.owner
const hour = 3_600_000
const day = 24 * hour

/** Each test changes other rows than the rest. */
const onSale = async (client: TestUser['client'], name: string) =>
  (await client.catalog.gpus()).items.find(gpu => gpu.name === name)
const setPrice = (name: string, holdsFrom: string | null, hourly: string, months: string, year: string) =>
  sql`select set_gpu_price(${name}, ${holdsFrom}, ${hourly}, ${months}, ${year})`.execute(db())
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const priceOfMeter = async (id: string) =>
  (await db().selectFrom('meter').select('price_micro').where('id', '=', id).executeTakeFirstOrThrow())
    .price_micro

test('a new database sells what the specification sells, at its prices', async () => {
  expect(await readCatalog(db(), server.services.clock.iso())).toEqual({
    gpus: specifiedGpus,
    formerGpus: [],
    regions: specifiedRegions,
    until: null,
  })
  const { rows } = await sql`select name from region where has_volumes order by position`.execute(db())
  expect(rows.map(row => (row as { name: string }).name)).toEqual(specifiedRegions.slice(0, 4))
})

test('cards are told by the names that they report, and one that only resembles them is none', async () => {
  const reported: [card: string, soldAs: string | null][] = [
    ['NVIDIA A40', 'A40'],
    ['NVIDIA GeForce RTX 4090', 'RTX 4090'],
    ['NVIDIA GeForce RTX 3090', 'RTX 3090'],
    ['NVIDIA A100-PCIE-40GB', 'A100 40GB'],
    ['NVIDIA A100-SXM4-40GB', 'A100 40GB'],
    ['NVIDIA A100 80GB PCIe', 'A100 80GB'],
    ['NVIDIA A100-SXM4-80GB', 'A100 80GB'],
    ['NVIDIA H100 80GB HBM3', 'H100'],
    ['NVIDIA H100 PCIe', 'H100'],
    ['NVIDIA RTX A6000', 'A6000'],
    ['Tesla V100-SXM2-32GB', 'V100'],
    ['NVIDIA L4', 'L4'],
    ['Tesla T4', 'T4'],
    ['NVIDIA L40', null],
    ['NVIDIA GeForce RTX 3090 Ti', null],
    ['Tesla V100-SXM2-16GB', null],
  ]
  const { rows } = await sql<{ card: string; sold_as: string | null }>`
    select card, (select string_agg(name, ', ') from gpu_type where exists (select from unnest(patterns) p where card ~ p)) as sold_as
    from unnest(${reported.map(([card]) => card)}::text[]) with ordinality c (card, n) order by n`.execute(
    db(),
  )
  expect(rows.map(row => [row.card, row.sold_as])).toEqual(reported)
})

test('a price of tomorrow holds from tomorrow on; what was deployed keeps its own, also when it starts again or grows', async () => {
  const user = await server.user('100')
  const { client } = user
  const { id } = await client.instances.create(a40())
  await reach(user, id, 'running')
  await setPrice('A40', server.services.clock.iso(day), '1.50', '1070', '3900')
  expect((await onSale(client, 'A40'))!.hourly_price).toBe('0.750000')
  await server.advance(day)
  expect(await onSale(client, 'A40')).toMatchObject({
    hourly_price: '1.500000',
    upfront: { '3month': { total_cost: '1070.000000', savings_percent: 67 } },
  })

  expect((await client.instances.get({ id })).hourly_cost).toBe('0.750000')
  await client.instances.stop({ id })
  await reach(user, id, 'stopped')
  await client.instances.start({ id })
  await reach(user, id, 'running')
  expect(await priceOfMeter(id)).toBe(750_000n)
  await client.instances.stop({ id })
  await reach(user, id, 'stopped')
  // 400 GB more at $0.10 a month: 0.0555… an hour, and nothing of the new price.
  const grown = await client.instances.update({ id, data_storage_gb: 500, quoted_hourly_cost: '0.805556' })
  expect(grown.hourly_cost).toBe('0.805556')
  expect(await priceOfMeter(id)).toBe(805_556n)

  const copy = await client.instances.clone({ id, start: false, quoted_hourly_cost: '1.555556' })
  expect(copy.hourly_cost).toBe('1.555556')
})

test('nobody is charged other than the price at the button', async () => {
  const { client } = await server.user('10')
  const wish = a40({ gpu_type: 'T4', start: false })
  const shown = quoteOf(priceOf((await onSale(client, 'T4'))!, wish, 'hourly'))
  await setPrice('T4', null, '0.40', '700', '1700')
  await expect(client.instances.create({ ...wish, ...shown })).rejects.toMatchObject({
    code: 'price_changed',
    status: 409,
    fields: { quoted_hourly_cost: 'is now 0.400000', quoted_total: 'is now 0.400000' },
  })
  expect((await client.wallet.get()).balance_usd).toBe('10.000000')
  const now = await until(
    () => onSale(client, 'T4'),
    gpu => gpu!.hourly_price === '0.400000',
  )
  await client.instances.create({ ...wish, ...quoteOf(priceOf(now!, wish, 'hourly')) })
  expect((await client.wallet.get()).balance_usd).toBe('9.600000')
})

test('a deploy that waits for its wallet goes by the price at the time of its charge', async () => {
  const { id, client } = await server.user('10')
  const wish = a40({ gpu_type: 'RTX 3090', start: false })
  const deploys = await inTransaction(db(), async tx => {
    await lockWallet(tx, id)
    const waiting = [
      client.instances.create({ ...wish, quoted_total: '0.650000' }),
      client.instances.create(wish),
    ]
    await until(
      async () =>
        (
          await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(db())
        ).rows[0]!.n,
      n => n === waiting.length,
    )
    await setPrice('RTX 3090', null, '0.70', '1200', '3000')
    return { settled: Promise.allSettled(waiting) }
  })
  expect(await deploys.settled).toMatchObject([
    { status: 'rejected', reason: { code: 'price_changed' } },
    { status: 'fulfilled', value: { hourly_cost: '0.700000' } },
  ])
  expect((await client.wallet.get()).balance_usd).toBe('9.300000')
})

test('a GPU off sale: what is deployed runs on and starts again, a deploy and a clone are refused in words', async () => {
  const user = await server.user('10')
  const { client } = user
  const { id } = await client.instances.create(a40({ gpu_type: 'V100' }))
  await reach(user, id, 'running')
  const balance = (await client.wallet.get()).balance_usd
  await db().updateTable('gpu_type').set({ is_on_sale: false }).where('name', '=', 'V100').execute()
  const refusal = {
    code: 'hardware_not_offered',
    status: 409,
    message: 'V100 is not on sale any more. Nothing was charged.',
    fields: { gpu_type: 'V100 is not on sale any more.' },
  }
  await expect(client.instances.create(a40({ gpu_type: 'V100' }))).rejects.toMatchObject(refusal)
  await expect(client.instances.clone({ id })).rejects.toMatchObject(refusal)
  expect((await client.wallet.get()).balance_usd).toBe(balance)
  await until(
    () => onSale(client, 'V100'),
    gpu => gpu === undefined,
  )
  expect(await client.instances.get({ id })).toMatchObject({ status: 'running', gpu_memory_gb: 32 })
  await client.instances.stop({ id })
  await reach(user, id, 'stopped')
  await client.instances.start({ id })
  await reach(user, id, 'running')
})

test('a region off sale: what is deployed there starts again, a deploy there is refused in words', async () => {
  const user = await server.user('10')
  const { client } = user
  const there = { region: 'Middle-East', start: false }
  const { id } = await client.instances.create(a40(there))
  await db().updateTable('region').set({ is_on_sale: false }).where('name', '=', there.region).execute()
  await expect(client.instances.create(a40(there))).rejects.toMatchObject({
    code: 'hardware_not_offered',
    fields: { region: 'This region takes no new instances.' },
  })
  const listed = await until(
    async () => (await client.catalog.regions()).items.find(region => region.id === there.region)!,
    region => !region.available,
  )
  expect(listed.reason).toBe('This region takes no new instances.')
  expect((await onSale(client, 'H100'))!.free).not.toHaveProperty(there.region)
  await client.instances.start({ id })
  await reach(user, id, 'running')
})

test.each([
  [{ gpu_type: 'B200' }, 'gpu_type', 'there is no such GPU: see GET /v1/gpus'],
  [{ region: 'Moon' }, 'region', 'there is no such region: see GET /v1/regions'],
])('%j is refused with its field', async (changes, field, text) => {
  const { client } = await server.user('10')
  await expect(client.instances.create(a40(changes))).rejects.toMatchObject({
    code: 'validation_failed',
    status: 422,
    fields: { [field]: text },
  })
})

test('a GPU without a price is not sold until the first one holds', async () => {
  const { client } = await server.user('10')
  await sql`insert into gpu_type (name, memory_gb, vcpus, ram_gb, position) values ('L40S', 48, 8, 62, 11)`.execute(
    db(),
  )
  await expect(client.instances.create(a40({ gpu_type: 'L40S' }))).rejects.toMatchObject({ status: 422 })
  await setPrice('L40S', server.services.clock.iso(hour), '1.10', '2000', '5000')
  expect(await onSale(client, 'L40S')).toBeUndefined()
  await server.advance(hour)
  expect((await onSale(client, 'L40S'))!.free_in_all).toBeGreaterThan(0)
  await client.instances.create(a40({ gpu_type: 'L40S', start: false, quoted_hourly_cost: '1.100000' }))
})

test('a price that holds is never changed, none begins in the past, and a term never costs more than its hours', async () => {
  const { clock } = server.services
  const run = (text: string) => sql.raw(text).execute(db())
  await expect(setPrice('L4', clock.iso(-1_000), '1', '1000', '4000')).rejects.toThrow('has passed')
  await expect(setPrice('L4', 'infinity', '1', '1000', '4000')).rejects.toThrow('a_price_holds_from_a_date')
  await expect(setPrice('B200', null, '1', '1000', '4000')).rejects.toThrow('there is no GPU type B200')
  await expect(setPrice('L4', null, '1.0000001', '1000', '4000')).rejects.toThrow('at most 6 decimals')
  await expect(setPrice('L4', null, '1', '2161', '4000')).rejects.toThrow('a_term_costs_no_more')
  await expect(setPrice('L4', null, '1', '1000', '8761')).rejects.toThrow('a_term_costs_no_more')
  await expect(run(`update gpu_price set hourly_micro = 1 where gpu_type = 'L4'`)).rejects.toThrow(
    'is not changed',
  )
  await expect(run(`delete from gpu_price where gpu_type = 'L4'`)).rejects.toThrow('is not changed')
  await expect(run(`update gpu_type set is_on_sale = false`)).rejects.toThrow(
    'one GPU with a price stays on sale',
  )

  const later = clock.iso(day)
  await setPrice('L4', later, '0.70', '1000', '3000')
  await setPrice('L4', later, '0.80', '1000', '3000')
  const { rows } =
    await sql`select hourly_micro from gpu_price where gpu_type = 'L4' and holds_from = ${later}`.execute(
      db(),
    )
  expect(rows).toEqual([{ hourly_micro: 800_000n }])
  await run(`delete from gpu_price where gpu_type = 'L4' and holds_from > business_now()`)
})

test('whoever has the stream open is told that the catalogue is another one, also when a price takes effect by itself', async () => {
  const { client } = await server.user()
  const ending = new AbortController()
  const heard: string[] = []
  let isOpen = false
  const listening = (async () => {
    for await (const event of client.events({ signal: ending.signal, onOpen: () => (isOpen = true) }))
      heard.push(event.type)
  })()
  const told = (times: number) =>
    until(
      async () => heard.filter(type => type === 'catalog.changed').length,
      count => count >= times,
    )
  await until(
    async () => isOpen,
    open => open,
  )
  await setPrice('A6000', null, '1.40', '2500', '6100')
  await told(1)
  await setPrice('A6000', server.services.clock.iso(hour), '1.50', '2600', '6200')
  await server.advance(hour)
  await told(2)
  ending.abort()
  await listening
})
