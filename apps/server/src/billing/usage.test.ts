import { parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { type TestUser, useTestServer } from '../product/test-server.ts'
import { getUsage, type UsageQuestion } from './usage.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely

/** One dollar an hour; nothing is looked at, so only what it is told counts. */
async function meterOf({ id: userId }: TestUser, name: string, at: string, usd = 50): Promise<string> {
  const id = newId()
  await sql`insert into look_source (id, grace_ms) values ('host', 2000000000) on conflict do nothing`.execute(
    server.owner,
  )
  await sql`select deploy_charge(${userId}, ${id}, ${name}, 1000000, ${usd * 1_000_000}, null, ${`${name}: initial setup`}, ${at})`.execute(
    db(),
  )
  return id
}
const open = (id: string, at: string) => sql`select open_meter(${id}, ${at}, 'host')`.execute(db())
const close = (id: string, at: string) => sql`select close_meter(${id}, ${at}, 'stop')`.execute(db())
const usage = (user: TestUser, at: string, question: Partial<UsageQuestion> = {}) =>
  getUsage(db(), user.id, { by: 'day', split: 'instance', ...question }, at)
const hour = 3_600_000

test('a day holds what ran on it, to the second, and the parts add up to what was charged', async () => {
  const user = await server.user('200')
  const [one, two] = [await meterOf(user, 'one', '2026-03-01'), await meterOf(user, 'two', '2026-03-01')]
  await open(one, '2026-03-01 22:30')
  await open(two, '2026-03-02 23:59:59.999')
  await close(two, '2026-03-03 00:00:00.001')
  await close(one, '2026-03-03 01:15:00.001')
  const found = await usage(user, '2026-03-04T00:00:00.000Z')
  expect(found).toMatchObject({ from: '2026-03-01', to: '2026-03-04', used_ms: 26.75 * hour + 3 })
  expect(found.items.map(({ key, used_ms }) => [key, used_ms])).toEqual([
    ['2026-03-01', 1.5 * hour],
    ['2026-03-02', 24 * hour + 1],
    ['2026-03-03', 1.25 * hour + 2],
  ])
  expect(found.items[0]).toMatchObject({ amount: '1.500000', parts: [{ key: one, label: 'one' }] })
  expect(found.items[1]!.parts.map(({ label }) => label).toSorted()).toEqual(['one', 'two'])
  const { rows } = await sql<{ micro: bigint }>`
    select sum(amount_micro)::bigint as micro from usage_line where user_id = ${user.id}`.execute(db())
  expect(parseUsd(found.amount)).toBe(rows[0]!.micro)
  for (const question of [
    { by: 'day' },
    { by: 'instance' },
    { by: 'kind' },
    { split: 'gpu' },
    { split: 'region' },
  ] as const) {
    const { items, amount } = await usage(user, '2026-03-04T00:00:00.000Z', question)
    expect(items.reduce((sum, item) => sum + parseUsd(item.amount), 0n)).toBe(parseUsd(amount))
    expect(amount).toBe(found.amount)
    for (const item of items)
      if (item.parts.length > 0)
        expect(item.parts.reduce((sum, part) => sum + parseUsd(part.amount), 0n)).toBe(parseUsd(item.amount))
  }
  expect((await usage(user, '2026-03-04T00:00:00.000Z', { by: 'instance' })).items).toMatchObject([
    { key: one, label: 'one', parts: [] },
    { key: two, label: 'two', amount: '0.000000' },
  ])
  const middle = await usage(user, '2026-03-09T00:00:00.000Z', { from: '2026-03-02', to: '2026-03-02' })
  expect(middle.items).toEqual([found.items[1]])
})

test('what runs now counts up to now, settled or not, and not beyond the last look', async () => {
  const user = await server.user('200')
  const id = await meterOf(user, 'box', '2026-03-01')
  await open(id, '2026-03-01 23:00')
  const before = await usage(user, '2026-03-02T00:30:00.000Z')
  expect(before).toMatchObject({ amount: '1.500000', used_ms: 1.5 * hour })
  expect(before.items.map(({ amount }) => amount)).toEqual(['1.000000', '0.500000'])
  await close(id, '2026-03-02 00:30')
  expect(await usage(user, '2026-03-02T00:30:00.000Z')).toEqual(before)
})

test('what was returned is taken off the day on which it had run', async () => {
  const user = await server.user('200')
  const id = await meterOf(user, 'box', '2026-03-01')
  await open(id, '2026-03-01 22:00')
  await close(id, '2026-03-02 02:00')
  const reading = server.owner.transaction().execute(async tx => {
    await sql`insert into usage_return (meter_id, user_id, from_at, to_at, price_micro, amount_micro, remainder_before, remainder_after)
      values (${id}, ${user.id}, '2026-03-02 01:00', '2026-03-02 02:00', 1000000, 1000000, 0, 0)`.execute(tx)
    const { items } = await getUsage(tx, user.id, { by: 'day', split: 'gpu' }, '2026-03-03T00:00:00.000Z')
    throw new Error(`undone: ${items.map(({ amount, used_ms }) => `${amount} in ${used_ms}`).join(', ')}`)
  })
  await expect(reading).rejects.toThrow('undone: 2.000000 in 7200000, 1.000000 in 3600000')
})

test('of many instances the dearest are named on every day, and the rest is one part', async () => {
  const user = await server.user('200')
  for (let n = 1; n <= 10; n++) {
    const id = await meterOf(user, `box-${n}`, '2026-03-01', 10)
    await open(id, '2026-03-01 00:00')
    await close(id, `2026-03-01 0${n % 10}:30`)
  }
  const { items } = await usage(user, '2026-03-02T00:00:00.000Z')
  expect(items[0]!.parts).toHaveLength(9)
  expect(items[0]!.parts.at(-1)).toMatchObject({ key: null, label: 'Others' })
})

test('nobody sees what another used, and days that there are not are refused', async () => {
  const [user, stranger] = [await server.user('200'), await server.user()]
  const id = await meterOf(user, 'box', '2026-03-01')
  await open(id, '2026-03-01 22:00')
  await close(id, '2026-03-01 23:00')
  expect(await usage(stranger, '2026-03-03T00:00:00.000Z')).toMatchObject({ amount: '0.000000', items: [] })
  const asked = (input: object) => stranger.client.billing.usage(input as never)
  await expect(asked({ from: '2026-02-30', to: '2026-03-01' })).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { from: expect.any(String) },
  })
  await expect(asked({ from: '2026-03-02', to: '2026-03-01' })).rejects.toMatchObject({
    fields: { from: 'It must not be later than the last day.' },
  })
  await expect(asked({ from: '2020-03-02', to: '2026-03-01' })).rejects.toMatchObject({
    fields: { from: 'At most 366 days can be asked for at once.' },
  })
  expect(await asked({ from: '2026-03-01', to: '2027-03-01' })).toMatchObject({ items: [] })
})

test('by the hour it is cut at full hours, adds up to the days, and at most eight days are told', async () => {
  const user = await server.user('200')
  const id = await meterOf(user, 'box', '2026-03-01')
  await open(id, '2026-03-01 22:30')
  await close(id, '2026-03-02 00:15:00.001')
  const span = { from: '2026-03-01', to: '2026-03-02' }
  const found = await usage(user, '2026-03-02T00:30:00.000Z', { by: 'hour', ...span })
  expect(found.items.map(({ key, amount, used_ms }) => [key, amount, used_ms])).toEqual([
    ['2026-03-01T22:00:00.000Z', '0.500000', 0.5 * hour],
    ['2026-03-01T23:00:00.000Z', '1.000000', hour],
    ['2026-03-02T00:00:00.000Z', '0.250000', 0.25 * hour + 1],
  ])
  expect(found.items[0]!.parts).toMatchObject([{ key: id, label: 'box', amount: '0.500000' }])
  expect(found.amount).toBe((await usage(user, '2026-03-02T00:30:00.000Z', span)).amount)
  expect(await usage(user, '2026-03-02T00:30:00.000Z', { by: 'hour' })).toMatchObject({
    from: '2026-03-02',
    items: [{ amount: '0.250000' }],
  })
  await expect(
    user.client.billing.usage({ by: 'hour', from: '2026-03-01', to: '2026-03-09' }),
  ).rejects.toMatchObject({ fields: { from: 'At most 8 days can be asked for at once.' } })
})
