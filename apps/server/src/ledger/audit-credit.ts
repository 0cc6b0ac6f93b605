/** What the audit holds credit to: it is given once, pays only for meters, and nothing of it becomes money. */

export const creditRules: Record<string, string> = {
  'credit is given once, by its first deposit, and its account is its wallet’s': `
    select 'wallet ' || coalesce(w.user_id, a.owner) from (select * from wallets where credit_account is not null) w
    full join (select * from ledger_account where kind = 'credit') a on a.id = w.credit_account
    left join ledger_transfer g on g.idem = key_of('credit_grant:' || coalesce(w.user_id, a.owner))
    left join ledger_transfer d on d.idem = key_of('deposit:' || g.ref)
    where w.user_id is distinct from a.owner or g.to_account is distinct from a.id
      or d.code is distinct from 'deposit' or d.user_id <> w.user_id or d.amount_micro < 10000000
    union all
    select 'transfer ' || id from ledger_transfer where code = 'credit_grant' and idem <> key_of('credit_grant:' || user_id)`,

  'credit that is over when it comes in, or before its end, is not kept': `
    select 'transfer ' || t.id from ledger_transfer t join wallets w on w.user_id = t.user_id left join auth_user u on u.id = t.user_id
    where t.code = 'credit_lapse' and t.effective_at < w.credit_ends_at and u.deleted_at is null
    union all
    select 'transfer ' || t.id from ledger_transfer t join wallets w on w.user_id = t.user_id
    where t.code = 'credit_used' and t.effective_at > w.credit_ends_at`,

  'what credit paid of a line of usage is a movement of its own': `
    select coalesce('usage line ' || u.id, 'transfer ' || t.id) from (select * from usage_line where credit_micro > 0) u
    full join (
      select t.* from ledger_transfer t where t.code = 'credit_used'
        and t.idem not in (key_of('credit_used:deploy:' || t.ref), key_of('credit_used:month:' || t.ref || ':' || ms_of(t.effective_at)))
        and not exists (select from meter_span s where s.meter_id = t.ref and s.cause = 'revived'
          and t.idem = key_of('credit_used:month:' || t.ref || ':' || ms_of(s.at)))
        -- What pays for a growth is the next movement of its meter.
        and (select (n.code, n.effective_at) from ledger_transfer n where n.user_id = t.user_id and n.ref = t.ref and n.id > t.id order by n.id limit 1)
          is distinct from ('growth'::ledger_code, t.effective_at)) t on t.idem = key_of('credit_used:' || u.id)
    where (t.amount_micro, t.ref, t.effective_at) is distinct from (u.credit_micro, u.meter_id, u.to_at)
    union all
    select 'usage line ' || id from usage_line where credit_micro > wallet_micro or prepaid_credit_micro > prepaid_micro`,

  'what of a return was credit went back there, and no more than was paid in money came back as money': `
    select 'usage return ' || coalesce(r.id::text, t.id::text) from (select * from usage_return where credit_micro > 0) r
    full join (
      select * from ledger_transfer t where t.code = 'credit_back'
        and t.idem not in (key_of('credit_back:return:' || t.ref), key_of('credit_back:first_start:' || t.ref))
        and not exists (select from ledger_transfer o where o.user_id = t.user_id and o.ref = t.ref
          and (o.code = 'growth' and t.idem = key_of('credit_back:growth_back:' || o.id) or o.code = 'return' and t.idem = key_of('credit_back:lowered:' || o.id)))) t on t.idem = key_of('credit_back:usage_return:' || r.id)
    where (t.amount_micro, t.ref) is distinct from (r.credit_micro, r.meter_id)
    union all
    select 'usage return ' || r.id from usage_return r
    where r.amount_micro - r.credit_micro > (
      select coalesce(sum(amount_micro - prepaid_credit_micro - credit_micro), 0) from usage_line
      where meter_id = r.meter_id and to_at > r.from_at and from_at < r.to_at)`,

  'a prepaid account knows how much of it is credit': `
    select 'meter ' || m.id || ' has ' || m.credit_micro || ' of credit, movements say ' || c.micro from meter m
    cross join lateral (
      select coalesce(sum(amount_micro) filter (where code = 'credit_used'), 0) - coalesce(sum(amount_micro) filter (where code = 'credit_back'), 0) as moved,
        coalesce(bool_or(code = 'term'), false) as is_kept
      from ledger_transfer where user_id = m.user_id and ref = m.id) t
    cross join lateral (
      select t.moved - coalesce((select sum(credit_micro + prepaid_credit_micro) from usage_line where meter_id = m.id), 0)
        + coalesce((select sum(credit_micro) from usage_return where meter_id = m.id), 0) as micro) c
    where case when t.is_kept then m.credit_micro <> 0 or c.micro < 0 else m.credit_micro <> c.micro end
      or m.credit_micro > (select balance_micro from ledger_account where id = m.prepaid_account)`,

  'no meter gives back more money than money paid': `
    select 'meter ' || t.ref || ' gave back ' || -sum(t.micro) || ' more than it was paid' from (
      select t.ref, case when t.from_account = w.account_id then t.amount_micro else -t.amount_micro end as micro
      from ledger_transfer t join wallets w on w.user_id = t.user_id and w.account_id in (t.from_account, t.to_account)
      where t.code in ('deploy', 'renewal', 'growth', 'usage', 'return', 'usage_return', 'credit_used', 'credit_back')) t
    group by t.ref having sum(t.micro) < 0`,
}
