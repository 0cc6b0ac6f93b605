/**
 * The ledger beside a model of it: random deposits, starts, stops, price changes, months, terms, holds, withdrawals, looks that fail,
 * rounds that are missed or doubled, a clock that is set on and back by an hour, and connections that are cut in the
 * middle of a call, which is then made again. After each operation every wallet and meter must be equal to the
 * micro-dollar, and the timer to the millisecond. A seed that fails is printed; `INGOT_SEED` plays it again.
 */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { auditLedger } from './audit.ts'
import { act } from './testing/operations.ts'
import { horizon } from './testing/meter-model.ts'
import { GrowingWallet } from './testing/growth-model.ts'
import type { Wallet } from './testing/wallet-model.ts'
import { at, day, minute, month, step, type Step, users, type World } from './testing/world.ts'

const isLong = process.env['INGOT_LONG_TESTS'] !== undefined
const [seeds, operations] = isLong ? [20, 500] : [4, 250]
const ms = (text: string | null) => (text === null ? null : Date.parse(text))

const firstSeed = Number(process.env['INGOT_SEED'] ?? randomBytes(4).readInt32LE())

test(
  `${seeds * operations} operations over ${seeds} seeds leave the ledger as its model`,
  { timeout: isLong ? 1_800_000 : 120_000 },
  async () => {
    await using database = await createTestDatabase({ as: 'owner' })
    await database.pool.query(`
      create function end_scratch(uuid[], timestamptz[], text, timestamptz) returns void language sql as 'select';
      insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words,
        return_words, ended_by)
      values ('scratch', 'Scratch', false, ${month}, 'lapse', 7, 'rest', 'use', 'month', 'rest of the month', 'end_scratch')`)
    const [least, most] = process.env['INGOT_SEED'] ? [1, 1] : [seeds, isLong ? 2 * seeds : seeds]
    for (let i = 0; i < least || (i < most && (await missing(database)).length > 0); i++) {
      const seed = (firstSeed + i) | 0
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: operations, maxLength: operations }), steps =>
          simulate(database, steps, seed),
        ),
        { seed, numRuns: 1, endOnFailure: true },
      )
    }
    expect(await auditLedger(database.kysely)).toEqual([])
    if (isLong && !process.env['INGOT_SEED']) expect(await missing(database)).toEqual([])
  },
)

/** Chance has to come to each kind of movement, each end of a meter and each kind of invoice. */
const wanted = `
  credit credit_back credit_grant credit_lapse credit_used deploy deposit growth hold payout release renewal return term usage usage_return
  account_budget_reached balance_empty budget_reached delete grace_over lapsed last_look opened revived stop term_over
  invoice credit_note`
  .trim()
  .split(/\s+/)
async function missing({ pool }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ what: string }>(
    'select code::text as what from ledger_transfer union select cause from meter_span union select kind from invoice',
  )
  const seen = new Set(rows.map(({ what }) => what))
  expect([...seen].filter(what => !wanted.includes(what))).toEqual([])
  return wanted.filter(what => !seen.has(what))
}

async function simulate(database: TestDatabase, steps: readonly Step[], seed: number): Promise<void> {
  const world: World = {
    database,
    userIds: Array.from({ length: users }, () => newId()),
    wallets: Array.from({ length: users }, () => new GrowingWallet()),
    source: { observedAt: Number.NEGATIVE_INFINITY, graceMs: 2 * minute },
    sourceId: `simulation-${newId()}`,
    waiting: Array.from({ length: users }, () => 0n),
    flows: Array.from({ length: users }, () => ({
      deposited: 0n,
      given: 0n,
      paidOut: 0n,
      asked: null,
      waits: null,
    })),
    repeats: [],
    reviews: [],
    now: Date.parse('2026-01-30T20:00:00.000Z'),
  }
  await database.pool.query('insert into look_source (id) values ($1)', [world.sourceId])
  for (const id of world.userIds) {
    await database.pool.query('insert into auth_user (id) values ($1)', [id])
    await database.pool.query('select get_or_create_wallet($1)', [id])
  }
  const done: string[] = []
  for (const [i, each] of steps.entries()) {
    try {
      done.push(`${i} ${at(world.now)} user ${each.who}: ${await act(world, each)}`)
      await expectEqual(world)
    } catch (error) {
      const model = JSON.stringify(world.wallets[each.who]!, (key, value: unknown) =>
        key === 'wallet'
          ? undefined
          : typeof value === 'bigint'
            ? String(value)
            : value instanceof Map
              ? [...value.values()]
              : value,
      )
      throw new Error(
        `${isLong ? 'INGOT_LONG_TESTS=1 ' : ''}INGOT_SEED=${seed}\n${done.slice(-12).join('\n')}\n${model}\n${(error as Error).message}`,
        {
          cause: error,
        },
      )
    }
  }
  await expectSpans(world)
}

interface WalletRow {
  user_id: string
  balance: string
  held: string
  due_at: string | null
  under_ms: string | null
  accrued: string
  credit: string
  credit_left: string
  empty_at: string | null
}
interface MeterRow {
  id: string
  prepaid: string
  credit: string
  remainder: string
  metered_to: string | null
  ended_at: string | null
  paid_until: string | null
  renews_at: string | null
  lapsed_at: string | null
  charged: string
}
interface BudgetRow {
  user_id: string
  id: string | null
  limit: string
  spent: string
  told: number
}

const sorted = (budgets: Omit<BudgetRow, 'user_id'>[]) =>
  budgets.toSorted((a, b) => (a.id ?? '').localeCompare(b.id ?? ''))

/** The last millisecond up to `until` that is covered as far as one can see at `now`; null: all of it is. */
function emptyAt(wallet: Wallet, now: number, until: number): number | null {
  const last = wallet.lastsUntil(now, until, now)
  return last === until ? null : last
}

async function expectEqual({ database, userIds, wallets, now }: World): Promise<void> {
  const [{ rows: walletRows }, { rows: meterRows }, { rows: budgetRows }] = await Promise.all([
    database.pool.query<WalletRow>(
      `select w.user_id, a.balance_micro::text as balance, (coalesce(h.balance_micro, 0) + coalesce(o.balance_micro, 0) + coalesce(q.balance_micro, 0))::text as held, w.due_at, b.under_ms::text,
        wallet_accrued(w.user_id, $2)::text as accrued, coalesce(c.balance_micro, 0)::text as credit, credit_left(w.user_id, $2)::text as credit_left, (select nullif(greatest($2, last_at), $3) from wallets_last(array[w.user_id], array[$3::timestamptz], $2)) as empty_at
      from wallets w join ledger_account a on a.id = w.account_id
        left join balance_watch b on b.user_id = w.user_id
        left join ledger_account c on c.id = w.credit_account
        left join ledger_account h on h.kind = 'hold' and h.owner = w.user_id
        left join ledger_account q on q.kind = 'queue' and q.owner = w.user_id
        left join ledger_account o on o.kind = 'withdrawal' and o.owner = w.user_id where w.user_id = any($1)`,
      [userIds, at(now), at(now + 400 * day)],
    ),
    database.pool.query<MeterRow>(
      `select m.id, a.balance_micro::text as prepaid, m.credit_micro::text as credit, m.remainder::text, m.metered_to, m.ended_at, m.paid_until, m.renews_at, m.lapsed_at,
        (coalesce((select sum(amount_micro) from usage_line where meter_id = m.id), 0)
          - coalesce((select sum(amount_micro) from usage_return where meter_id = m.id), 0))::text as charged
      from meter m join ledger_account a on a.id = m.prepaid_account where m.user_id = any($1)`,
      [userIds],
    ),
    database.pool.query<BudgetRow>(
      `select user_id, meter_id as id, limit_micro::text as limit, spent_micro::text as spent, told_percent as told
      from unnest($1::uuid[]) user_id cross join budgets_now(user_id, $2)`,
      [userIds, at(now)],
    ),
  ])
  const byUser = new Map(walletRows.map(row => [row.user_id, row]))
  const byId = new Map(meterRows.map(row => [row.id, row]))
  const all = wallets.flatMap(({ meters }) => [...meters.values()])
  const found = {
    wallets: userIds.map(id => {
      const { balance, held, due_at, under_ms, accrued, credit, credit_left, empty_at } = byUser.get(id)!
      const budgets = budgetRows.filter(row => row.user_id === id).map(({ user_id: _, ...budget }) => budget)
      return {
        balance,
        held,
        dueAt: ms(due_at),
        under: under_ms && Number(under_ms),
        accrued,
        credit,
        creditLeft: credit_left,
        emptyAt: ms(empty_at),
        budgets: sorted(budgets),
      }
    }),
    meters: all.map(({ id }) => {
      const { prepaid, credit, remainder, charged, ...row } = byId.get(id)!
      return {
        id,
        prepaid,
        credit,
        remainder,
        charged,
        meteredTo: ms(row.metered_to),
        endedAt: ms(row.ended_at),
        paidUntil: ms(row.paid_until),
        renewsAt: ms(row.renews_at),
        lapsedAt: ms(row.lapsed_at),
      }
    }),
  }
  expect(found).toEqual({
    wallets: wallets.map(wallet => ({
      balance: String(wallet.balance),
      held: String(wallet.held),
      dueAt: wallet.dueAt,
      under: wallet.under,
      accrued: String(wallet.accrued(now)),
      credit: String(wallet.credit.micro),
      creditLeft: String(wallet.credit.left(now)),
      emptyAt: emptyAt(wallet, now, now + 400 * day),
      budgets: sorted(
        wallet.budgets
          .spentNow(now)
          .map(({ id, limit, spent, told }) => ({ id, limit: String(limit), spent: String(spent), told })),
      ),
    })),
    meters: all.map(
      ({ id, prepaid, credit, remainder, charged, meteredTo, endedAt, paidUntil, renewsAt, lapsedAt }) => ({
        id,
        prepaid: String(prepaid),
        credit: String(credit),
        remainder: String(remainder),
        charged: String(charged),
        meteredTo,
        endedAt,
        paidUntil,
        renewsAt,
        lapsedAt,
      }),
    ),
  })
  expect(all.every(m => m.meteredTo === null || horizon(m) >= m.meteredTo)).toBe(true)
}

/** A later close of the same run stands for the earlier one. */
async function expectSpans({ database, userIds, wallets }: World): Promise<void> {
  const { rows } = await database.pool.query<{ meter_id: string; what: string; at: string }>(
    'select meter_id, what, at from meter_span where user_id = any($1) order by meter_id, id',
    [userIds],
  )
  const all = wallets.flatMap(({ meters }) => [...meters.values()])
  for (const m of all) {
    let [open, closed] = [null as number | null, null as number | null]
    let total = 0
    for (const row of [...rows.filter(({ meter_id }) => meter_id === m.id), { what: 'open', at: null }]) {
      if (row.what === 'close') closed = ms(row.at)
      else {
        if (open !== null) total += (closed ?? m.meteredTo!) - open
        open = ms(row.at)
        closed = null
      }
    }
    expect(total, `open time of ${m.id}`).toBe(m.openMs)
  }
}
