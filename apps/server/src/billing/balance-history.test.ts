import { parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { until, type TestUser, useTestServer } from '../product/test-server.ts'
import { getBalanceHistory } from './balance-history.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
const hour = 3_600_000
const day = 24 * hour
const iso = (ms: number) => new Date(ms).toISOString()
const history = (user: TestUser, at: number, days = 6) => getBalanceHistory(db(), user.id, days, iso(at))

/** A dollar an hour; nothing is looked at, so only what it is told counts. The first hour is prepaid. */
async function meterOf({ id: userId }: TestUser, at: number): Promise<string> {
  const id = newId()
  await sql`insert into look_source (id, grace_ms) values ('host', 2000000000) on conflict do nothing`.execute(
    server.owner,
  )
  await sql`select deploy_charge(${userId}, ${id}, 'box', 1000000, 1000000, null, 'box: initial setup', ${iso(at)})`.execute(
    db(),
  )
  await sql`select open_meter(${id}, ${iso(at)}, 'host')`.execute(db())
  return id
}
const balanceAt = (points: readonly { at: string; balance: string }[], at: number) =>
  points.findLast(point => Date.parse(point.at) <= at)?.balance

test('each point is what the ledger says the balance was, and the last one is the balance now', async () => {
  const user = await server.user()
  const { walletAddress } = await user.client.wallet.usdtConfig()
  await server.faucet(walletAddress, '25')
  await until(
    () => user.client.wallet.get(),
    wallet => wallet.balance_usd === '25.000000',
  )
  const began = server.services.clock.now()
  const id = await meterOf(user, began)
  for (let n = 1; n <= 5; n++)
    await sql`select settle_wallets(array[${user.id}::uuid], ${iso(began + n * hour)})`.execute(server.owner)
  const now = began + 5.5 * hour
  const { from, to, points, deposits } = await history(user, now)
  expect([from, to]).toEqual([iso(now - 6 * day), iso(now)])
  expect(points[0]).toEqual({ at: from, balance: '0.000000' })
  expect(deposits).toEqual([{ at: expect.any(String), amount: '25.000000' }])
  // Before the deposit and after it: a step, not a slope.
  const paid = points.filter(({ at }) => at === deposits[0]!.at).map(({ balance }) => balance)
  expect(paid.slice(0, 2)).toEqual(['0.000000', '25.000000'])
  // Of the first hour nothing came from the balance but the deploy charge.
  for (let n = 1; n <= 5; n++)
    expect(balanceAt(points, began + n * hour), `after ${n} h`).toBe(`${25 - n}.000000`)
  expect(points.at(-1)).toEqual({ at: to, balance: '19.500000' })
  const { rows } = await sql<{ balance_micro: bigint }>`
    select balance_micro from ledger_account where kind = 'wallet' and owner = ${user.id}`.execute(db())
  expect(parseUsd(points.at(-2)!.balance)).toBe(rows[0]!.balance_micro)
  expect(points.map(({ at }) => at)).toEqual(points.map(({ at }) => at).toSorted())
  await sql`select close_meter(${id}, ${iso(now)}, 'stop')`.execute(db())

  const later = await history(user, now + 10 * day, 2)
  expect(later.points).toEqual([
    { at: iso(now + 8 * day), balance: '19.500000' },
    { at: iso(now + 10 * day), balance: '19.500000' },
  ])
  expect(later.deposits).toEqual([])
})

test('however often a wallet moved, there is a point an hour, and steps are bounded', async () => {
  const user = await server.user('1000')
  const began = server.services.clock.now()
  await sql`select credit_wallet(${user.id}, 1000000, 'test', gen_random_uuid(), ${iso(began)}::timestamptz + n * interval '10 seconds')
    from generate_series(1, 1500) n`.execute(server.owner)
  const { points } = await history(user, began + 6 * hour)
  expect(points.length).toBeLessThanOrEqual(2 * 200 + 6 * 24 + 3)
  expect(points.at(-1)!.balance).toBe('2500.000000')
  expect(balanceAt(points, began + 5 * hour)).toBe('2500.000000')
})

test('nobody reads the balance of another, and an account without a wallet has none', async () => {
  const [rich, poor] = [await server.user('50'), await server.user()]
  expect((await rich.client.billing.balance()).points.at(-1)!.balance).toBe('50.000000')
  const { points, deposits } = await poor.client.billing.balance({ days: 31 })
  expect(points.every(({ balance }) => balance === '0.000000')).toBe(true)
  expect(deposits).toEqual([])
  for (const days of [0, 32])
    await expect(rich.client.billing.balance({ days })).rejects.toMatchObject({ code: 'validation_failed' })
})
