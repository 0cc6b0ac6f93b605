/** The business by day: held to the ledger, whatever is counted and whatever is not yet. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../db/test-database.ts'
import { newId } from '../../db/ids.ts'
import { a40 } from '../../instances/test-rows.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { countMoney } from '../../ledger/testing/count-money.ts'
import { populate } from '../../ledger/testing/populate.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { getMoney, listMoneyBy } from './queries.ts'

const micro = (text: string) => BigInt(text.replace('.', ''))
const sumOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + micro(text), 0n)
const needs = { chain: { name: 'devnet' }, config: { payoutAddresses: [] } }

describe('a ledger with something of every kind', () => {
  test('the days add up to it, to the micro-dollar: all counted, half of it, or none', async () => {
    await using database = await createTestDatabase({ as: 'owner' })
    const db = database.kysely
    await populate(db)
    const read = () =>
      getMoney(db, needs, { from: '2025-12-01', to: '2026-11-30' }, '2026-11-30T12:00:00.000Z')
    const { rows } = await sql<Record<string, bigint>>`
      select (select sum(case when to_account = 2 then amount_micro when from_account = 2 then -amount_micro else 0 end)::bigint from ledger_transfer) as revenue,
        (select sum(balance_micro)::bigint from ledger_account where kind in ('wallet', 'hold', 'withdrawal', 'queue'))
          + (select sum(case when to_account = 4 then amount_micro when from_account = 4 then -amount_micro else 0 end)::bigint from ledger_transfer) as owed,
        (select sum(balance_micro)::bigint from ledger_account where kind = 'prepaid') as prepaid,
        (select sum(abs(case when w.account_id = t.to_account then t.amount_micro else -t.amount_micro end))::bigint
          from ledger_transfer t join wallets w on w.user_id = t.user_id and w.account_id in (t.from_account, t.to_account)) as billed,
        (select sum(amount_micro)::bigint from chain_deposit where state in ('credited', 'held', 'rejected')) - (select sum(amount_micro)::bigint from chain_sweep) as held,
        (select sum(ms_of(to_at) - ms_of(from_at))::bigint from usage_line) - (select sum(ms_of(to_at) - ms_of(from_at))::bigint from usage_return) as used`.execute(
      db,
    )
    const ledger = rows[0]!
    const codes = await sql<{ code: string; micro: bigint }>`
      select code, sum(amount_micro)::bigint as micro from ledger_transfer group by 1`.execute(db)
    const code = new Map(codes.rows.map(row => [row.code, row.micro]))
    const check = async () => {
      const { days, total, now } = await read()
      expect(days).toHaveLength(365)
      for (const name of [
        'revenue',
        'deposits',
        'paid_out',
        'returned',
        'given',
        'taken',
        'promotion_given',
      ] as const)
        expect(sumOf(days.map(each => each[name])), name).toBe(micro(total[name]))
      expect(micro(total.revenue)).toBe(ledger['revenue'])
      expect(total.revenue).toBe(now.earned_in_all)
      expect(micro(total.deposits)).toBe(code.get('deposit'))
      expect(micro(total.paid_out)).toBe(code.get('payout'))
      expect(micro(total.returned)).toBe(code.get('usage_return'))
      expect(micro(total.given)).toBe(code.get('credit'))
      expect(micro(total.taken)).toBe(code.get('debit'))
      expect(micro(total.promotion_given)).toBe(code.get('credit_grant'))
      expect(micro(total.promotion_used)).toBe(code.get('credit_used')! - code.get('credit_back')!)
      expect([micro(now.owed), micro(now.prepaid), micro(now.held)]).toEqual([
        ledger['owed'],
        ledger['prepaid'],
        ledger['held'],
      ])
      expect([days.at(-1)!.owed, days.at(-1)!.prepaid, days.at(-1)!.held]).toEqual([
        now.owed,
        now.prepaid,
        now.held,
      ])
      expect(micro(now.billed_in_all)).toBe(ledger['billed'])
      const parts = async (dimension: 'card' | 'region' | 'customer') =>
        listMoneyBy(
          db,
          { dimension, sort: 'revenue', limit: 100, from: '2025-12-01', to: '2026-11-30' },
          '2026-11-30T12:00:00.000Z',
        )
      for (const dimension of ['card', 'region', 'customer'] as const) {
        const { items, revenue } = await parts(dimension)
        expect(sumOf(items.map(part => part.revenue)), dimension).toBe(ledger['revenue'])
        expect(micro(revenue)).toBe(ledger['revenue'])
      }
      expect((await parts('card')).items.reduce((sum, part) => sum + part.used_seconds!, 0)).toBe(
        Math.round(Number(ledger['used']) / 1000),
      )
      return JSON.stringify((await read()).days)
    }
    const half = await check()
    await countMoney(db)
    expect(await check()).toBe(half)
    expect(await auditLedger(db)).toEqual([])
    for (const statement of [
      'delete from money_day',
      'delete from usage_day',
      'delete from customer_month',
      'delete from customer_day',
      'delete from customer_lately',
    ])
      await sql.raw(statement).execute(db)
    await sql`update money_counted set transfer_id = 0, line_id = 0, return_id = 0`.execute(db)
    expect(await check()).toBe(half)
  })

  test('each movement is counted once, also one whose number is smaller than those that were committed before it', async () => {
    await using database = await createTestDatabase({ as: 'owner' })
    const db = database.kysely
    const users = [newId(), newId()]
    for (const id of users) await sql`insert into auth_user (id) values (${id})`.execute(db)
    const give = (tx: typeof db, id: string) =>
      sql`select credit_wallet(${id}, 1000000, 'Gift', ${newId()}, '2026-03-01')`.execute(tx)
    const step = async () =>
      (await sql<{ more: boolean }>`select roll_up_money(1) as more`.execute(db)).rows[0]!.more
    const given = async () =>
      (await getMoney(db, needs, { from: '2026-03-01', to: '2026-03-01' }, '2026-03-02T00:00:00.000Z')).total
        .given
    await give(db, users[0]!)
    await db.transaction().execute(async tx => {
      // It has the smaller number, and ends last.
      await give(tx, users[1]!)
      await give(db, users[0]!)
      for (let n = 0; n < 10; n++) await step()
      expect(await given()).toBe('2.000000')
    })
    expect(await given()).toBe('3.000000')
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let n = 0; n < 10; n++) await Promise.all([step(), give(db, users[n % 2]!)])
      }),
    )
    await countMoney(db)
    expect(await given()).toBe('43.000000')
    expect(await auditLedger(db)).toEqual([])
  })

  test('what each customer spent lately is the sum of their days, while a day has not left it yet and after', async () => {
    await using database = await createTestDatabase({ as: 'owner' })
    const db = database.kysely
    await populate(db)
    await countMoney(db)
    const { rows } = await sql<{ first: string; after: string }>`
      select min(day)::text as first, (max(day) + 1)::text as after from customer_day`.execute(db)
    const { first, after } = rows[0]!
    const kept = async (from: string) =>
      (
        await sql<Spent>`
          select user_id, sum(revenue_micro)::bigint as revenue_micro
          from (select * from customer_lately union all select * from lately_behind(${from})) each
          group by 1 having sum(revenue_micro) <> 0 order by 1`.execute(db)
      ).rows
    const { rows: added } = await sql<Spent>`
      select user_id, sum(revenue_micro)::bigint as revenue_micro from customer_day
      group by 1 having sum(revenue_micro) <> 0 order by 1`.execute(db)
    expect(added.length).toBeGreaterThan(1)
    // It is of long ago, and has left already. As if it had not:
    await sql`update money_counted set lately_from = ${first}`.execute(db)
    await sql`insert into customer_lately select user_id, sum(revenue_micro) from customer_day group by 1`.execute(
      db,
    )
    expect(await kept(first)).toEqual(added)
    expect(await kept(after)).toEqual([])
    expect(await auditLedger(db)).toEqual([])
    await countMoney(db)
    expect((await sql`select from customer_lately`.execute(db)).rows).toEqual([])
    expect(await auditLedger(db)).toEqual([])
  })
})

interface Spent {
  readonly user_id: string
  readonly revenue_micro: bigint
}

const server = useTestServer()
const db = () => server.owner
const hour = 3_600_000

async function administrator(): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user
}

describe('for an administrator', () => {
  test('what runs is revenue of its card, region and customer; today is projected at the present rate', async () => {
    const { client: admin } = await administrator()
    const user = await server.user('100')
    const { id } = await user.client.instances.create(a40({ gpu_count: 2 }))
    await until(
      () => user.client.instances.get({ id }),
      ({ status }) => status === 'running',
    )
    const before = await admin.business.money({})
    expect(micro(before.now.rate_per_hour)).toBeGreaterThanOrEqual(1_500_000n)
    expect(Number(before.now.projected)).toBeGreaterThanOrEqual(Number(before.now.revenue))
    await server.advance(3 * hour)
    await user.client.instances.stop({ id })
    await until(
      () => user.client.instances.get({ id }),
      ({ status }) => status === 'stopped',
    )
    const { days, now, from, to } = await admin.business.money({})
    expect(days).toHaveLength(30)
    expect([days[0]!.day, days.at(-1)!.day]).toEqual([from, to])
    expect(days.at(-1)!.owed).toBe(now.owed)
    const card = (await admin.business.by({ dimension: 'card' })).items.find(({ key }) => key === 'A40')!
    expect(Number(card.revenue)).toBeGreaterThan(4.4)
    expect(card.gpu_hours).toBeCloseTo(card.used_seconds! / 1800, 2)
    expect(card.gpu_hours).toBeGreaterThan(5.9)
    expect((await admin.business.by({ dimension: 'region', sort: 'gpu_hours' })).items[0]).toMatchObject({
      key: 'US-East',
    })
    const customers = await admin.business.by({ dimension: 'customer', limit: 1 })
    expect(customers.items[0]).toMatchObject({ key: user.id, used_seconds: null })
    expect(customers.from).toMatch(/-01$/)
    const file = await server.fetch(`/v1/admin/money/export?what=customer`, {
      token: (await administrator()).token,
    })
    expect(await file.text()).toContain(user.id)
    const perDay = await (
      await server.fetch(`/v1/admin/money/export`, { token: (await administrator()).token })
    ).text()
    expect(perDay.split('\r\n')).toHaveLength(32)
  })

  test('more days than a year, or a first day after the last, are refused with their field', async () => {
    const { client: admin } = await administrator()
    for (const span of [
      { from: '2020-01-01', to: '2026-01-01' },
      { from: '2026-01-02', to: '2026-01-01' },
    ])
      await expect(admin.business.money(span)).rejects.toMatchObject({ fields: { from: expect.any(String) } })
  })

  test('ledger and chain are compared when they ask, one at a time and once a minute', async () => {
    const { client: admin } = await administrator()
    await sql`update audit_run set ended_at = now() - interval '2 minutes', findings = 3, began_at = null`.execute(
      db(),
    )
    const answers = await Promise.allSettled([
      admin.business.check(),
      admin.business.check(),
      admin.business.check(),
    ])
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { check } = await until(
      () => admin.business.money({}),
      money => !money.check.is_running,
    )
    expect(check.findings).toBe(0)
    await expect(admin.business.check()).rejects.toMatchObject({ code: 'rate_limited' })
    const { rows } = await sql`select from audit_log where operation = 'checkMoney'`.execute(db())
    expect(rows).toHaveLength(1)
  })

  test('who invoices are from is as the configuration says', async () => {
    const { client: admin } = await administrator()
    expect(await admin.business.identity()).toMatchObject({ name: null, tax_name: 'VAT', prefix: 'ING' })
  })
})
