/**
 * The money of the whole business, from the sums that are kept by day and what is newer than they are
 * (`0193_business.sql`). What customers hold at the end of a day is all that ever came to their accounts less all that left
 * them, so the whole series is read: a few rows a day.
 */
import {
  type Money,
  type MoneyDay,
  type MoneyPart,
  type moneyDimensions,
  type moneySorts,
  mostMoneyDays,
  usualMoneyDays,
} from '@ingot/contracts/admin/business'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import { parseAddress } from '@ingot/tron/address'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { page, type Page, type Paging, readCursor } from '../../db/page.ts'
import { readCheck } from './check.ts'

const dayMs = 86_400_000

export interface Span {
  readonly from?: string
  readonly to?: string
}

/** The days that are asked for; today is the last one unasked. */
export function readSpan({ from, to }: Span, at: string): { readonly from: string; readonly to: string } {
  const last = to ?? at.slice(0, 10)
  const first = from ?? dayOf(Date.parse(last) - (usualMoneyDays - 1) * dayMs)
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1
  if (days < 1) throw invalid('It must not be later than the last day.')
  if (days > mostMoneyDays) throw invalid(`At most ${mostMoneyDays} days can be asked for at once.`)
  return { from: first, to: last }
}

const invalid = (message: string) => new IngotError('validation_failed', { fields: { from: message } })
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** In the order of the contract. */
const flows = [
  'revenue',
  'deposits',
  'paid_out',
  'returned',
  'given',
  'taken',
  'promotion_given',
  'promotion_used',
] as const
type Flow = (typeof flows)[number]
type Change = { readonly [Name in Flow | 'owed' | 'prepaid' | 'held']: Micro }

/** What came to accounts of these kinds less what left them. */
const net = (...kinds: readonly string[]) => sql`coalesce(sum(
  case when to_kind = any(${kinds}) then amount_micro else 0 end - case when from_kind = any(${kinds}) then amount_micro else 0 end), 0)::bigint`
const moved = (code: string) => sql`coalesce(sum(amount_micro) filter (where code = ${code}), 0)::bigint`

/** Of each day on which something moved. */
async function readChanges(db: Db): Promise<readonly (Omit<Change, 'held'> & { readonly day: string })[]> {
  const { rows } = await sql<Omit<Change, 'held'> & { day: string }>`
    select day::text, ${net('revenue')} as revenue, ${moved('deposit')} as deposits, ${moved('payout')} as paid_out,
      ${moved('usage_return')} as returned, ${moved('credit')} as given, ${moved('debit')} as taken,
      ${moved('credit_grant')} as promotion_given, ${moved('credit_used')} - ${moved('credit_back')} as promotion_used,
      ${net('wallet', 'hold', 'withdrawal', 'queue', 'refunds')} as owed, ${net('prepaid')} as prepaid
    from money_by_day() group by day order by day`.execute(db)
  return rows
}

export interface HeldNeeds {
  readonly chain: { readonly name: string }
  readonly config: { readonly payoutAddresses: readonly string[] }
}

/** What came to deposit addresses less what left them and the operator's own addresses for any other. */
async function readHeld(db: Db, { chain, config }: HeldNeeds): Promise<ReadonlyMap<string, Micro>> {
  const own = config.payoutAddresses.map(address => Buffer.from(parseAddress(address), 'hex'))
  const { rows } = await sql<{ day: string; micro: Micro }>`
    select day::text, sum(micro)::bigint as micro from (
      select (block_at at time zone 'UTC')::date as day, sum(amount_micro) as micro from chain_deposit
      where chain = ${chain.name} and state in ('credited', 'held', 'rejected') group by 1
      union all
      select (block_at at time zone 'UTC')::date, -sum(amount_micro) from chain_sweep
      where chain = ${chain.name} and to20 <> all(${own}::bytea[]) group by 1) moved
    group by 1`.execute(db)
  return new Map(rows.map(({ day, micro }) => [day, micro]))
}

interface Now {
  readonly accrued: Micro
  readonly rate: Micro
  readonly balances: number
  readonly billed: Micro
  readonly earned: Micro
}

/** What a meter that nobody looks at uses is not counted, nor what a term in advance covers: both are known later. */
async function readNow(db: Db, at: string): Promise<Now> {
  const { rows } = await sql<Now>`
    select running.*, totals.*, (select count(*)::int from ledger_account where kind = 'wallet' and balance_micro > 0) as balances
    from (
      select coalesce(sum(div(m.price_micro::numeric * billable_ms(m.metered_to, least(${at}, m.horizon, m.renews_at), m.paid_until) + m.remainder, 3600000)), 0)::bigint as accrued,
        coalesce(sum(m.price_micro) filter (where m.horizon >= ${at} and (m.paid_until is null or m.paid_until <= ${at})), 0)::bigint as rate
      from meter_now m where m.is_running) running,
      (select billed_micro as billed, earned_micro as earned from business_totals()) totals`.execute(db)
  return rows[0]!
}

export async function getMoney(db: Db, needs: HeldNeeds, span: Span, at: string): Promise<Money> {
  const { from, to } = readSpan(span, at)
  const [changes, held, now, check] = await Promise.all([
    readChanges(db),
    readHeld(db, needs),
    readNow(db, at),
    readCheck(db),
  ])
  const today = at.slice(0, 10)
  const byDay = new Map<string, Omit<Change, 'held'>>(changes.map(change => [change.day, change]))
  const names = [...new Set([...byDay.keys(), ...held.keys()])]
  const stood = { owed: 0n, prepaid: 0n, held: 0n }
  const stand = (day: string) => {
    stood.owed += byDay.get(day)?.owed ?? 0n
    stood.prepaid += byDay.get(day)?.prepaid ?? 0n
    stood.held += held.get(day) ?? 0n
  }
  for (const day of names) if (day < from) stand(day)
  const total = Object.fromEntries(flows.map(flow => [flow, 0n])) as Record<Flow, Micro>
  const days: MoneyDay[] = []
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += dayMs) {
    const day = dayOf(ms)
    stand(day)
    const change = byDay.get(day)
    for (const flow of flows) total[flow] += change?.[flow] ?? 0n
    days.push({ day, ...texts(flow => change?.[flow] ?? 0n), ...standText(stood) })
  }
  for (const day of names) if (day > to) stand(day)
  const earned = byDay.get(today)?.revenue ?? 0n
  const leftMs = Date.parse(today) + dayMs - Date.parse(at)
  return {
    from,
    to,
    days,
    total: texts(flow => total[flow]),
    now: {
      at,
      revenue: formatUsd(earned),
      accrued: formatUsd(now.accrued),
      rate_per_hour: formatUsd(now.rate),
      projected: formatUsd(earned + now.accrued + (now.rate * BigInt(leftMs)) / 3_600_000n),
      ...standText(stood),
      balances: now.balances,
      billed_in_all: formatUsd(now.billed),
      earned_in_all: formatUsd(now.earned),
    },
    check,
  }
}

const texts = (of: (flow: Flow) => Micro) =>
  Object.fromEntries(flows.map(flow => [flow, formatUsd(of(flow))])) as Record<Flow, string>
const standText = ({ owed, prepaid, held }: Record<'owed' | 'prepaid' | 'held', Micro>) => ({
  owed: formatUsd(owed),
  prepaid: formatUsd(prepaid),
  held: formatUsd(held),
})

export interface Question extends Span {
  readonly dimension: (typeof moneyDimensions)[number]
  readonly sort: (typeof moneySorts)[number]
}

interface Part {
  readonly key: string
  readonly label: string
  readonly revenue: Micro
  readonly used_ms: bigint | null
  readonly gpu_ms: bigint
  readonly all_revenue: Micro
  readonly all_gpu_ms: bigint
}

export type MoneyBy = Page<MoneyPart> & {
  readonly from: string
  readonly to: string
  readonly revenue: string
  readonly gpu_hours: number
}

/** Of customers in whole months: one row for each of them and month is kept, and none for a day. */
export async function listMoneyBy(
  db: Db,
  { dimension, sort, cursor, limit, ...span }: Question & Paging,
  at: string,
): Promise<MoneyBy> {
  const asked = readSpan(span, at)
  const { from, to } = dimension === 'customer' ? wholeMonths(asked) : asked
  const [value, key] = readCursor(cursor, [signed, hex]) ?? [null, null]
  const by = sql.ref(sort === 'revenue' ? 'revenue' : 'gpu_ms')
  const after = key === null ? null : Buffer.from(key, 'hex').toString()
  const parts: Record<Question['dimension'], RawBuilder<unknown>> = {
    card: sql`select gpu_type as key, sum(revenue_micro)::bigint as revenue, sum(used_ms)::bigint as used_ms, sum(gpu_ms)::bigint as gpu_ms
      from usage_by_day(${from}, ${to}) group by 1`,
    region: sql`select region as key, sum(revenue_micro)::bigint as revenue, sum(used_ms)::bigint as used_ms, sum(gpu_ms)::bigint as gpu_ms
      from usage_by_day(${from}, ${to}) group by 1`,
    customer: sql`select user_id as key, sum(revenue_micro)::bigint as revenue, null::bigint as used_ms, sum(gpu_ms)::bigint as gpu_ms
      from customers_by_month(${from}, ${to}) group by 1`,
  }
  const keyed = dimension === 'customer' ? sql`${after}::uuid` : sql`${after}::text`
  const { rows } = await sql<Part>`
    with part as materialized (${parts[dimension]}),
    shown as (
      select * from part where ${value}::bigint is null or ${by} < ${value}::bigint or ${by} = ${value}::bigint and key > ${keyed}
      order by ${by} desc, key limit ${limit + 1})
    select s.key::text, ${dimension === 'customer' ? sql`coalesce(u.email, s.key::text)` : sql`s.key`} as label, s.revenue, s.used_ms, s.gpu_ms, a.*
    from shown s cross join (select coalesce(sum(revenue), 0)::bigint as all_revenue, coalesce(sum(gpu_ms), 0)::bigint as all_gpu_ms from part) a
      ${dimension === 'customer' ? sql`left join auth_user u on u.id = s.key` : sql``}
    order by ${by} desc, s.key`.execute(db)
  const { items, next_cursor } = page(rows, limit, last => [
    last[sort === 'revenue' ? 'revenue' : 'gpu_ms'],
    Buffer.from(last.key).toString('hex'),
  ])
  return {
    from,
    to,
    revenue: formatUsd(rows[0]?.all_revenue ?? 0n),
    gpu_hours: hours(rows[0]?.all_gpu_ms ?? 0n),
    items: items.map(part => ({
      key: part.key,
      label: part.label,
      revenue: formatUsd(part.revenue),
      used_seconds: part.used_ms === null ? null : Math.round(Number(part.used_ms) / 1000),
      gpu_hours: hours(part.gpu_ms),
    })),
    next_cursor,
  }
}

const signed = (part: string): boolean => /^-?\d{1,18}$/.test(part)
const hex = (part: string): boolean => /^([0-9a-f]{2}){0,80}$/.test(part)
const hours = (ms: bigint): number => Math.round(Number(ms) / 36) / 100_000

function wholeMonths({ from, to }: { readonly from: string; readonly to: string }) {
  const [year, month] = [Number(to.slice(0, 4)), Number(to.slice(5, 7))]
  return { from: `${from.slice(0, 7)}-01`, to: dayOf(Date.UTC(year, month, 0)) }
}
