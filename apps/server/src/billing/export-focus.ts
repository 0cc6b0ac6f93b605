/**
 * The bill in the columns of FOCUS 1.2, the FinOps Open Cost and Usage Specification: what tools for the cost of clouds
 * read. A row is a charge: a line of the bill that stands on an invoice. Deposits and what is set aside are none.
 *
 * Of each page of the bill one statement reads what else its charges need.
 */
import type { BillingEntry } from '@ingot/contracts/billing'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Bytes } from '../http/bytes.ts'
import { type Columns, csvFile } from '../http/csv.ts'

interface Charge {
  readonly id: string
  readonly user_id: string
  readonly code: string
  readonly amount: string
  readonly description: string
  readonly from_at: string
  readonly to_at: string
  readonly month: string
  readonly next_month: string
  readonly price: string | null
  /** How long the wallet paid for it, in hours. */
  readonly hours: string | null
  readonly meter_id: string | null
  readonly label: string | null
  readonly kind: string | null
  readonly gpu_type: string | null
  readonly gpu_count: number | null
  readonly region: string | null
  /** The invoice that it is on. */
  readonly invoice: string | null
  /** It gives back what an earlier invoice charged. */
  readonly is_correction: boolean
  readonly account: string
  readonly issuer: string
}

/** A cost is what it takes from the wallet: what comes back is below zero. */
const cost = ({ amount }: Charge): string => formatUsd(-parseUsd(amount))
const isUsage = ({ code }: Charge): boolean => code === 'usage' || code === 'usage_return'
const category = (charge: Charge): string => {
  if (isUsage(charge)) return 'Usage'
  return charge.code === 'debit' ? 'Adjustment' : 'Purchase'
}
/** Sold by the hour; all else is one of what it is. */
const isPriced = (charge: Charge): boolean => charge.code !== 'debit' && !charge.is_correction

/** In the order of the specification, which is that of the alphabet. The documentation says what each maps to. */
export const focusColumns: Columns<Charge> = {
  BilledCost: cost,
  BillingAccountId: charge => charge.user_id,
  BillingAccountName: charge => charge.account,
  BillingCurrency: () => 'USD',
  BillingPeriodEnd: charge => charge.next_month,
  BillingPeriodStart: charge => charge.month,
  ChargeCategory: category,
  ChargeClass: charge => (charge.is_correction ? 'Correction' : null),
  ChargeDescription: charge => charge.description,
  ChargeFrequency: charge =>
    isUsage(charge) ? 'Usage-Based' : charge.code === 'renewal' ? 'Recurring' : 'One-Time',
  ChargePeriodEnd: charge => charge.to_at,
  ChargePeriodStart: charge => charge.from_at,
  ConsumedQuantity: charge => (isUsage(charge) && !charge.is_correction ? charge.hours : null),
  ConsumedUnit: charge => (isUsage(charge) && !charge.is_correction ? 'Hours' : null),
  ContractedCost: cost,
  ContractedUnitPrice: charge => unitPrice(charge),
  // What was paid in advance is counted when it is paid: usage that it covers is no charge of its own here.
  EffectiveCost: cost,
  InvoiceId: charge => charge.invoice,
  InvoiceIssuerName: charge => charge.issuer,
  ListCost: cost,
  ListUnitPrice: charge => unitPrice(charge),
  PricingCategory: charge => (isPriced(charge) ? 'Standard' : null),
  PricingQuantity: charge => (isPriced(charge) ? (isUsage(charge) ? charge.hours : '1') : null),
  PricingUnit: charge => (isPriced(charge) ? (isUsage(charge) ? 'Hours' : 'Units') : null),
  ProviderName: charge => charge.issuer,
  PublisherName: charge => charge.issuer,
  RegionId: charge => charge.region,
  RegionName: charge => charge.region,
  ResourceId: charge => charge.meter_id,
  ResourceName: charge => charge.label,
  ResourceType: charge => charge.kind,
  ServiceCategory: charge => service(charge)[0],
  ServiceName: charge => service(charge)[1],
  ServiceSubcategory: charge => service(charge)[2],
  SkuId: charge => sku(charge),
  SkuMeter: charge =>
    isPriced(charge) && charge.gpu_type ? (isUsage(charge) ? 'Running time' : 'Paid in advance') : null,
  SkuPriceId: charge => {
    const id = sku(charge)
    return id && `${id}/${charge.price ?? charge.code}`
  },
}

type Service = readonly [category: string, name: string, subcategory: string]
const storage: Partial<Record<string, Service>> = {
  volume: ['Storage', 'Network Volumes', 'Block Storage'],
  snapshot: ['Storage', 'Snapshots', 'Backup Storage'],
}
const service = ({ gpu_type, kind }: Charge): Service =>
  gpu_type
    ? ['Compute', 'GPU Instances', 'Virtual Machines']
    : (storage[kind ?? ''] ?? ['Other', 'Platform', 'Other (Other)'])

/** Of usage the price of an hour, else what the one costs. */
function unitPrice(charge: Charge): string | null {
  if (!isPriced(charge)) return null
  return isUsage(charge) ? charge.price : cost(charge)
}

const sku = (charge: Charge): string | null =>
  isPriced(charge) && charge.gpu_type ? `${charge.gpu_type} × ${charge.gpu_count}` : null

export const exportFocus = (
  db: Db,
  userId: string,
  pages: AsyncIterable<readonly BillingEntry[]>,
  issuer: string,
): Bytes => csvFile('billing-focus-1.2.csv', focusColumns, chargesOf(db, userId, pages, issuer))

async function* chargesOf(
  db: Db,
  userId: string,
  pages: AsyncIterable<readonly BillingEntry[]>,
  issuer: string,
): AsyncGenerator<readonly Charge[]> {
  for await (const lines of pages) yield await readCharges(db, userId, lines, issuer)
}

/** As the specification writes times: UTC, to the second. */
const time = (at: RawBuilder<unknown>) => sql`to_char(${at}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

async function readCharges(
  db: Db,
  userId: string,
  lines: readonly BillingEntry[],
  issuer: string,
): Promise<readonly Charge[]> {
  const ids = lines.map(({ id }) => id)
  const { rows } = await sql<Omit<Charge, 'amount' | 'description' | 'issuer'>>`
    select t.idem as id, t.user_id, t.code, ${time(sql`p.from_at`)} as from_at,
      -- A period has a length.
      ${time(sql`greatest(p.to_at, p.from_at + interval '1 second')`)} as to_at,
      ${time(sql`b.month`)} as month, ${time(sql`b.month + interval '1 month'`)} as next_month, usd(p.price_micro) as price,
      round(t.amount_micro::numeric / nullif(p.price_micro, 0) * case when t.code = 'usage_return' then -1 else 1 end, 6)::text as hours,
      m.id as meter_id, m.label, m.kind, i.gpu_type, i.gpu_count, coalesce(i.region, d.region, s.region) as region, v.number as invoice, b.is_correction,
      (select coalesce(nullif(company, ''), nullif(btrim(first_name || ' ' || last_name), ''), 'Account ' || left(t.user_id::text, 8))
        from profiles p where p.user_id = t.user_id) as account
    from ledger_transfer t join wallets w on w.user_id = t.user_id and w.account_id in (t.from_account, t.to_account)
    left join meter m on m.id = t.ref left join meter_kind k on k.id = m.kind left join gpu_instances i on i.id = m.id
    left join network_volumes d on d.id = m.id left join volume_snapshots s on s.id = m.id
    left join usage_line u on t.code = 'usage' and u.meter_id = t.ref and u.to_at = t.effective_at
    left join usage_return r on t.code = 'usage_return' and r.meter_id = t.ref and key_of('usage_return:' || r.id) = t.idem
    cross join lateral (
      select coalesce(u.from_at, r.from_at, t.effective_at) at time zone 'UTC' as from_at, coalesce(u.price_micro, r.price_micro) as price_micro,
        coalesce(u.to_at, r.to_at, case when t.code = 'deploy' and m.month_micro is null then m.paid_until
          when t.code in ('deploy', 'renewal') then t.effective_at + k.renews_ms * interval '1 millisecond' end) at time zone 'UTC' as to_at) p
    left join lateral (
      select c.month from invoice_month c where c.user_id = t.user_id and c.month >= month_of(t) and c.transfer_id >= t.id
      order by c.month limit 1) closed on true
    -- Most of a bill returns nothing, and to ask for each what it returns took longer than all else.
    left join invoice charged on charged.id = case when t.code in ('return', 'usage_return') then invoice_of(t.user_id, charge_of(t)) end
    cross join lateral (
      select coalesce(closed.month, month_of(t))::timestamp as month, coalesce(charged.month < coalesce(closed.month, 'infinity'), false) as is_correction) b
    left join invoice v on v.user_id = t.user_id and v.month = closed.month
      and v.kind = case when b.is_correction then 'credit_note' else 'invoice' end
    where t.idem = any(${ids}::uuid[]) and t.user_id = ${userId} and is_invoiced(t.code)`.execute(db)
  const byId = new Map(rows.map(row => [row.id, row]))
  return lines.flatMap(({ id, amount, description }) => {
    const row = byId.get(id)
    return row ? [{ ...row, amount, description, issuer }] : []
  })
}
