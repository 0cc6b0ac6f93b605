/** Many wallets settled in batches, while their owners stop, deploy and pay in; rounds that are cut off, missed, doubled. */
import pino from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openClock } from '../db/clock.ts'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { until } from '../product/test-server.ts'
import { startBatches } from '../worker/batches.ts'
import { openSignals } from '../worker/signals.ts'
import { assertLedgerSound } from './audit.ts'
import { settleWork } from './settle-work.ts'

const t0 = Date.parse('2026-03-01T12:00:00.000Z')
const at = (ms: number) => new Date(t0 + ms).toISOString()
const hour = 3_600_000

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

const ask = async <Row>(text: string, ...values: unknown[]): Promise<Row[]> =>
  (await database.pool.query(text, values)).rows as Row[]

async function deploy(userId: string, price = 750_000, ms = 0): Promise<string> {
  const id = newId()
  await ask(`select deploy_charge($1, $2, 'box', $3, $3, null, 'box: setup', $4)`, userId, id, price, at(ms))
  await ask(`select open_meter($1, $2, 'host')`, id, at(ms))
  return id
}

/** Users with two machines each; the last fifth of them has money for two hours. */
async function users(count: number): Promise<{ userId: string; meters: string[] }[]> {
  await ask(
    `insert into look_source (id, observed_at) values ('host', $1) on conflict (id) do update set observed_at = $1`,
    at(100 * hour),
  )
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const userId = newId()
      await ask('insert into auth_user (id) values ($1)', userId)
      const micro = n * 5 < count * 4 ? 100_000_000 : 3_000_000
      await ask(`select credit_wallet($1, $2, 'gift', $3, $4)`, userId, micro, newId(), at(0))
      return { userId, meters: [await deploy(userId), await deploy(userId)] }
    }),
  )
}
const settle = (ids: readonly string[], ms: number) =>
  ask<{ settle_due: string[] }>('select settle_due($1, $2)', ids, at(ms))
interface Standing {
  readonly metered_to: string | null
  readonly ended_at: string | null
  readonly remainder: bigint
  readonly balance_micro: bigint
  readonly due_at: string | null
}
/** Where each meter and its wallet stand. */
const state = async (made: readonly { userId: string }[]): Promise<string[]> =>
  (
    await ask<Standing>(
      `select m.metered_to, m.ended_at, m.remainder, a.balance_micro, w.due_at
      from meter m join wallets w using (user_id) join ledger_account a on a.id = w.account_id
      where user_id = any($1) order by user_id, m.id`,
      made.map(({ userId }) => userId),
    )
  ).map(row => Object.values(row).map(String).join(' '))

test(
  'batches, stops, deploys and deposits at once end without a deadlock, and nothing is charged twice or below zero',
  { timeout: 120_000 },
  async () => {
    const made = await users(40)
    const ids = made.map(({ userId }) => userId)
    const rounds = async (shift: number) => {
      for (let ms = hour; ms <= 6 * hour; ms += hour)
        for (let n = 0; n < ids.length; n += 16) {
          const some = [...ids, ...ids].slice((n + shift) % ids.length, ((n + shift) % ids.length) + 16)
          await settle(shift % 2 ? some.toReversed() : some, ms + shift)
        }
    }
    await Promise.all([
      rounds(0),
      rounds(7),
      rounds(13),
      ...made
        .slice(0, 20)
        .map(({ meters }) => ask(`select close_meter($1, $2, 'stop')`, meters[0], at(3 * hour))),
      ...made
        .slice(10, 40)
        .map(({ userId }) =>
          ask(`select credit_wallet($1, 5000000, 'more', $2, $3)`, userId, newId(), at(2.5 * hour)),
        ),
      ...made.slice(0, 10).map(({ userId }) => deploy(userId, 750_000, 2 * hour)),
    ])
    for (const { userId } of made)
      await ask('select settle_wallets(array[$1::uuid], $2)', userId, at(7 * hour))
    const [sums] = await ask<{ lowest: bigint; running: number }>(
      `select min(balance_micro) as lowest, (select count(*)::int from meter where is_running) as running from ledger_account where owner is not null`,
    )
    expect(sums!.lowest).toBeGreaterThanOrEqual(0n)
    expect(sums!.running).toBeGreaterThan(30)
  },
)

test('a batch that is cut off half way writes nothing; one that is repeated, or a round that was missed, changes nothing', async () => {
  const [cut, whole, late] = [await users(6), await users(6), await users(6)]
  const idsOf = (made: typeof cut) => made.map(({ userId }) => userId)
  const before = await state(cut)
  const client = await database.pool.connect()
  await client.query('begin')
  await client.query('select settle_due($1, $2)', [idsOf(cut), at(5 * hour)])
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  client.on('error', () => {})
  await ask('select pg_terminate_backend($1)', rows[0]!.pid)
  client.release(true)
  expect(await state(cut)).toEqual(before)

  // Each hour, twice.
  for (let ms = hour; ms <= 5 * hour; ms += hour)
    for (const _ of ['once', 'again']) await settle(idsOf(whole), ms)
  await settle(idsOf(cut), 5 * hour)
  await settle(idsOf(late), 5 * hour)
  const outcome = (await state(late)).toSorted()
  expect((await state(cut)).toSorted()).toEqual(outcome)
  expect((await state(whole)).toSorted()).toEqual(outcome)
})

test.each([
  ['is due in half an hour', 30],
  ['is due', 90],
])(
  'a wallet that %s and is settled while a round of looks is written is charged up to that',
  async (_, minutes) => {
    const [one] = await users(1)
    const { userId } = one!
    const now = minutes * 60_000
    await ask(`update look_source set observed_at = $1 where id = 'host'`, at(60_000))
    const round = await database.pool.connect()
    await round.query('begin')
    await round.query(`select note_looks('host', $1, '{}', '{}', $1)`, [at(now)])
    const settled = ask('select settle_wallets(array[$1::uuid], $2)', userId, at(now))
    await until(
      () =>
        ask<{ n: number }>(
          `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        ),
      ([waiting]) => waiting!.n > 0,
    )
    await round.query('commit')
    round.release()
    await settled
    const meters = await ask<{ metered_to: string }>(
      'select metered_to from meter where user_id = $1',
      userId,
    )
    expect(new Set(meters.map(meter => meter.metered_to))).toEqual(new Set([at(now)]))
    // What was paid in advance ends with the hour; after that it is settled each hour.
    const due = minutes < 60 ? hour : now + hour
    expect(await ask('select due_at from wallets where user_id = $1', userId)).toEqual([{ due_at: at(due) }])
  },
)

test('a wallet that somebody holds is left out and comes later; one that cannot be settled keeps no other waiting', async () => {
  const made = await users(5)
  const ids = made.map(({ userId }) => userId)
  const [held, broken] = ids as [string, string]
  // A kind whose noun fails.
  await ask(`insert into meter_kind (id, noun, is_looked_at, at_end, returns, usage_words, return_words, ended_by)
    values ('broken', 'Thing', true, 'close', 'rest', 'use', 'rest', 'no_such_function')`)
  await ask(`update meter set kind = 'broken' where user_id = $1`, broken)
  await ask(`update wallets set due_at = '2100-01-01' where user_id <> all($1)`, ids)
  await ask(
    'select debit_wallet($1, (select balance_micro from ledger_account where owner = $1), $2, $3, $4)',
    broken,
    'gone',
    newId(),
    at(0),
  )
  await ask('select refresh_wallet_due($1, $2)', broken, at(0))
  const holder = await database.pool.connect()
  await holder.query('begin')
  await holder.query('select lock_wallet($1)', [held])

  const log = pino({ level: 'silent' })
  const clock = await openClock(database.kysely)
  const signals = openSignals(database.url, log)
  const work = settleWork({ database, clock, signals })
  const batches = startBatches(work, { log, signals })
  const due = async () =>
    (
      await ask<{ user_id: string }>('select user_id from wallets where due_at <= $1 order by 1', clock.iso())
    ).map(row => row.user_id)
  expect(await until(due, left => left.length === 2)).toEqual([held, broken].toSorted())
  await holder.query('rollback')
  holder.release()
  expect(await until(due, left => left.length === 1)).toEqual([broken])
  await batches.stop()
  await signals.close()
  // For the audit: spans are of the kind of their meter.
  await ask(`update meter set kind = 'instance' where kind = 'broken'`)
})
