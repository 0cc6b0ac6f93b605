/** How long the money lasts, in closed form, against a search through the milliseconds with the rule itself. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'
import { getBalance } from './ledger.ts'

const t0 = Date.parse('2026-03-01T12:00:00.000Z')
const at = (ms: number) => new Date(t0 + ms).toISOString()
const hour = 3_600_000
const month = 720 * hour
const decade = 3650 * 24 * hour

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
  await sql
    .raw(
      `insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words, return_words, ended_by)
       values ('lamp', 'Lamp', false, null, 'close', null, 'rest', 'light', null, 'rest', 'end_lamps'),
         ('shelf', 'Shelf', false, ${month}, 'lapse', 7, 'rest', 'space', 'month', 'rest', 'end_lamps');
       create function end_lamps(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language sql as ''`,
    )
    .execute(database.kysely)
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

interface Meter {
  readonly kind: 'instance' | 'lamp' | 'shelf'
  readonly price: bigint
  readonly prepaid: bigint
  readonly opensMs: number
  readonly termMs: number | null
}
const meter: fc.Arbitrary<Meter> = fc
  .record({
    kind: fc.constantFrom('instance', 'lamp', 'shelf'),
    price: fc.bigInt({ min: 1n, max: 50_000_000n }),
    prepaid: fc.bigInt({ min: 1n, max: 60_000_000n }),
    opensMs: fc.integer({ min: 0, max: 2 * hour }),
    termMs: fc.option(fc.integer({ min: 1, max: 100 * hour }), { freq: 4 }),
  })
  .map(each =>
    each.kind === 'shelf' ? { ...each, prepaid: each.price * 720n, termMs: null } : each,
  ) as fc.Arbitrary<Meter>

/** Micro-USD × ms that a wallet covers. */
const covered = (balance: bigint) => balance * BigInt(hour) + BigInt(hour - 1)

/** What the meters draw up to `ms`, by the rule: beyond what is prepaid for each, and months when they come. */
const drawn = (meters: readonly Meter[], ms: number): bigint =>
  meters.reduce((sum, { price, prepaid, opensMs, termMs, kind }) => {
    if (kind === 'shelf') {
      const months = Math.max(0, Math.floor((ms - opensMs) / month))
      return sum + BigInt(months) * price * BigInt(month)
    }
    const used = price * BigInt(Math.max(0, ms - Math.max(opensMs, termMs ?? opensMs)))
    const own = termMs === null ? used - prepaid * BigInt(hour) : used
    return sum + (own > 0n ? own : 0n)
  }, 0n)

function lastCovered(meters: readonly Meter[], balance: bigint, from: number): number | null {
  let [low, high] = [from, from + decade]
  if (drawn(meters, high) <= covered(balance)) return null
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (drawn(meters, middle) <= covered(balance)) low = middle
    else high = middle
  }
  return low
}

test(
  'the balance ends at the millisecond that a search finds, however many meters of whatever kind draw on it',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(meter, { minLength: 1, maxLength: 6 }),
        fc.bigInt({ min: 0n, max: 20_000_000_000n }),
        fc.integer({ min: 0, max: 3 * hour }),
        async (meters, balance, readMs) => {
          const userId = newId()
          const inAdvance = meters.reduce((sum, { prepaid }) => sum + prepaid, 0n)
          await sql`insert into auth_user (id) values (${userId})`.execute(database.kysely)
          await sql`select credit_wallet(${userId}, ${balance + inAdvance}, 'gift', ${newId()}, ${at(0)})`.execute(
            database.kysely,
          )
          const ids: string[] = []
          for (const { kind, price, prepaid, opensMs, termMs } of meters) {
            const id = newId()
            ids.push(id)
            await sql`select deploy_charge(${userId}, ${id}, 'box', ${price}, ${prepaid}, ${termMs === null ? null : at(termMs)},
              'box: first', ${at(0)}, false, ${kind})`.execute(database.kysely)
            await sql`select open_meter(${id}, ${at(opensMs)}, ${kind === 'instance' ? 'host' : null})`.execute(
              database.kysely,
            )
          }
          const now = Math.max(readMs, ...meters.map(({ opensMs }) => opensMs))
          await sql`update meter set seen_at = ${at(now)} where user_id = ${userId} and source is not null`.execute(
            database.kysely,
          )
          const search = lastCovered(meters, balance, now)
          const read = await getBalance(database.pool, userId, at(now))
          const isDrawing = Number(read!.spending_per_hour) > 0
          expect(read!.empty_at).toBe(isDrawing && search !== null ? at(search) : null)
        },
      ),
      { numRuns: process.env['INGOT_LONG_TESTS'] ? 1_000 : 40 },
    )
  },
)

test('a wallet that holds as much as there can be is read, and lasts', async () => {
  const [userId, id] = [newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(database.kysely)
  await sql`select credit_wallet(${userId}, 9223372036854775807, 'gift', ${newId()}, ${at(0)})`.execute(
    database.kysely,
  )
  await sql`select deploy_charge(${userId}, ${id}, 'lamp', 1, 1, null, 'lamp: first', ${at(0)}, false, 'lamp'),
    open_meter(${id}, ${at(0)})`.execute(database.kysely)
  await sql`select count(*) from settle_wallets(array[${userId}]::uuid[], ${at(2 * hour)})`.execute(
    database.kysely,
  )
  expect(await getBalance(database.pool, userId, at(2 * hour))).toMatchObject({
    balance_usd: '9223372036854.775805',
    spending_per_hour: '0.000001',
    empty_at: null,
  })
})
