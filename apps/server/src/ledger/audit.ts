/**
 * Derives every balance, charge and deposit again from the transfers and says what does not agree. An empty list means
 * that money neither appeared nor vanished. Runs after every API test, every night (`admin/nightly-audit.ts`) and by hand
 * against a live database (`run-audit.ts`): it reads one snapshot and writes nothing.
 */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { businessRules } from './audit-business.ts'
import { creditRules } from './audit-credit.ts'
import { invoiceRules } from './audit-invoices.ts'

export interface Finding {
  readonly rule: string
  readonly detail: string
}

/** What each rule guarantees, and the rows that break it. */
const rules: Record<string, string> = {
  'a live balance is the sum of its transfers': `
    with step as (
      select from_account as account, -amount_micro as change from ledger_transfer
      union all select to_account, amount_micro from ledger_transfer),
    total as (select account, sum(change) as net from step where account >= 100 group by account)
    select a.kind || ' account ' || a.id || ' holds ' || a.balance_micro || ', transfers say ' || coalesce(t.net, 0)
    from ledger_account a left join total t on t.account = a.id
    where a.owner is not null and coalesce(t.net, 0) <> a.balance_micro`,

  'an account of a kind that belongs to somebody has an owner, and no other has': `
    select 'account ' || id || ' (' || kind || ')' from ledger_account
    where (kind in ('wallet', 'prepaid', 'hold', 'withdrawal', 'credit', 'queue')) <> (owner is not null)`,

  'balances after each transfer form a chain': `
    with step as (
      select id, from_account as account, -amount_micro as change, from_after_micro as after from ledger_transfer where from_account >= 100
      union all
      select id, to_account, amount_micro, to_after_micro from ledger_transfer where to_account >= 100)
    select 'transfer ' || id || ' leaves account ' || account || ' at ' || coalesce(after::text, 'nothing') || ', expected ' || expected
    from (select *, sum(change) over (partition by account order by id) as expected from step) s
    where after is distinct from expected or expected < 0`,

  'transfers name real accounts, and system accounts no balance': `
    select 'transfer ' || t.id from ledger_transfer t
    where not exists (select 1 from ledger_account where id = t.from_account) or not exists (select 1 from ledger_account where id = t.to_account)
      or (t.from_account < 100 and t.from_after_micro is not null) or (t.to_account < 100 and t.to_after_micro is not null)`,

  'each kind of movement runs between the accounts it may': `
    select 'transfer ' || t.id || ' (' || t.code || ') runs from ' || f.kind || ' to ' || g.kind
    from ledger_transfer t join ledger_account f on f.id = t.from_account join ledger_account g on g.id = t.to_account
    where not (t.code, f.kind, g.kind) in (('deposit', 'custody', 'wallet'), ('deploy', 'wallet', 'prepaid'), ('renewal', 'wallet', 'prepaid'), ('growth', 'wallet', 'prepaid'), ('usage', 'prepaid', 'revenue'),
      ('usage', 'wallet', 'revenue'), ('usage_return', 'revenue', 'wallet'), ('term', 'prepaid', 'revenue'), ('return', 'prepaid', 'wallet'), ('debit', 'wallet', 'revenue'), ('credit', 'adjustment', 'wallet'),
      ('hold', 'wallet', 'hold'), ('hold', 'wallet', 'withdrawal'), ('hold', 'wallet', 'queue'), ('release', 'hold', 'wallet'), ('release', 'withdrawal', 'wallet'), ('release', 'queue', 'wallet'),
      ('refund', 'wallet', 'refunds'), ('forfeit', 'wallet', 'revenue'), ('payout', 'withdrawal', 'custody'), ('payout', 'refunds', 'custody'),
      ('credit_grant', 'promotion', 'credit'), ('credit_used', 'credit', 'wallet'), ('credit_back', 'wallet', 'credit'), ('credit_lapse', 'credit', 'promotion'))`,

  'money stays with its owner': `
    select 'transfer ' || t.id from ledger_transfer t
    join ledger_account a on a.id in (t.from_account, t.to_account) and a.owner is not null
    left join meter m on a.kind = 'prepaid' and m.id = a.owner
    where t.user_id is distinct from (case a.kind when 'prepaid' then m.user_id else a.owner end)`,

  'a usage line is price times time, with the remainder carried': `
    select 'usage line ' || u.id from usage_line u join meter m on m.id = u.meter_id
    where u.amount_micro::numeric * 3600000 + u.remainder_after <> u.price_micro::numeric * billable_ms(u.from_at, u.to_at, m.paid_until) + u.remainder_before
      or u.remainder_after not between 0 and 3599999 or u.user_id <> m.user_id`,

  'no second is charged twice and no remainder is lost': `
    with step as (
      select 'usage line ' || id as name, false as is_return, meter_id, from_at, to_at, remainder_before, remainder_after from usage_line
      union all
      select 'usage return ' || id, true, meter_id, from_at, to_at, remainder_before, remainder_after from usage_return)
    select name from (
      select *, lag(to_at) over w as previous_to, lag(remainder_after, 1, 0::bigint) over w as carried
      from step window w as (partition by meter_id order by to_at, is_return)) s
    where remainder_before <> carried or (case when is_return then to_at is distinct from previous_to else from_at < previous_to end)`,

  'a usage return is price times time, of what its meter was charged, with the remainder carried': `
    select 'usage return ' || r.id from usage_return r join meter m on m.id = r.meter_id
    left join usage_line u on u.meter_id = r.meter_id and u.to_at = r.to_at
    where r.amount_micro * 3600000::numeric + r.remainder_before
        <> r.price_micro::numeric * billable_ms(r.from_at, r.to_at, m.paid_until) + r.remainder_after
      or r.remainder_after not between 0 and 3599999 or r.user_id <> m.user_id or r.price_micro is distinct from u.price_micro`,

  'each usage return was paid back exactly once, and each such transfer has its row': `
    select 'usage return ' || coalesce(r.id::text, t.id::text) from usage_return r
    full join (select * from ledger_transfer where code = 'usage_return') t on t.idem = key_of('usage_return:' || r.id)
    left join wallets w on w.user_id = r.user_id
    where coalesce(r.amount_micro, 0) <> coalesce(t.amount_micro, 0)
      or (t.id is not null and (r.id is null or t.to_account <> w.account_id or t.ref is distinct from r.meter_id))`,

  'a meter stands where its last line ended': `
    select 'meter ' || m.id from meter m
    left join lateral (select * from usage_line where meter_id = m.id order by to_at desc limit 1) u on true
    left join usage_return r on r.meter_id = m.id and r.to_at = u.to_at
    where m.remainder <> coalesce(r.remainder_after, u.remainder_after, 0) or m.metered_to < u.to_at
      or m.ended_at < u.to_at or (m.metered_to is not null and m.ended_at is not null)`,

  'each usage line was paid exactly once, and each usage transfer has its line': `
    with due as (
      select u.id, key_of('prepaid:' || u.id) as idem, m.prepaid_account as account, u.prepaid_micro as micro, u.meter_id, u.to_at
      from usage_line u join meter m on m.id = u.meter_id where u.prepaid_micro > 0
      union all
      select u.id, key_of('usage:' || u.id), w.account_id, u.wallet_micro, u.meter_id, u.to_at
      from usage_line u join wallets w on w.user_id = u.user_id where u.wallet_micro > 0)
    select coalesce('usage line ' || d.id, 'transfer ' || t.id) from due d
    full join (select * from ledger_transfer where code = 'usage') t on t.idem = d.idem
    where (t.from_account, t.amount_micro, t.ref, t.effective_at) is distinct from (d.account, d.micro, d.meter_id, d.to_at)
    union all
    select 'usage line ' || id from usage_line where amount_micro <> prepaid_micro + wallet_micro`,

  'each meter was paid for by one deploy charge, when it was made, unless its kind takes nothing in advance': `
    select 'meter ' || m.id from meter m left join meter_kind k on k.id = m.kind
    left join ledger_transfer t on t.idem = key_of('deploy:' || m.id)
    left join ledger_account a on a.id = m.prepaid_account
    where k.is_prepaid is distinct from (t.id is not null) or a.owner is distinct from m.id
      or t.code <> 'deploy' or t.to_account <> m.prepaid_account or t.ref <> m.id or t.effective_at <> m.opened_at`,

  'a meter was open when it was charged for and at no other time, and its spans are of its kind': `
    with step as (
      select *, count(*) filter (where what = 'open') over (partition by meter_id order by id) as run from meter_span),
    run as (
      select meter_id, run, min(at) filter (where what = 'open') as opened,
        (array_agg(at order by id desc) filter (where what = 'close'))[1] as closed, max(run) over (partition by meter_id) as last_run
      from step group by meter_id, run),
    open as (
      select r.meter_id, range_agg(tstzrange(least(r.opened, t.at), t.at)) as time,
        bool_or(r.opened is null or r.opened > t.at or (r.closed is null) <> (r.run = r.last_run and m.metered_to is not null)) as is_broken
      from run r join meter m on m.id = r.meter_id cross join lateral (select coalesce(r.closed, m.metered_to) as at) t group by r.meter_id),
    charged as (
      select meter_id, coalesce(range_agg(time) filter (where not is_return), '{}') - coalesce(range_agg(time) filter (where is_return), '{}') as time
      from (
        select meter_id, tstzrange(least(from_at, to_at), to_at) as time, false as is_return from usage_line
        union all select meter_id, tstzrange(least(from_at, to_at), to_at), true from usage_return) l group by meter_id)
    select 'meter ' || m.id || ' was open and not charged for in ' || (t.open - t.charged)::text || ', and charged for and not open in ' || (t.charged - t.open)::text
    from meter m left join open o on o.meter_id = m.id left join charged c on c.meter_id = m.id
    cross join lateral (select coalesce(o.time, '{}') as open, coalesce(c.time, '{}') as charged) t
    where coalesce(o.is_broken, m.metered_to is not null) or t.open <> t.charged
    union all
    select 'span ' || s.id from meter_span s left join meter m on m.id = s.meter_id
    where (s.kind, s.user_id) is distinct from (m.kind, m.user_id)`,

  'a meter that lapsed, or waits for its last look, stands where its last span closed': `
    select 'meter ' || m.id from meter m
    left join lateral (select * from meter_span where meter_id = m.id order by id desc limit 1) s on true
    where (m.lapsed_at is not null) is distinct from coalesce(s.cause = 'lapsed', false)
      or coalesce(m.lapsed_at, m.ended_at) is distinct from s.at and coalesce(m.lapsed_at, m.ended_at) is not null`,

  'an hour of what is paid by the month is its month divided, and rounded down': `
    select 'meter ' || m.id from meter m join meter_kind k on k.id = m.kind
    where m.month_micro is not null and m.price_micro is distinct from div(m.month_micro * 3600000::numeric, k.renews_ms)`,

  'a month that is paid began with its meter, or has one transfer of its own': `
    select 'meter ' || m.id from meter m join meter_kind k on k.id = m.kind
    cross join lateral (select m.renews_at - k.renews_ms * interval '1 millisecond' as at) began
    where m.renews_at is not null and month_cost(m.month_micro, m.price_micro, k.renews_ms) > 0
      and not exists (select from meter_span s where s.meter_id = m.id and s.what = 'open' and s.cause = 'opened' and s.at = began.at)
      and not exists (select from ledger_transfer t where t.code = 'renewal' and t.idem = key_of('month:' || m.id || ':' || ms_of(began.at)))
    union all
    select 'transfer ' || t.id from ledger_transfer t join meter m on m.id = t.ref
    where t.code = 'renewal' and t.idem <> key_of('month:' || m.id || ':' || ms_of(t.effective_at))
      and not exists (select from meter_span s where s.meter_id = m.id and s.cause = 'revived'
        and t.idem = key_of('month:' || m.id || ':' || ms_of(s.at)))`,

  'a term ends later by its outages, which do not overlap, and what ends with it is paid up to there': `
    select 'meter ' || m.id from meter m join meter_kind k on k.id = m.kind
    cross join lateral (select coalesce(sum(ms_of(to_at) - ms_of(from_at)), 0) as ms from term_extension where meter_id = m.id) e
    where m.extended_ms <> e.ms
      or k.renews_ms is null and m.renews_at is distinct from case when m.ends_with_term and m.metered_to < m.paid_until then m.paid_until end
    union all
    select 'extension ' || e.id from term_extension e left join meter m on m.id = e.meter_id
    where e.user_id is distinct from m.user_id or e.from_at < m.opened_at
      or exists (select from term_extension o where o.meter_id = e.meter_id and o.id < e.id and o.to_at > e.from_at)
    union all
    select 'span ' || s.id from meter_span s join meter m on m.id = s.meter_id where s.cause = 'term_over' and (s.at <= m.paid_until) is not true`,

  'what is charged, or waits for the end of its grace, has a timer': `
    select distinct 'wallet ' || w.user_id from wallets w join meter_now m on m.user_id = w.user_id
    where w.due_at is null and (m.lapsed_at is not null or (m.is_running and m.metered_to < m.horizon))
    union all
    select 'wallet ' || w.user_id from wallets w join ledger_account c on c.id = w.credit_account where w.due_at is null and c.balance_micro > 0`,

  'a wallet and its account have one owner': `
    select 'wallet ' || w.user_id from wallets w left join ledger_account a on a.id = w.account_id
    where (a.kind, a.owner) is distinct from ('wallet', w.user_id)`,

  'each credited deposit has one transfer of its amount, and each deposit transfer its deposit': `
    select 'deposit ' || coalesce(d.id::text, t.id::text) from chain_deposit d
    full join (select * from ledger_transfer where code = 'deposit') t on t.idem = key_of('deposit:' || d.id)
    where (d.state = 'credited' and t.id is null) or (t.id is not null and (d.id is null or d.state <> 'credited'))
      or d.amount_micro <> t.amount_micro or d.user_id <> t.user_id or (t.id is not null and t.ref is distinct from d.id)`,

  'no deposit address sent more than arrived at it': `
    select 'address ' || encode(from20, 'hex') || ' of ' || chain || ' stands at ' || recorded_balance(chain, from20, max(block_number))
    from chain_sweep s where exists (select from deposit_address a where (a.chain, a.address20) = (s.chain, s.from20))
    group by chain, from20 having recorded_balance(chain, from20, max(block_number)) < 0`,

  'an address holds what arrived at it less what left it, as the chain last said': `
    select 'address ' || encode(address20, 'hex') || ' of ' || chain || ' held ' || held_micro || ' after block ' || block_number
      || ', transfers say ' || recorded_balance(chain, address20, block_number)
    from chain_balance where held_micro <> recorded_balance(chain, address20, block_number)`,

  'each deposit that is held for a deleted account has one refund request of its amount': `
    select 'deposit ' || coalesce(d.id::text, r.id::text) from (select * from chain_deposit where held_reason = 'account_deleted') d
    full join (select * from refund_request where deposit_id is not null) r on r.deposit_id = d.id
    where d.id is null or r.id is null or d.amount_micro <> r.amount_micro or d.user_id <> r.user_id`,

  'each refund of a wallet has one transfer of its amount, and each refund transfer its request': `
    select 'refund ' || coalesce(r.id::text, t.id::text) from (select * from refund_request where deposit_id is null) r
    full join (select * from ledger_transfer where code = 'refund') t on t.idem = key_of('refund:' || r.user_id)
    where r.id is null or t.id is null or r.amount_micro <> t.amount_micro or r.user_id <> t.user_id or t.ref is distinct from r.id`,

  'each withdrawal was set aside, and is paid, back in its wallet, or still set aside': `
    select 'withdrawal ' || w.id from withdrawal w
    left join ledger_transfer h on h.idem = key_of('withdrawal:' || w.id) left join ledger_account a on a.id = h.to_account
    left join ledger_transfer b on b.idem = key_of('withdrawal_back:' || w.id)
    left join ledger_transfer p on p.idem = key_of('payout:' || w.id)
    where (h.user_id, h.amount_micro, a.kind) is distinct from (w.user_id, w.amount_micro, 'withdrawal')
      or (w.state in ('cancelled', 'refused')) <> (b.id is not null) or (w.state = 'paid') <> (p.id is not null)
      or b.amount_micro <> w.amount_micro or p.amount_micro <> w.amount_micro
    union all
    select 'withdrawals of ' || w.user_id from withdrawal w left join ledger_account a on a.kind = 'withdrawal' and a.owner = w.user_id
    where w.state in ('waiting', 'sending') group by w.user_id, a.balance_micro having sum(w.amount_micro) > coalesce(a.balance_micro, 0)`,

  'what is set aside for whoever waits for a place is what each of them had set aside': `
    select 'the queue of ' || coalesce(a.owner, q.user_id) || ' needs ' || coalesce(q.micro, 0) || ', and ' || coalesce(a.balance_micro, 0) || ' is set aside'
    from (select * from ledger_account where kind = 'queue') a
    full join (select user_id, sum(held_micro) as micro from instance_queue group by 1) q on q.user_id = a.owner
    where coalesce(a.balance_micro, 0) <> coalesce(q.micro, 0)
    union all
    select 'queued ' || q.id from instance_queue q left join gpu_instances i on i.id = q.instance_id
    left join ledger_transfer h on h.idem = key_of('queue:' || q.id) left join ledger_account a on a.id = h.to_account
    where i.user_id is distinct from q.user_id or i.status is distinct from 'stopped' or i.status_reason is distinct from 'queued'
      or q.held_micro > 0 and (h.user_id, h.amount_micro, a.kind) is distinct from (q.user_id, q.held_micro, 'queue')
      or q.held_micro <> q.total_micro or (q.total_micro is null) <> exists (select from meter where id = q.instance_id)`,

  'what the chain paid is recorded as it left, of that amount, to that address': `
    select 'request ' || p.id from (
      select id, chain, txid, log_index, address20, amount_micro from withdrawal where txid is not null
      union all select id, chain, txid, log_index, address20, amount_micro from refund_request where txid is not null) p
    left join chain_sweep s on (s.chain, s.txid, s.log_index) = (p.chain, p.txid, p.log_index)
    where (s.to20, s.amount_micro) is distinct from (p.address20, p.amount_micro)`,

  'each payout has its request, and each refund of a wallet that the chain shows its payout': `
    select 'transfer ' || t.id from ledger_transfer t
    where t.code = 'payout' and not exists (select from withdrawal w where w.id = t.ref and w.user_id = t.user_id and t.idem = key_of('payout:' || w.id))
      and not exists (select from refund_request r where r.id = t.ref and r.user_id = t.user_id and r.deposit_id is null
        and r.amount_micro = t.amount_micro and r.txid is not null and t.idem = key_of('payout:' || r.id))
    union all
    select 'refund ' || r.id from refund_request r left join ledger_transfer t on t.idem = key_of('payout:' || r.id)
    where r.deposit_id is null and r.txid is not null and t.id is null`,

  'wallets are closed with their accounts, once': `
    select 'transfer ' || t.id from ledger_transfer t left join auth_user u on u.id = t.user_id
    where t.code in ('refund', 'forfeit') and (u.deleted_at is null or t.idem <> key_of(t.code || ':' || t.user_id))
    union all
    select 'transfer ' || t.id from auth_user u
    join ledger_transfer t on t.idem in (key_of('refund:' || u.id), key_of('forfeit:' || u.id)) and t.code not in ('refund', 'forfeit')
    where u.deleted_at is not null`,

  'a deleted account holds nothing, and nothing was credited to it': `
    select 'account ' || a.id || ' of deleted user ' || u.id || ' holds ' || a.balance_micro from auth_user u
    join ledger_account a on a.owner = u.id or a.owner in (select id from meter where user_id = u.id)
    where u.deleted_at is not null and a.balance_micro <> 0
    union all
    select 'meter ' || m.id || ' of deleted user ' || u.id || ' runs' from auth_user u join meter m on m.user_id = u.id
    where u.deleted_at is not null and m.metered_to is not null`,

  'what was spent and used in a month is the sum of the movements that were counted': `
    with part as (
      select t.user_id, month_of(t) as month, 0 as used_ms,
        case when t.from_account = w.account_id and t.code not in ('hold', 'credit_back') then t.amount_micro
          when t.to_account = w.account_id and t.code = 'usage_return' then -t.amount_micro else 0 end as spent_micro
      from spending_counted c join wallets w on w.user_id = c.user_id
      join ledger_transfer t on t.user_id = c.user_id and t.id <= c.transfer_id
      union all
      select s.user_id, m.start::date,
        s.sign * (extract(epoch from least(s.to_at, m.start + interval '1 month') - greatest(s.from_at, m.start)) * 1000)::bigint, 0
      from (
        select 1 as sign, u.user_id, u.from_at at time zone 'UTC' as from_at, u.to_at at time zone 'UTC' as to_at
        from spending_counted c join usage_line u on u.user_id = c.user_id and u.id <= c.line_id
        union all
        select -1, r.user_id, r.from_at at time zone 'UTC', r.to_at at time zone 'UTC'
        from spending_counted c join usage_return r on r.user_id = c.user_id and r.id <= c.return_id
      ) s, generate_series(date_trunc('month', s.from_at), s.to_at - interval '1 microsecond', interval '1 month') m(start)
      union all
      select user_id, month, -used_ms, -spent_micro from spending_month)
    select month || ' of wallet ' || user_id || ' is off by ' || sum(spent_micro) || ' micro-USD and ' || sum(used_ms) || ' ms'
    from part group by user_id, month having sum(spent_micro) <> 0 or sum(used_ms) <> 0`,

  'what was spent under a budget is the sum of what its owner paid for, less what returned': `
    with moved as (select * from budget_movement where user_id in (select user_id from budget)),
    total as (
      select user_id, null::uuid as meter_id, month, sum(micro) as micro from moved group by user_id, month
      union all
      select user_id, meter_id, null, sum(micro) from moved group by user_id, meter_id)
    select coalesce('budget of meter ' || b.meter_id, b.month || ' of budget of ' || b.user_id) || ' has ' || b.spent_micro || ', movements say ' || coalesce(t.micro, 0)
    from budget b left join total t on t.user_id = b.user_id and t.meter_id is not distinct from b.meter_id and t.month is not distinct from b.month
    where b.limit_micro is not null and b.spent_micro <> coalesce(t.micro, 0)`,

  'nothing is charged beyond a budget that stops, but what is paid by the month': `
    with step as (
      select b.limit_micro, b.set_after, v.id, v.code, v.meter_id,
        sum(v.micro) over (partition by b.user_id, b.meter_id, b.month order by v.id) as spent
      from budget b join budget_movement v on v.user_id = b.user_id and (v.meter_id = b.meter_id or v.month = b.month)
      where b.at_limit = 'stop')
    select 'transfer ' || s.id || ' makes ' || s.spent || ' of a budget of ' || s.limit_micro
    from step s join meter m on m.id = s.meter_id join meter_kind k on k.id = m.kind
    where s.id > s.set_after and s.spent > s.limit_micro and (s.code = 'deploy' or s.code = 'usage' and k.renews_ms is null)`,

  'a budget is of its owner, and what was told of it is a share': `
    select 'budget of ' || b.user_id from budget b left join meter m on m.id = b.meter_id left join wallets w on w.user_id = b.user_id
    where w.user_id is null or (b.meter_id is not null and m.user_id is distinct from b.user_id) or b.month <> date_trunc('month', b.month)
      or b.told_percent not in (0, 50, 80, 100) or (b.told_percent = 100) <> (b.reached_at is not null)`,
  ...invoiceRules,
  ...creditRules,
  ...businessRules,

  'all accounts together sum to zero': `
    select 'off by ' || total from (
      select (select coalesce(sum(balance_micro), 0) from ledger_account)
        + coalesce((select sum(amount_micro) from ledger_transfer where to_account < 100), 0)
        - coalesce((select sum(amount_micro) from ledger_transfer where from_account < 100), 0) as total) s
    where total <> 0`,
}

/** Every disagreement found; at most `mostPerRule` of each rule, null for all of them. */
export async function auditLedger(db: Db, mostPerRule: number | null = 20): Promise<Finding[]> {
  const audit = (tx: Db) => findings(tx, mostPerRule)
  if (db.isTransaction) return audit(db)
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(audit)
}

async function findings(db: Db, mostPerRule: number | null): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [rule, query] of Object.entries(rules)) {
    const { rows } = await sql<{
      detail: string
    }>`select * from (${sql.raw(query)}) as broken(detail) limit ${mostPerRule}`.execute(db)
    found.push(...rows.map(row => ({ rule, detail: row.detail })))
  }
  return found
}

/** Throws with every finding: what the test harness calls. */
export async function assertLedgerSound(db: Db): Promise<void> {
  const findings = await auditLedger(db)
  if (findings.length)
    throw new Error(
      `the ledger does not add up:\n${findings.map(f => `- ${f.rule}: ${f.detail}`).join('\n')}`,
    )
}
