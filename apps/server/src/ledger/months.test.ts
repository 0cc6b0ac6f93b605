/** What a month of a volume or a snapshot costs, and what becomes of their rows when it is not paid. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { snapshotMonthMicro, volumeMonthMicro } from '@ingot/contracts/volume/prices'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'
import { chargeMonth, openMonth } from './months.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

const ask = async (text: string, values: unknown[]) => (await database.pool.query(text, values)).rows[0]
const began = '2026-04-01T00:00:00.000Z'

/** A volume or snapshot and its meter, in a wallet that holds so much beside its first month. */
async function made(kind: 'volume' | 'snapshot', month: bigint, beside: bigint) {
  const [userId, id] = [newId(), newId()]
  await ask('insert into auth_user (id) values ($1)', [userId])
  await ask(`select credit_wallet($1, $2, 'gift', $3, $4)`, [userId, month + beside, newId(), began])
  await (kind === 'volume'
    ? ask(
        `insert into network_volumes (id, user_id, name, size_gb, region, driver, month_micro, status, created_at, updated_at)
        values ($1, $2, 'data', 10, 'US-East', 'simulated', $3, 'available', $4, $4)`,
        [id, userId, month, began],
      )
    : ask(
        `insert into volume_snapshots (id, user_id, volume_id, volume_name, name, size_gb, region, driver, month_micro, status, created_at,
          updated_at) values ($1, $2, $1, 'data', 'data', 10, 'US-East', 'simulated', $3, 'available', $4, $4)`,
        [id, userId, month, began],
      ))
  await database.kysely.transaction().execute(async tx => {
    await chargeMonth(tx, { userId, id, kind, label: 'data', month, description: 'data: first month' }, began)
    await openMonth(tx, id, began)
  })
  const table = kind === 'volume' ? 'network_volumes' : 'volume_snapshots'
  return {
    userId,
    id,
    settle: (at: string) => ask(`select count(*) from settle_wallets(array[$1::uuid], $2)`, [userId, at]),
    row: () => ask(`select status, lapsed_at from ${table} where id = $1`, [id]),
    name: async () => (await ask(`select name from ${table} where id = $1`, [id])).name as string,
    paid: async () =>
      (
        await database.pool.query(
          `select amount_micro from ledger_transfer where ref = $1 and code in ('deploy', 'renewal') order by id`,
          [id],
        )
      ).rows.map(transfer => transfer.amount_micro as bigint),
    prepaid: async () =>
      (
        await ask(
          'select a.balance_micro as micro from meter m join ledger_account a on a.id = m.prepaid_account where m.id = $1',
          [id],
        )
      ).micro as bigint,
    balance: async () =>
      (
        await ask(
          'select a.balance_micro as micro from wallets w join ledger_account a on a.id = w.account_id where w.user_id = $1',
          [userId],
        )
      ).micro as bigint,
  }
}

test('each month of 10 GB costs $1.00 to the micro-dollar, nothing is drawn in between, and what is rounded off returns', async () => {
  const volume = await made('volume', volumeMonthMicro(10), 2_000_000n)
  await volume.settle('2026-06-29T23:59:59.999Z')
  expect(await volume.paid()).toEqual([1_000_000n, 1_000_000n, 1_000_000n])
  expect(await volume.balance()).toBe(0n)
  // 720 hours at 1,388 micro-dollars, three times less a millisecond: 640 of each are rounded off.
  expect(await volume.prepaid()).toBe(3n * 640n + 1n)
  await ask(`select count(*) from close_meter($1, '2026-06-29T23:59:59.999Z', 'delete')`, [volume.id])
  await ask(`select return_prepaid($1, '2026-06-29T23:59:59.999Z')`, [volume.id])
  expect(await volume.balance()).toBe(3n * 640n + 1n)
})

test.each([
  ['volume', volumeMonthMicro(25)],
  ['snapshot', snapshotMonthMicro(5n * 2n ** 30n + 1n)],
] as const)(
  'a %s whose month is not covered lapses; money revives it from then on; after seven days it is to be destroyed',
  async (kind, month) => {
    const one = await made(kind, month, 0n)
    await one.settle('2026-05-02')
    expect(await one.row()).toEqual({ status: 'available', lapsed_at: '2026-05-01T00:00:00.000Z' })

    await ask(`select credit_wallet($1, $2, 'gift', $3, '2026-05-03')`, [one.userId, month, newId()])
    await one.settle('2026-05-03')
    expect(await one.row()).toEqual({ status: 'available', lapsed_at: null })
    expect(await one.paid()).toEqual([month, month])
    expect(await ask('select renews_at from meter where id = $1', [one.id])).toEqual({
      renews_at: '2026-05-31T00:00:00.000Z',
    })

    await one.settle('2026-06-06T23:59:59.999Z')
    expect(await one.row()).toEqual({ status: 'available', lapsed_at: '2026-05-31T00:00:00.000Z' })
    await one.settle('2026-06-07')
    expect(await one.row()).toMatchObject({ status: 'deleting' })
  },
)

test.each(['volume', 'snapshot'] as const)(
  'a %s goes with its account, and is not named after it',
  async kind => {
    const one = await made(kind, 1_000_000n, 5_000_000n)
    await ask(`select end_meters($1, '2026-04-11')`, [one.userId])
    expect(await one.row()).toMatchObject({ status: 'deleting' })
    const told = kind === 'volume' ? 'end_volumes' : 'end_snapshots'
    await ask(`select ${told}(array[$1::uuid], array[now()], 'erased', now())`, [one.id])
    expect(await one.name()).toBe('deleted')
    await expect(
      ask(`select ${told}(array[$1::uuid], array[now()], 'term_over', now())`, [one.id]),
    ).rejects.toThrow('does not know')
  },
)
