/** What the audit holds invoices to: with what is on none yet, their lines are the ledger. */

/**
 * Movements of wallets, each with the first closed month that holds it: the first that counts its month and was closed
 * after it. Null: it is on no invoice yet.
 */
const placed = `
  placed as (
    select t.id, t.user_id, t.code, t.ref, month_of(t) as own_month, c.month,
      case when t.to_account = w.account_id then t.amount_micro else -t.amount_micro end as change
    from ledger_transfer t join wallets w on w.user_id = t.user_id and w.account_id in (t.from_account, t.to_account)
    left join lateral (
      select month from invoice_month c where c.user_id = t.user_id and c.month >= month_of(t) and c.transfer_id >= t.id
      order by c.month limit 1) c on true)`

const nobody = `'00000000-0000-0000-0000-000000000000'::uuid`

export const invoiceRules: Record<string, string> = {
  'the lines of a closed month are the movements that it holds': `
    with ${placed},
    moved as (
      select user_id, month, code, coalesce(ref, ${nobody}) as ref, -sum(change) as micro, count(*) as movements from placed
      where month is not null and is_invoiced(code) group by 1, 2, 3, 4),
    written as (
      select i.user_id, i.month, l.code, coalesce(l.meter_id, ${nobody}) as ref, sum(l.amount_micro) as micro, sum(l.movements) as movements
      from invoice_line l left join invoice i on i.id = l.invoice_id group by 1, 2, 3, 4)
    select coalesce(m.code, n.code) || ' of ' || coalesce(m.ref, n.ref) || ' in ' || coalesce(m.month, n.month)::text || ': '
      || coalesce(n.micro, 0) || ' on invoices, ' || coalesce(m.micro, 0) || ' moved'
    from moved m full join written n using (user_id, month, code, ref)
    where m.micro is distinct from n.micro or m.movements is distinct from n.movements`,

  'what was there when a month was closed is on an invoice': `
    with ${placed}
    select 'transfer ' || p.id from placed p join invoicing i on i.user_id = p.user_id
    where p.month is null and is_invoiced(p.code) and p.own_month <= i.month and p.id <= i.transfer_id
    union all
    select 'wallet ' || coalesce(w.user_id, i.user_id) from wallets w full join invoicing i on i.user_id = w.user_id
    where w.user_id is null or i.user_id is null
    union all
    select 'wallet ' || i.user_id from invoicing i join invoice_month m on m.user_id = i.user_id
    where m.month > i.month or m.transfer_id > i.transfer_id`,

  'the wallet of a closed month goes on from the one before': `
    with ${placed},
    sums as (
      select user_id, month, coalesce(sum(change) filter (where code = 'deposit'), 0) as paid_in,
        coalesce(-sum(change) filter (where is_invoiced(code)), 0) as charged,
        coalesce(sum(change) filter (where code <> 'deposit' and not is_invoiced(code)), 0) as other
      from placed where month is not null group by 1, 2)
    select 'month ' || m.month || ' of wallet ' || m.user_id from (
      select *, lag(closing_micro, 1, 0::bigint) over (partition by user_id order by month) as before from invoice_month) m
    left join sums s on s.user_id = m.user_id and s.month = m.month
    where (m.opening_micro, m.paid_in_micro, m.charged_micro, m.other_micro)
        is distinct from (m.before, s.paid_in::bigint, s.charged::bigint, s.other::bigint)
      or m.closing_micro <> m.opening_micro + m.paid_in_micro - m.charged_micro + m.other_micro
      or not exists (select from invoice i where i.user_id = m.user_id and i.month = m.month)
      or not exists (select from ledger_transfer t where t.id = m.transfer_id and t.user_id = m.user_id)`,

  'all movements before the first open one are on invoices': `
    with ${placed}
    select 'month ' || m.month || ' of wallet ' || m.user_id from invoice_month m
    where m.open_from <> coalesce((select min(p.id) from placed p where p.user_id = m.user_id and p.id <= m.transfer_id and p.own_month > m.month),
      m.transfer_id + 1)`,

  'numbers of invoices have no gap': `
    select 'invoice ' || number from (select *, row_number() over (order by serial) as n from invoice) i
    where serial <> n or number !~ ('^[A-Z0-9]{1,10}-[0-9]{4}-0*' || serial || '$')
      or id <> key_of('invoice:' || user_id || ':' || month || ':' || kind)
    union all
    select 'the counter stands at ' || last_serial from invoice_counter
    where last_serial <> (select count(*) from invoice) or not one
    union all
    select 'there are ' || count(*) || ' counters' from invoice_counter having count(*) <> 1`,

  'an invoice is the sum of its lines to the cent, and says how much tax is in it': `
    select 'invoice ' || i.number from invoice i
    left join lateral (
      select sum(amount_micro) as micro, count(*) as lines, max(place) as last, min(place) as first, bool_and(corrects is not null) as corrects,
        bool_or(corrects is not null) as corrects_some from invoice_line l where l.invoice_id = i.id) l on true
    left join invoice_month m on m.user_id = i.user_id and m.month = i.month
    where m.user_id is null or i.exact_micro is distinct from l.micro or l.last is distinct from l.lines::integer or l.first is distinct from 1
      or i.total_micro <> to_cent(i.exact_micro) or i.total_micro % 10000 <> 0 or abs(i.total_micro - i.exact_micro) > 5000
      or i.tax_micro <> tax_in(i.total_micro, coalesce((i.seller->>'tax_rate')::integer, 0))
      or (i.kind = 'credit_note') is distinct from l.corrects or (i.kind = 'credit_note') is distinct from l.corrects_some`,

  'a credit note gives back what an earlier invoice charged for the same thing, and not more': `
    select 'credit of ' || l.corrects || ' for ' || l.meter_id from (
      select i.user_id, l.corrects, l.meter_id, sum(l.amount_micro) as micro, min(i.serial) as serial
      from invoice_line l join invoice i on i.id = l.invoice_id where l.corrects is not null group by 1, 2, 3) l
    left join invoice c on c.id = l.corrects and c.kind = 'invoice' and c.user_id = l.user_id and c.serial < l.serial
    where c.id is null or not exists (select from invoice_line x where x.invoice_id = c.id and x.meter_id = l.meter_id and x.amount_micro > 0)`,

  'a line begins when its movement says': `
    select 'line ' || l.place || ' of ' || i.number from invoice_line l join invoice i on i.id = l.invoice_id
    where l.code not in ('usage', 'usage_return') and not exists (
      select from ledger_transfer t where t.user_id = i.user_id and t.code = l.code and t.effective_at = l.from_at
        and t.amount_micro = abs(l.amount_micro) and coalesce(t.ref, l.invoice_id) = coalesce(l.meter_id, l.invoice_id))`,

  'a line of usage begins and ends with what was measured, at its price': `
    select 'line ' || l.place || ' of ' || l.invoice_id from invoice_line l
    where l.code in ('usage', 'usage_return') and not (
      exists (select from usage_line u where u.meter_id = l.meter_id and u.from_at = l.from_at and u.price_micro = l.price_micro
        union all select from usage_return r where r.meter_id = l.meter_id and r.from_at = l.from_at and r.price_micro = l.price_micro)
      and exists (select from usage_line u where u.meter_id = l.meter_id and u.to_at = l.to_at and u.price_micro = l.price_micro))`,
}
