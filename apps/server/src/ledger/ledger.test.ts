import { gpuCounts, priceOf } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { specifiedGpus } from '@ingot/contracts/test-catalog'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'
import {
  assertCanRun,
  chargeDeploy,
  closeMeter,
  getBalance,
  openMeter,
  returnPrepaid,
  seeMeter,
} from './ledger.ts'

const t0 = Date.parse('2026-03-01T12:00:00.000Z')
const at = (ms: number) => new Date(t0 + ms).toISOString()
const hour = 3_600_000

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

/** A user whose wallet holds `micro`. */
async function user(micro: bigint): Promise<string> {
  const id = newId()
  await database.kysely
    .insertInto('auth_user')
    .values({ id, app_metadata: '{}', user_metadata: '{}' })
    .execute()
  if (micro > 0n)
    await sql`select credit_wallet(${id}, ${micro}, 'gift', ${newId()}, ${at(0)})`.execute(database.kysely)
  else await sql`select get_or_create_wallet(${id})`.execute(database.kysely)
  return id
}

async function deploy(
  userId: string,
  price: bigint,
  options: { total?: bigint; paidUntil?: string; at?: number } = {},
): Promise<string> {
  const instanceId = newId()
  await inTransaction(database.kysely, tx =>
    chargeDeploy(
      tx,
      {
        userId,
        instanceId,
        label: 'box',
        hourlyCost: price,
        total: options.total ?? price,
        paidUntil: options.paidUntil ?? null,
        description: 'box: initial setup',
        starts: false,
      },
      at(options.at ?? 0),
    ),
  )
  return instanceId
}

const open = (id: string, ms: number) =>
  inTransaction(database.kysely, tx => openMeter(tx, id, at(ms), 'host'))
/** What runs is looked at up to the moment that is asked about, unless a test says otherwise. */
const look = (ms: number) =>
  sql`update meter set seen_at = ${at(ms)} where metered_to is not null and seen_at < ${at(ms)}`.execute(
    database.kysely,
  )
const close = async (id: string, ms: number) => {
  await look(ms)
  return inTransaction(database.kysely, tx => closeMeter(tx, id, at(ms), 'stop'))
}
const settle = async (userId: string, ms: number) => {
  await look(ms)
  await sql`select settle_wallets(array[${userId}]::uuid[], ${at(ms)})`.execute(database.kysely)
}
const giveBack = (id: string, ms: number) =>
  inTransaction(database.kysely, tx => returnPrepaid(tx, id, at(ms)))
const balance = async (userId: string, ms: number) => {
  await look(ms)
  return (await getBalance(database.pool, userId, at(ms)))!.balance_usd
}
/** When the empty wallet ended its meters. */
const closings = async (userId: string) =>
  Object.fromEntries(
    (
      await database.kysely
        .selectFrom('meter_span')
        .select(['meter_id', 'at'])
        .where('user_id', '=', userId)
        .where('cause', '=', 'balance_empty')
        .execute()
    ).map(({ meter_id, at: end }) => [meter_id, end]),
  )
const dueAt = async (userId: string) =>
  (
    await database.kysely
      .selectFrom('wallets')
      .select('due_at')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
  ).due_at

describe('the deploy charge', () => {
  test('an hour is paid in advance, the next half hour by the second', async () => {
    const userId = await user(25_000_000n)
    const id = await deploy(userId, 750_000n)
    expect(await balance(userId, 0)).toBe('24.250000')
    await open(id, 0)
    expect(await balance(userId, hour)).toBe('24.250000')
    expect(await balance(userId, 1.5 * hour)).toBe('23.875000')
    const line = await close(id, 1.5 * hour)
    expect(line).toMatchObject({
      amount_micro: 1_125_000n,
      prepaid_micro: 750_000n,
      wallet_micro: 375_000n,
      closed_at: null,
    })
    expect(await balance(userId, 9 * hour)).toBe('23.875000')
  })

  test('what is left of it returns on delete, to the micro-dollar', async () => {
    const userId = await user(25_000_000n)
    const id = await deploy(userId, 750_000n)
    await open(id, 0)
    await close(id, 1)
    expect(await giveBack(id, 2)).toBe(750_000n)
    expect(await giveBack(id, 3)).toBe(0n)
    const other = await deploy(userId, 750_000n)
    await open(other, 0)
    await close(other, 100_000)
    expect(await giveBack(other, 200_000)).toBe(750_000n - 20_833n)
    expect(await balance(userId, hour)).toBe('24.979167')
  })

  test('an upfront term covers its time; deleted early, the time held is charged at the hourly price and the rest returns', async () => {
    const userId = await user(600_000_000n)
    const id = await deploy(userId, 750_000n, { total: 535_000_000n, paidUntil: at(2160 * hour) })
    await open(id, 0)
    await settle(userId, 10 * hour)
    expect(await balance(userId, 10 * hour)).toBe('65.000000')
    await close(id, 20 * hour)
    expect(await giveBack(id, 100 * hour)).toBe(535_000_000n - 75_000_000n)
  })

  test('an upfront term that ended is earned, and running on costs the hourly price', async () => {
    const userId = await user(600_000_000n)
    const id = await deploy(userId, 1_000_000n, { total: 500_000_000n, paidUntil: at(2160 * hour) })
    await open(id, 0)
    await close(id, 2161 * hour)
    expect(await balance(userId, 2161 * hour)).toBe('99.000000')
    expect(await giveBack(id, 2162 * hour)).toBe(0n)
  })
})

describe('metering', () => {
  test('no split of time changes a total', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 1n, max: 50_000_000n }),
        fc.array(fc.integer({ min: 1, max: 3 * hour }), { minLength: 1, maxLength: 8 }),
        async (price, steps) => {
          const userId = await user(2_000_000_000n)
          const id = await deploy(userId, price)
          await open(id, 0)
          let ms = 0
          for (const step of steps) {
            ms += step
            await settle(userId, ms)
          }
          await close(id, ms)
          const { total } = (
            await sql<{
              total: bigint
            }>`select sum(amount_micro)::bigint as total from usage_line where meter_id = ${id}`.execute(
              database.kysely,
            )
          ).rows[0]!
          expect(total).toBe((price * BigInt(ms)) / 3_600_000n)
        },
      ),
      { numRuns: process.env['INGOT_LONG_TESTS'] ? 1_000 : 40 },
    )
  })

  test('a clock that a second process reads a little earlier charges nothing and breaks nothing', async () => {
    const userId = await user(10_000_000n)
    const id = await deploy(userId, 1_000_000n)
    await open(id, 1000)
    await close(id, 500)
    expect(await balance(userId, hour)).toBe('9.000000')
  })
})

describe('an empty wallet', () => {
  test('usage ends at the last millisecond the money covered, however late the timer', async () => {
    const userId = await user(2_000_000n)
    const id = await deploy(userId, 1_000_000n)
    await open(id, 0)
    await settle(userId, 48 * hour)
    expect(await closings(userId)).toEqual({ [id]: at(2 * hour + 3) })
    expect(await balance(userId, 48 * hour)).toBe('0.000000')
    expect(await dueAt(userId)).toBeNull()
  })

  test('an instance inside its prepaid hour runs on when another empties the wallet, and stops at the end of its own', async () => {
    const userId = await user(3_500_000n)
    const first = await deploy(userId, 1_000_000n)
    const second = await deploy(userId, 2_000_000n)
    await open(first, 0)
    await open(second, hour)
    await settle(userId, 10 * hour)
    expect(await closings(userId)).toEqual({ [first]: at(1.5 * hour + 3), [second]: at(2 * hour + 1) })
    expect(await balance(userId, 10 * hour)).toBe('0.000000')
  })

  test('the timer stands at exhaustion when that comes before the prepaid hour of another ends', async () => {
    const userId = await user(1_250_000n)
    const id = await deploy(userId, 1_000_000n)
    await open(id, 0)
    // An hour before the end, ten minutes before it, and the end itself.
    expect(await dueAt(userId)).toBe(at(0.25 * hour + 4))
    await settle(userId, 0.25 * hour + 4)
    expect(await dueAt(userId)).toBe(at(hour))
    await settle(userId, hour)
    expect(await dueAt(userId)).toBe(at(1.25 * hour + 4 - 600_000))
    await settle(userId, 1.25 * hour + 4 - 600_000)
    expect(await dueAt(userId)).toBe(at(1.25 * hour + 4))
    expect((await getBalance(database.pool, userId, at(hour)))!.empty_at).toBe(at(1.25 * hour + 3))
  })

  test('the timer stands again after a look that was asked for before the horizon and answered behind it', async () => {
    const userId = await user(1_250_000n)
    const id = await deploy(userId, 1_000_000n)
    await open(id, 0)
    const minute = 60_000
    await sql`select settle_wallets(array[${userId}]::uuid[], ${at(2 * minute + 10)})`.execute(
      database.kysely,
    )
    expect(await dueAt(userId)).toBeNull()
    await inTransaction(database.kysely, tx => seeMeter(tx, id, at(minute), at(2 * minute + 20)))
    expect(await dueAt(userId)).toBe(at(0.25 * hour + 4))
  })

  test('the timer stands again once a clock that was set back has come to the last look', async () => {
    const userId = await user(1_250_000n)
    const id = await deploy(userId, 1_000_000n)
    await open(id, 0)
    const minute = 60_000
    await sql`select settle_wallets(array[${userId}]::uuid[], ${at(3 * minute)})`.execute(database.kysely)
    // Set back by two hours; the next looks find nothing new.
    const look = (ms: number) => inTransaction(database.kysely, tx => seeMeter(tx, id, at(ms), at(ms)))
    await look(-2 * hour)
    expect(await dueAt(userId)).toBeNull()
    await look(10)
    expect(await dueAt(userId)).toBe(at(0.25 * hour + 4))
  })

  test('starting needs ten minutes in advance, from what is prepaid or from the wallet', async () => {
    const userId = await user(1_000_000n)
    const id = await deploy(userId, 1_000_000n)
    const check = (ms: number) => inTransaction(database.kysely, tx => assertCanRun(tx, id, at(ms)))
    await check(0)
    await open(id, 0)
    await close(id, 0.9 * hour)
    await expect(check(0.9 * hour)).rejects.toMatchObject({ code: 'insufficient_funds' })
  })
})

describe('ten years of every configuration for sale', () => {
  const years = 3650 * 24
  test.each(specifiedGpus.flatMap(gpu => gpuCounts.map(count => [count, gpu.name, gpu] as const)))(
    '%i × %s: how long the money lasts, and the charge, are exact',
    async (gpu_count, _, gpu) => {
      const largest = { gpu_count, system_storage_gb: 200, data_storage_gb: 1000 }
      const { hourly } = priceOf(gpu, largest, 'hourly')
      const userId = await user(hourly * BigInt(years))
      const id = await deploy(userId, hourly)
      await open(id, 0)
      // The last millisecond at which what was used, whole micro-dollars of it, is no more than what was paid in.
      const last = Number(((hourly * BigInt(years) + 1n) * 3_600_000n - 1n) / hourly)
      expect((await getBalance(database.pool, userId, at(0)))!.empty_at).toBeNull()
      await look(hour)
      expect((await getBalance(database.pool, userId, at(hour)))!.empty_at).toBe(at(last))
      const used = years * hour - 1
      const cost = (hourly * BigInt(used)) / 3_600_000n
      expect(await balance(userId, used)).toBe(formatUsd(hourly * BigInt(years) - cost))
      expect(await close(id, used)).toMatchObject({ closed_at: null })
      const { rows } = await sql<{ total: bigint }>`
        select sum(amount_micro)::bigint as total from usage_line where meter_id = ${id}`.execute(
        database.kysely,
      )
      expect(rows).toEqual([{ total: cost }])
    },
  )

  test('a year paid ahead for the dearest, deleted ten years later, returns nothing and fails nothing', async () => {
    const hourly = parseUsd('32.80')
    const userId = await user(hourly)
    const id = await deploy(userId, hourly, { paidUntil: at(8760 * hour) })
    expect(await giveBack(id, years * hour)).toBe(0n)
  })
})

describe('concurrency', () => {
  test('of 64 parallel deploys on a wallet that can pay for 3, exactly 3 succeed', async () => {
    const userId = await user(3_749_999n)
    const results = await Promise.allSettled(Array.from({ length: 64 }, () => deploy(userId, 1_000_000n)))
    const refused = results.filter(r => r.status === 'rejected').map(r => r.reason as unknown)
    expect(refused).toHaveLength(61)
    expect(refused.every(error => error instanceof IngotError && error.code === 'insufficient_funds')).toBe(
      true,
    )
    expect(await balance(userId, 0)).toBe('0.749999')
  })

  test('a replayed charge charges once, also when both arrive together', async () => {
    const userId = await user(10_000_000n)
    const idem = newId()
    const debit = () =>
      sql<{ r: string }>`select debit_wallet(${userId}, 1000000, 'once', ${idem}, ${at(0)}) as r`.execute(
        database.kysely,
      )
    const results = (await Promise.all([debit(), debit(), debit(), debit()]))
      .map(r => r.rows[0]!.r)
      .toSorted()
    expect(results).toEqual(['posted', 'replayed', 'replayed', 'replayed'])
    expect(await balance(userId, 0)).toBe('9.000000')
    await expect(
      sql`select debit_wallet(${userId}, 2000000, 'other', ${idem}, ${at(0)})`.execute(database.kysely),
    ).rejects.toThrow('another movement')
  })

  test('a replay is recognised even when the wallet could not pay for it again', async () => {
    const userId = await user(1_000_000n)
    const idem = newId()
    const debit = () =>
      sql<{ r: string }>`select debit_wallet(${userId}, 1000000, 'all', ${idem}, ${at(0)}) as r`.execute(
        database.kysely,
      )
    await debit()
    expect((await debit()).rows[0]!.r).toBe('replayed')
  })

  test('settling, stopping and charging at once neither deadlock nor charge twice', async () => {
    const userId = await user(1_000_000_000n)
    const ids = await Promise.all(Array.from({ length: 6 }, () => deploy(userId, 3_600_000n)))
    await Promise.all(ids.map(id => open(id, 0)))
    await look(5 * hour) // Else each of these looks first, and in no order.
    await Promise.all([
      ...ids.map(id => close(id, 5 * hour)),
      ...Array.from({ length: 10 }, () => settle(userId, 5 * hour)),
      ...Array.from({ length: 10 }, () =>
        sql`select debit_wallet(${userId}, 1, 'one', ${newId()}, ${at(0)})`.execute(database.kysely),
      ),
    ])
    // $1000 less six instances for five hours at $3.60, less ten micro-dollars.
    expect(await balance(userId, 5 * hour)).toBe('891.999990')
  })
})

test('history cannot be rewritten', async () => {
  const userId = await user(1_000_000n)
  for (const statement of [
    'update ledger_transfer set amount_micro = 1',
    'delete from ledger_transfer',
    'truncate ledger_transfer',
    'delete from usage_line',
  ]) {
    const run = statement.includes('usage_line')
      ? deployAndUse(userId).then(() => sql.raw(statement).execute(database.kysely))
      : sql.raw(statement).execute(database.kysely)
    await expect(run).rejects.toThrow('append-only')
  }
})

async function deployAndUse(userId: string): Promise<void> {
  const id = await deploy(userId, 1_000_000n)
  await open(id, 0)
  await close(id, 1000)
}
