-- Credit that an operator gives once, after a first deposit (ADR 38): an account of its own, which is spent before the
-- wallet, ends at a time, and never becomes money that is paid out. What it pays goes through the wallet within one
-- movement of it, so a charge is the same movement whoever paid it.

alter domain ledger_kind drop constraint ledger_kind_check;
alter domain ledger_kind add constraint ledger_kind_check check (value in
  ('custody', 'revenue', 'adjustment', 'refunds', 'promotion', 'wallet', 'prepaid', 'hold', 'withdrawal', 'credit'));
alter domain ledger_code drop constraint ledger_code_check;
alter domain ledger_code add constraint ledger_code_check check (value in
  ('deposit', 'deploy', 'renewal', 'usage', 'usage_return', 'return', 'debit', 'credit', 'term', 'hold', 'release', 'refund', 'forfeit',
    'payout', 'credit_grant', 'credit_used', 'credit_back', 'credit_lapse'));
insert into ledger_account (id, kind) values (5, 'promotion');

-- Until `credit_ends_at`, whoever was given credit.
alter table wallets
  add column credit_account bigint unique references ledger_account,
  add column credit_ends_at timestamptz,
  add check ((credit_account is null) = (credit_ends_at is null));
-- How much of what is prepaid is credit. It is used first, so what comes back is money as far as money paid.
alter table meter add column credit_micro bigint not null default 0 check (credit_micro >= 0);
-- Of what was prepaid, and of what the wallet paid, how much was credit.
alter table usage_line
  add column prepaid_credit_micro bigint not null default 0 check (prepaid_credit_micro between 0 and prepaid_micro),
  add column credit_micro bigint not null default 0 check (credit_micro between 0 and wallet_micro);
alter table usage_return add column credit_micro bigint not null default 0 check (credit_micro between 0 and amount_micro);

create or replace view meter_now as
select m.id, m.user_id, m.prepaid_account, m.label, m.price_micro, m.paid_until, m.opened_at, m.metered_to, m.remainder,
  m.seen_at, m.ended_at, m.kind, m.source, m.is_missed, m.renews_at, m.lapsed_at, m.is_running, l.last_seen,
  coalesce(l.last_seen + s.grace_ms * interval '1 millisecond', 'infinity') as horizon,
  p.prepaid_micro, m.remainder - p.prepaid_micro * 3600000::numeric as behind, m.credit_micro
from meter m
join ledger_account a on a.id = m.prepaid_account
left join look_source s on s.id = m.source
cross join lateral (select case when m.is_missed then m.seen_at else greatest(m.seen_at, s.observed_at) end as last_seen) l
cross join lateral (select case when m.paid_until is null then a.balance_micro else 0 end as prepaid_micro) p;

-- What credit pays of what is drawn up to `p_until`: no more than there is, and nothing that is drawn after its end. With
-- `p_now` it is a forecast, which covers next months too.
create function credit_covers(p_user_id uuid, p_until timestamptz, p_now timestamptz) returns bigint language sql stable as $$
  select coalesce((
    select least(c.balance_micro, (
      select coalesce(div(sum(drawn(m, e.at, p_now) + case when p_now is not null and m.renews_at <= e.at
        then m.price_micro::numeric * k.renews_ms * (div(ms_of(e.at) - ms_of(m.renews_at), k.renews_ms) + 1) else 0 end), 3600000), 0)
      from meter_now m join meter_kind k on k.id = m.kind where m.user_id = p_user_id and m.is_running))
    from wallets w join ledger_account c on c.id = w.credit_account
    cross join lateral (select least(p_until, w.credit_ends_at) as at) e
    where w.user_id = p_user_id), 0)::bigint
$$;

-- What is left of it at `p_at`, beside what it pays of what has accrued. Nothing after its end.
create function credit_left(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce((
    select c.balance_micro - credit_covers(p_user_id, p_at, null)
    from wallets w join ledger_account c on c.id = w.credit_account where w.user_id = p_user_id and w.credit_ends_at > p_at), 0)::bigint
$$;

-- What the wallet itself owes at `p_at`: what has accrued beyond what credit pays of it.
create function wallet_owed(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select wallet_accrued(p_user_id, p_at) - credit_covers(p_user_id, p_at, null)
$$;

-- What comes back of a prepaid account as money: the rest less its credit.
create function money_rest_of(m meter_now, p_at timestamptz) returns bigint language sql stable as $$
  select r.micro - greatest(0, m.credit_micro - (a.balance_micro - r.micro))
  from ledger_account a cross join lateral (select rest_of(m, p_at) as micro offset 0) r where a.id = m.prepaid_account
$$;

-- Credit that was not used until its end is no more, and what comes back after it neither. The wallets are locked.
create function lapse_credits(p_users uuid[], p_ats timestamptz[]) returns uuid[] language plpgsql as $$
declare r record; v_users uuid[] := '{}';
begin
  for r in
    select w.user_id, w.credit_account, c.balance_micro, u.at,
      (select max(id) from ledger_transfer where user_id = w.user_id and to_account = w.credit_account) as last_id
    from unnest(p_users, p_ats) u(user_id, at) join wallets w on w.user_id = u.user_id and w.credit_ends_at <= u.at
    join ledger_account c on c.id = w.credit_account where c.balance_micro > 0 order by w.user_id
  loop
    perform ledger_post(key_of('credit_lapse:' || r.last_id), r.credit_account, 5, r.balance_micro, 'credit_lapse', r.user_id, null,
      'Credit: its time is over', r.at);
    insert into event (user_id, type, data, at) values (r.user_id, 'credit.lapsed', jsonb_build_object('message', format('$%s of credit was not used until its end', amount_text(r.balance_micro))), r.at);
    v_users := v_users || r.user_id;
  end loop;
  return v_users;
end $$;

-- Once for an account, after a deposit that is large enough, while the operator gives it (`p_ends_at`).
create function grant_credit(p_user_id uuid, p_deposit uuid, p_amount bigint, p_ends_at timestamptz, p_at timestamptz)
returns void language plpgsql as $$
declare v_account bigint;
begin
  if p_ends_at is null or p_amount < 10000000 then return; end if;
  insert into ledger_account (kind, owner) values ('credit', p_user_id) on conflict (kind, owner) do nothing returning id into v_account;
  if v_account is null then return; end if;
  update wallets set credit_account = v_account, credit_ends_at = date_trunc('milliseconds', p_ends_at) where user_id = p_user_id;
  perform ledger_post(key_of('credit_grant:' || p_user_id), 5, v_account, 10000000, 'credit_grant', p_user_id, p_deposit,
    'Credit for the first deposit', p_at);
  insert into event (user_id, type, data, at)
  values (p_user_id, 'credit.granted', jsonb_build_object('message', format('$10.00 of credit, used before the balance, until %s UTC', to_char(p_ends_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'))), p_at);
end $$;

-- Pays at most `p_amount` of what the wallet is about to pay for a meter. Returns how much. The wallet is locked.
create function use_credit(p_user_id uuid, p_meter uuid, p_amount bigint, p_idem text, p_words text, p_at timestamptz)
returns bigint language plpgsql as $$
declare v_used bigint; v_credit bigint; v_wallet bigint;
begin
  select w.credit_account, w.account_id, least(p_amount, c.balance_micro) into v_credit, v_wallet, v_used
  from wallets w join ledger_account c on c.id = w.credit_account where w.user_id = p_user_id and w.credit_ends_at > p_at;
  if coalesce(v_used, 0) = 0 then return 0; end if;
  perform ledger_post(key_of('credit_used:' || p_idem), v_credit, v_wallet, v_used, 'credit_used', p_user_id, p_meter, p_words, p_at);
  return v_used;
end $$;

-- What came back to the wallet for a meter and was credit goes on to where it came from. The wallet is locked.
create function return_credit(p_user_id uuid, p_meter uuid, p_amount bigint, p_idem text, p_words text, p_at timestamptz)
returns void language plpgsql as $$
begin
  if p_amount = 0 then return; end if;
  perform ledger_post(key_of('credit_back:' || p_idem), w.account_id, w.credit_account, p_amount, 'credit_back', p_user_id, p_meter, p_words, p_at)
  from wallets w where w.user_id = p_user_id;
  perform lapse_credits(array[p_user_id], array[p_at]);
end $$;
