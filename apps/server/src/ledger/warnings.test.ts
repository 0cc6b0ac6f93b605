/** What is told before the money ends: at which millisecond, of which wallets, and how often. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const month = 720 * hour
const t0 = Date.parse('2026-03-01T12:00:00.000Z')
const at = (ms: number) => new Date(t0 + ms).toISOString()
const thresholds = { balance_ending: day, balance_hour: hour, balance_minutes: 10 * minute }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
  await database.pool.query(
    `create function end_shelves(uuid[], timestamptz[], text, timestamptz) returns void language sql as 'select';
     insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words, return_words, ended_by)
     values ('shelf', 'Shelf', false, ${month}, 'lapse', 7, 'rest', 'space', 'month', 'rest', 'end_shelves');
     insert into look_source (id, observed_at) values ('host', '2030-01-01')`,
  )
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

const ask = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.pool.query(text, values)).rows as Row[]

async function user(micro: bigint): Promise<string> {
  const id = newId()
  await ask('insert into auth_user (id) values ($1)', id)
  await ask(`select credit_wallet($1, $2, 'gift', $3, $4)`, id, micro, newId(), at(0))
  return id
}
interface Made {
  readonly price: bigint
  readonly prepaid: bigint
  readonly termMs?: number
  readonly kind?: 'instance' | 'shelf'
}
async function running(userId: string, { price, prepaid, termMs, kind = 'instance' }: Made): Promise<string> {
  const id = newId()
  await ask(
    `select deploy_charge($1, $2, $3, $4, $5, $6, 'first', $7, false, $3)`,
    userId,
    id,
    kind,
    price,
    prepaid,
    termMs === undefined ? null : at(termMs),
    at(0),
  )
  await ask('select open_meter($1, $2, $3)', id, at(0), kind === 'instance' ? 'host' : null)
  return id
}

interface Told {
  readonly user_id: string
  readonly kind: string
  readonly channel: 'mail' | 'sms'
  readonly items: readonly { at: string; empty_at: string; is_month: boolean; ends: { name: string }[] }[]
}
const told = (...users: string[]) =>
  ask<Told>(
    `select user_id, kind, channel, items from notice where user_id = any($1) and kind = any($2) order by kind, channel`,
    users,
    Object.keys(thresholds),
  )
const dueAt = async (userId: string) => {
  const [row] = await ask<{ due_at: string | null }>('select due_at from wallets where user_id = $1', userId)
  return row!.due_at === null ? null : Date.parse(row!.due_at) - t0
}
/** Lets the timers fire at their moment until nothing runs. Returns how many did. */
async function letRunOut(userId: string, untilMs: number): Promise<number> {
  for (let count = 0; ; count++) {
    const due = await dueAt(userId)
    if (due === null || due > untilMs) return count
    await ask('select settle_due(array[$1::uuid], $2)', userId, at(due))
  }
}

test.each<[what: string, made: Made[], micro: bigint, last: number]>([
  // $1 an hour, the first one prepaid: 30 hours more.
  ['a wallet after a prepaid hour', [{ price: 1_000_000n, prepaid: 1_000_000n }], 30_000_000n, 31 * hour],
  ['a term, then the hour', [{ price: 1_000_000n, prepaid: 9n, termMs: 50 * hour }], 30_000_000n, 80 * hour],
  [
    'two of different hours',
    [
      { price: 1_000_000n, prepaid: 1_000_000n },
      { price: 3_000_000n, prepaid: 3_000_000n },
    ],
    120_000_000n,
    31 * hour,
  ],
  ['a month that is not covered', [{ price: 1_000n, prepaid: 720_000n, kind: 'shelf' }], 100n, month - 1],
])(
  'of %s the end is told a day, an hour and ten minutes before, at that millisecond, by mail and text, and once',
  async (_, made, micro, lasts) => {
    const userId = await user(micro + made.reduce((sum, { prepaid }) => sum + prepaid, 0n))
    for (const each of made) await running(userId, each)
    // Nothing happens before the last days.
    await ask('select settle_due(array[$1::uuid], $2)', userId, at(lasts - 26 * hour))
    await letRunOut(userId, month + 8 * day)
    const all = await told(userId)
    expect(all.map(({ kind, channel }) => `${kind} ${channel}`)).toEqual([
      'balance_ending mail',
      'balance_ending sms',
      'balance_hour mail',
      'balance_hour sms',
      'balance_minutes mail',
      'balance_minutes sms',
    ])
    for (const { kind, items } of all) {
      expect(items).toHaveLength(1)
      const empty = Date.parse(items[0]!.empty_at) - t0
      // What is rounded off lasts some milliseconds more.
      expect(empty - lasts).toBeGreaterThanOrEqual(0)
      expect(empty - lasts).toBeLessThan(5)
      expect(Date.parse(items[0]!.at) - t0).toBe(empty + 1 - thresholds[kind as keyof typeof thresholds])
      expect(items[0]!.is_month).toBe(made[0]!.kind === 'shelf')
      expect(items[0]!.ends).toHaveLength(made.length)
    }
  },
)

test('the warnings cost three settlements of a run-out and no more', async () => {
  const userId = await user(31_000_000n)
  await running(userId, { price: 1_000_000n, prepaid: 1_000_000n })
  // The prepaid hour, each hour after the last settlement, and the end; a warning begins the hour anew.
  expect(await letRunOut(userId, 40 * hour)).toBeLessThanOrEqual(31 + 1 + 3)
})

test('what is prepaid alone is told of too; thresholds that are crossed at once are told as the most urgent', async () => {
  const bare = await user(1_000_000n)
  await running(bare, { price: 1_000_000n, prepaid: 1_000_000n })
  // An hour is left: the day's threshold and the hour's are one.
  expect((await told(bare)).map(({ kind }) => kind)).toEqual(['balance_hour', 'balance_hour'])
  await letRunOut(bare, 2 * hour)
  expect(new Set((await told(bare)).map(({ kind }) => kind))).toEqual(
    new Set(['balance_hour', 'balance_minutes']),
  )

  const leapt = await user(31_000_000n)
  await running(leapt, { price: 1_000_000n, prepaid: 1_000_000n })
  await ask('select settle_due(array[$1::uuid], $2)', leapt, at(31 * hour - 5 * minute))
  expect((await told(leapt)).map(({ kind }) => kind)).toEqual(['balance_minutes', 'balance_minutes'])

  const gone = await user(31_000_000n)
  await running(gone, { price: 1_000_000n, prepaid: 1_000_000n })
  await ask('select settle_due(array[$1::uuid], $2)', gone, at(40 * hour))
  expect(await told(gone)).toEqual([])
  const [empty] = await ask<{ n: number }>(
    `select count(*)::int as n from notice where user_id = $1 and kind = 'balance_empty'`,
    gone,
  )
  expect(empty!.n).toBe(2)
})

test('money that comes in tells the next fall anew; a stop and a start do so after a pause alone', async () => {
  const userId = await user(3_000_000n)
  const id = await running(userId, { price: 1_000_000n, prepaid: 1_000_000n })
  await letRunOut(userId, 2 * hour + 5 * minute)
  const times = async () => (await told(userId)).map(({ kind, items }) => `${kind} ${items.length}`)
  await ask(`update notice set items = '[]', due_at = null, sent_at = now() where user_id = $1`, userId)
  const now = at(2 * hour + 10 * minute)
  await ask(`select count(*) from close_meter($1, $2, 'stop')`, id, now)
  await ask('select open_meter($1, $2, $3)', id, now, 'host')
  expect(await times()).toEqual(['balance_ending 0', 'balance_ending 0', 'balance_hour 0', 'balance_hour 0'])
  await ask(`update notice set queued_at = now() - interval '61 minutes' where user_id = $1`, userId)
  await ask(`select count(*) from close_meter($1, $2, 'stop')`, id, now)
  await ask('select open_meter($1, $2, $3)', id, now, 'host')
  expect(await times()).toEqual(['balance_ending 0', 'balance_ending 0', 'balance_hour 1', 'balance_hour 1'])
  // Two hours more: it falls below the last hour again.
  await ask(`update notice set items = '[]', due_at = null where user_id = $1`, userId)
  await ask(`select credit_wallet($1, 2000000, 'more', $2, $3)`, userId, newId(), now)
  await ask('select refresh_wallet_due($1, $2)', userId, now)
  await letRunOut(userId, 4 * hour + 1 * minute)
  expect(await times()).toEqual(['balance_ending 0', 'balance_ending 0', 'balance_hour 1', 'balance_hour 1'])
})

test('many wallets are told in one statement, each of its own end', async () => {
  const users = await Promise.all(Array.from({ length: 40 }, (_, n) => user(BigInt(25 + n) * 1_000_000n)))
  for (const id of users) await running(id, { price: 1_000_000n, prepaid: 1_000_000n })
  await ask('select count(*) from settle_due($1, $2)', users, at(20 * hour))
  const all = await told(...users)
  // Each lasts as long as it has dollars: those that end within a day are told.
  expect(new Set(all.map(({ user_id }) => user_id))).toEqual(new Set(users.filter((_, n) => 25 + n < 44)))
  expect(all).toHaveLength(2 * users.filter((_, n) => 25 + n < 44).length)
})

test('a settlement that is cut off tells nothing, and the one after it once', async () => {
  const userId = await user(31_000_000n)
  await running(userId, { price: 1_000_000n, prepaid: 1_000_000n })
  const client = await database.pool.connect()
  client.on('error', () => {})
  await client.query('begin')
  await client.query('select settle_due(array[$1::uuid], $2)', [userId, at(20 * hour)])
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  await ask('select pg_terminate_backend($1, 5000)', rows[0]!.pid)
  client.release(true)
  expect(await told(userId)).toEqual([])
  for (const ms of [20 * hour, 20 * hour + 1, 21 * hour])
    await ask('select settle_due(array[$1::uuid], $2), refresh_wallet_due($1, $2)', userId, at(ms))
  const all = await told(userId)
  expect(all.map(({ items }) => items.length)).toEqual([1, 1])
})
