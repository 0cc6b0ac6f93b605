/** Credit that a first deposit brings: what it pays, when it ends, and that nothing of it becomes money. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
  await database.pool.query(`
    insert into look_source (id, grace_ms) values ('patient', 2000000000);
    create function end_scratch(uuid[], timestamptz[], text, timestamptz) returns void language sql as 'select';
    insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words, return_words, ended_by)
    values ('scratch', 'Scratch', false, 2592000000, 'lapse', 7, 'rest', 'use', 'month', 'rest of the month', 'end_scratch')`)
})
afterEach(() => assertLedgerSound(database.kysely))
afterAll(() => database.close())

type Row = Record<string, unknown>
const ask = async (text: string, values: unknown[]): Promise<Row> =>
  (await database.pool.query<Row>(text, values)).rows[0]!

const credit = `select credit_deposit($1, 'devnet', $2, 0, $3, 1, $5, '\\x00', '\\x00', $4, 10000000, 19, $5, null, $6)`
const deposit = (userId: string, usd: number, at: string, creditEndsAt: string | null = '2026-02-01') =>
  ask(credit, [newId(), randomBytes(32), userId, usd * 1e6, at, creditEndsAt])

async function customer(usd: number): Promise<string> {
  const userId = newId()
  await ask('insert into auth_user (id) values ($1)', [userId])
  await deposit(userId, usd, '2026-01-01')
  return userId
}
/** At $1 an hour, or so much for a month. */
async function box(
  userId: string,
  usd: number,
  at: string,
  paidUntil: string | null = null,
  kind = 'instance',
) {
  const id = newId()
  const price = kind === 'instance' ? 1_000_000 : Math.ceil((usd * 1e6) / 720)
  const total = kind === 'instance' ? usd * 1e6 : price * 720
  await ask(`select deploy_charge($1, $2, 'box', $3, $4, $5, 'box: setup', $6, false, $7)`, [
    userId,
    id,
    price,
    total,
    paidUntil,
    at,
    kind,
  ])
  return id
}
const open = (id: string, at: string) =>
  ask(
    `select open_meter(m.id, $2, case when k.is_looked_at then 'patient' end) from meter m join meter_kind k on k.id = m.kind where m.id = $1`,
    [id, at],
  )
const close = (id: string, at: string) => ask(`select count(*) from close_meter($1, $2, 'stop')`, [id, at])
const giveBack = (id: string, at: string) => ask('select return_prepaid($1, $2)', [id, at])
/** Whole dollars, as the wallet says them at a time. */
async function holds(userId: string, at: string): Promise<{ money: number; credit: number }> {
  const { balance_micro, credit_micro } = await ask('select * from read_wallet($1, $2, 30)', [userId, at])
  return { money: Number(balance_micro) / 1e6, credit: Number(credit_micro) / 1e6 }
}

describe('credit', () => {
  test('is used after what is prepaid and before the wallet, and the wallet only after it', async () => {
    const userId = await customer(20)
    expect(await holds(userId, '2026-01-01')).toEqual({ money: 20, credit: 10 })
    const id = await box(userId, 1, '2026-01-01')
    expect(await holds(userId, '2026-01-01')).toEqual({ money: 20, credit: 9 })
    await open(id, '2026-01-01')
    expect(await holds(userId, '2026-01-01 01:00')).toEqual({ money: 20, credit: 9 })
    expect(await holds(userId, '2026-01-01 05:00')).toEqual({ money: 20, credit: 5 })
    expect(await holds(userId, '2026-01-01 13:00')).toEqual({ money: 17, credit: 0 })
    await close(id, '2026-01-01 13:00')
    expect(await holds(userId, '2026-01-01 13:00')).toEqual({ money: 17, credit: 0 })
  })

  test('lasts as far as it and the balance, and not beyond its end', async () => {
    const userId = await customer(20)
    const id = await box(userId, 1, '2026-01-01')
    await open(id, '2026-01-01')
    const emptyAt = async () =>
      (await ask(`select empty_at from read_wallet($1, '2026-01-01', 60)`, [userId])).empty_at
    expect(await emptyAt()).toBe('2026-01-02T06:00:00.003Z')
    await database.pool.query(`update wallets set credit_ends_at = '2026-01-01 03:00' where user_id = $1`, [
      userId,
    ])
    expect(await emptyAt()).toBe('2026-01-01T23:00:00.003Z')
    await close(id, '2026-01-01 05:00')
    expect(await holds(userId, '2026-01-01 05:00')).toEqual({ money: 18, credit: 0 })
  })

  test('comes back to where it was, and what comes back after its end is no more', async () => {
    const userId = await customer(20)
    const [early, late] = [await box(userId, 8, '2026-01-01'), await box(userId, 8, '2026-01-01')]
    expect(await holds(userId, '2026-01-01')).toEqual({ money: 14, credit: 0 })
    await giveBack(early, '2026-01-31')
    expect(await holds(userId, '2026-01-31')).toEqual({ money: 14, credit: 8 })
    await giveBack(late, '2026-02-01')
    expect(await holds(userId, '2026-02-01')).toEqual({ money: 20, credit: 0 })
    await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-02-02')`, [userId])
    expect(await holds(userId, '2026-01-31')).toEqual({ money: 20, credit: 0 })
  })

  test('pays a term that the balance alone does not cover, of which time held takes it first', async () => {
    const userId = await customer(25)
    const id = await box(userId, 30, '2026-01-01', '2026-03-01')
    await giveBack(id, '2026-01-01 04:00')
    expect(await holds(userId, '2026-01-01 04:00')).toEqual({ money: 25, credit: 6 })
  })

  test('that was charged beyond the end of a run goes back as what it was, the money first', async () => {
    const userId = await customer(20)
    await ask(
      `insert into look_source (id, grace_ms) values ('credit', 2000000000) on conflict do nothing`,
      [],
    )
    const id = await box(userId, 1, '2026-01-01')
    await open(id, '2026-01-01')
    await close(id, '2026-01-01 12:00')
    expect(await holds(userId, '2026-01-01 12:00')).toEqual({ money: 18, credit: 0 })
    await ask(`select count(*) from end_meter($1, '2026-01-01 08:00', '2026-01-01 12:00')`, [id])
    expect(await holds(userId, '2026-01-01 12:00')).toEqual({ money: 20, credit: 2 })
  })

  test('pays months in advance, and its end is told by nothing but the clock', async () => {
    const userId = await customer(20)
    const id = await box(userId, 7.2, '2026-01-01', null, 'scratch')
    await open(id, '2026-01-01')
    await ask(`select count(*) from settle_wallets(array[$1::uuid], '2026-01-31')`, [userId])
    expect(await holds(userId, '2026-01-31')).toEqual({ money: 15.6, credit: 0 })
    const { due_at } = await ask('select due_at from wallets where user_id = $1', [await customer(10)])
    expect(due_at).toBe('2026-02-01T00:00:00.000Z')
  })

  test('is given once for an account, by one deposit that is large enough, while it is given', async () => {
    const userId = newId()
    await ask('insert into auth_user (id) values ($1)', [userId])
    await deposit(userId, 10, '2026-01-01', null)
    await deposit(userId, 6, '2026-01-01')
    await deposit(userId, 9, '2026-01-01')
    expect(await holds(userId, '2026-01-01')).toEqual({ money: 25, credit: 0 })
    await Promise.all([1, 2, 3, 4].map(() => deposit(userId, 10, '2026-01-01')))
    expect(await holds(userId, '2026-01-01')).toEqual({ money: 65, credit: 10 })
    const id = await box(userId, 10, '2026-01-01')
    await ask(`select close_meter($1, '2026-01-02', 'delete')`, [id])
    await deposit(userId, 10, '2026-01-02')
    expect(await holds(userId, '2026-01-02')).toEqual({ money: 75, credit: 0 })
  })

  test('goes with its account, and is neither refunded nor withdrawn', async () => {
    const userId = await customer(12)
    await box(userId, 4, '2026-01-01')
    const may = async () =>
      Number((await ask(`select withdrawable($1, '2026-01-01') as micro`, [userId])).micro) / 1e6
    expect(await may()).toBe(12)
    expect(await ask(`select balance_after_closing($1, '2026-01-01') as micro`, [userId])).toEqual({
      micro: 12_000_000n,
    })
    await ask(`select end_meters($1, '2026-01-01')`, [userId])
    await ask(`select close_wallet($1, 'forfeit', null, '2026-01-01')`, [userId])
    expect(
      await ask(`select sum(balance_micro)::text as micro from ledger_account where owner = $1`, [userId]),
    ).toEqual({
      micro: '0',
    })
    await ask('select erase_user($1)', [userId])
  })

  /** What somebody would have if they ended everything now, and took it all out. */
  const worth = `select (balance_after_closing($1, $2) + coalesce((select sum(balance_micro) from ledger_account where kind = 'withdrawal' and owner = $1), 0)
    + coalesce((select sum(amount_micro) from ledger_transfer where user_id = $1 and code = 'payout'), 0))::bigint as micro`
  const runs = process.env['INGOT_LONG_TESTS'] === undefined ? 8 : 150

  test(
    'cannot become money by any sequence of deploys, deletes, terms and withdrawals',
    { timeout: 600_000 },
    async () => {
      const step = fc.record({ op: fc.nat(11), which: fc.nat(5), x: fc.nat(2 ** 30) })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 30 }), async steps => {
          let now = Date.parse('2026-01-30T20:00:00Z')
          let deposited = 0
          const at = () => new Date(now).toISOString()
          const userId = newId()
          await ask('insert into auth_user (id) values ($1)', [userId])
          await ask('select get_or_create_wallet($1)', [userId])
          const meters: string[] = []
          const asked: string[] = []
          const pay = async (x: number) => {
            const usd = 10 + (x % 30)
            deposited += usd * 1e6
            await deposit(userId, usd, at(), new Date(now + (x % 40) * 86_400_000 + 1).toISOString())
          }
          const act = async (op: number, id: string | undefined, x: number) => {
            if (op === 0) return pay(x)
            if (op < 4) {
              const isMonthly = x % 4 === 0
              const until = x % 4 === 1 ? new Date(now + (x % 20) * 86_400_000 + 1).toISOString() : null
              meters.push(await box(userId, 1 + (x % 14), at(), until, isMonthly ? 'scratch' : 'instance'))
              return x % 3 ? open(meters.at(-1)!, at()) : undefined
            }
            if (op === 4) {
              const [most] = [
                Number((await ask('select withdrawable($1, $2) as micro', [userId, at()])).micro),
              ]
              asked.push(newId())
              return ask(`select request_withdrawal($1, $2, $3, $4, $5, 'back', 1000, $6)`, [
                asked.at(-1)!,
                userId,
                most,
                randomBytes(20),
                randomBytes(32),
                at(),
              ])
            }
            if (op === 5 && asked.length)
              return ask('select cancel_withdrawal($1, $2, null, $3)', [asked.at(-1)!, userId, at()])
            if (op === 6 && asked.length) {
              const txid = randomBytes(32)
              await ask(
                `select record_sweep('credit', $2, 0, 1, now(), '\\x00', address20, amount_micro) from withdrawal where id = $1`,
                [asked.at(-1)!, txid],
              )
              await ask(`select count(*) from settle_payout('credit', $1, 0, $2)`, [txid, at()])
              return undefined
            }
            if (op < 8) return ask('select count(*) from settle_wallets(array[$1::uuid], $2)', [userId, at()])
            if (id === undefined) return undefined
            if (op === 8) return close(id, at())
            if (op === 9)
              return ask('select count(*) from end_meter($1, $2, $3)', [
                id,
                new Date(now - (x % 40_000_000)).toISOString(),
                at(),
              ])
            if (op === 10) return ask('select return_first_start($1, $2)', [id, at()])
            await close(id, at())
            await giveBack(id, at())
            meters.splice(meters.indexOf(id), 1)
            return undefined
          }
          await pay(steps[0]!.x)
          for (const { op, which, x } of steps) {
            now += x % (3 * 3_600_000)
            await act(op, meters[which % (meters.length || 1)], x).catch((error: { code?: string }) => {
              if (!['IN402', 'IN410', '23514'].includes(error.code!)) throw error
              if (op === 4) asked.pop()
              if (op > 0 && op < 4) meters.splice(meters.length)
            })
            const { micro } = await ask(worth, [userId, at()])
            expect(Number(micro), `after ${op} at ${at()}`).toBeLessThanOrEqual(deposited)
          }
          // And when all is ended in truth.
          await ask('select end_meters($1, $2)', [userId, at()])
          expect(Number((await ask(worth, [userId, at()])).micro)).toBeLessThanOrEqual(deposited)
        }),
        { numRuns: runs },
      )
    },
  )
})
