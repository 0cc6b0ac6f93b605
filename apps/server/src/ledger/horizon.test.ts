/** Up to when a meter is charged: its horizon, the end that a look finds, and never back. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'
import { getBalance } from './ledger.ts'

const t0 = Date.parse('2026-03-01T12:00:00.000Z')
const at = (ms: number) => new Date(t0 + ms).toISOString()
const minute = 60_000

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

/** A user with money, and a meter of theirs that was paid for one hour. */
async function meterAt(price: bigint): Promise<{ userId: string; id: string }> {
  const [userId, id] = [newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(database.kysely)
  await sql`select credit_wallet(${userId}, 2000000000, 'gift', ${newId()}, ${at(0)})`.execute(
    database.kysely,
  )
  await sql`select deploy_charge(${userId}, ${id}, 'box', ${price}, ${price}, null, 'box: initial setup', ${at(0)})`.execute(
    database.kysely,
  )
  return { userId, id }
}
/** One of the ledger's functions on a meter, at a time. */
const call = (name: string, id: string, ...ms: number[]) =>
  sql`select count(*) from ${sql.raw(name)}(${id}, ${sql.join(ms.map(at))})`.execute(database.kysely)
const open = (id: string, ms: number) =>
  sql`select open_meter(${id}, ${at(ms)}, 'host')`.execute(database.kysely)
const close = (id: string, ms: number) =>
  sql`select close_meter(${id}, ${at(ms)}, 'stop')`.execute(database.kysely)
const settle = (userId: string, ms: number) =>
  sql`select settle_wallets(array[${userId}]::uuid[], ${at(ms)})`.execute(database.kysely)
/** What it cost, with what was returned taken off. */
async function net(id: string): Promise<bigint> {
  const { rows } = await sql<{ net: bigint }>`
    select ((select coalesce(sum(amount_micro), 0) from usage_line where meter_id = ${id})
      - (select coalesce(sum(amount_micro), 0) from usage_return where meter_id = ${id}))::bigint as net`.execute(
    database.kysely,
  )
  return rows[0]!.net
}

test('nothing is charged beyond two minutes after the last look, and the timer waits for the next', async () => {
  const { userId, id } = await meterAt(3_600_000n)
  await open(id, 0)
  for (const ms of [minute, 2 * minute, 600 * minute]) await settle(userId, ms)
  expect(await net(id)).toBe(120_000n)
  const { due_at } = await database.kysely
    .selectFrom('wallets')
    .select('due_at')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  expect(due_at).toBeNull()
  expect(await getBalance(database.pool, userId, at(601 * minute))).toMatchObject({
    spending_per_hour: '0.000000',
    empty_at: null,
  })
  await call('see_meter', id, 600 * minute, 600 * minute)
  expect(await net(id)).toBe(36_000_000n)
  expect(await getBalance(database.pool, userId, at(601 * minute))).toMatchObject({
    spending_per_hour: '3.600000',
    drawing_per_hour: '3.600000',
    empty_at: expect.any(String) as string,
  })
})

test(
  'whatever was settled, seen and stopped before, a run costs the time that it truly ran, and the next goes on from there',
  { timeout: 300_000 },
  async () => {
    const act = fc.record({
      kind: fc.constantFrom('look', 'settle', 'stop'),
      afterMs: fc.integer({ min: 1, max: 20 * 60_000 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 1n, max: 50_000_000n }),
        fc.array(fc.tuple(fc.array(act, { maxLength: 5 }), fc.integer({ min: 0, max: 30 * 60_000 })), {
          minLength: 1,
          maxLength: 3,
        }),
        async (price, runs) => {
          const { userId, id } = await meterAt(price)
          let [now, ranMs] = [0, 0]
          for (const [acts, ranOnMs] of runs) {
            const began = now
            await open(id, now)
            let seen = now
            let asked: number | null = null
            for (const { kind, afterMs } of acts) {
              now += afterMs
              if (kind === 'look' && asked === null) {
                seen = now
                await call('see_meter', id, now, now)
              } else if (kind === 'stop' && asked === null) {
                asked = now
                await close(id, now)
              } else await settle(userId, now)
            }
            const end = Math.min(seen + ranOnMs, asked ?? Number.POSITIVE_INFINITY)
            now = Math.max(now, end) + 1
            await call('end_meter', id, end, now)
            ranMs += end - began
            expect(await net(id)).toBe((price * BigInt(ranMs)) / 3_600_000n)
          }
        },
      ),
      { numRuns: process.env['INGOT_LONG_TESTS'] ? 1_000 : 40 },
    )
  },
)

test('a clock that is set back during a run, or between two, makes no line overlap another, and the sum is that of the time charged', async () => {
  const { userId, id } = await meterAt(3_600_000n)
  await open(id, 0)
  await settle(userId, 30_000)
  // Set back by 20 s; the run goes on.
  await settle(userId, 12_000)
  await close(id, 15_000)
  await open(id, 16_000)
  await settle(userId, 25_000)
  await close(id, 46_000)
  const { rows } = await sql<{ from_at: string; to_at: string; amount_micro: bigint }>`
    select from_at, to_at, amount_micro from usage_line where meter_id = ${id} order by id`.execute(
    database.kysely,
  )
  expect(rows).toEqual([
    { from_at: at(0), to_at: at(30_000), amount_micro: 30_000n },
    { from_at: at(30_000), to_at: at(46_000), amount_micro: 16_000n },
  ])
  expect(await net(id)).toBe(46_000n)
})
