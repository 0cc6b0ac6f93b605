-- Budgets are limits of settlement, as a balance is: of an instance over its life, of an account in a month (UTC).

-- A row is what was spent under a budget, and the budget as it is. Of an account there is one for each month in which it
-- was set or something was spent: the last one up to a month says what holds in it, so what is charged late for a month
-- that is over counts in it, under the limit of then. Without a limit there is no budget from that month on.
create table budget (
  user_id uuid not null references auth_user on delete cascade,
  meter_id uuid references meter,
  month date,
  limit_micro bigint check (limit_micro > 0),
  at_limit text not null check (at_limit in ('warn', 'stop')),
  -- What the wallet paid less what returned. What was paid in an earlier month returns to that month.
  spent_micro bigint not null default 0,
  -- Of 50, 80 and 100 the highest that was told, or had passed when it was set.
  told_percent integer not null default 0,
  reached_at timestamptz,
  set_at timestamptz not null,
  -- The user's last movement then: those after it keep to the limit.
  set_after bigint not null,
  unique nulls not distinct (user_id, meter_id, month),
  check ((meter_id is null) <> (month is null))
);
create index budget_meter on budget (meter_id) where meter_id is not null;

create function budget_month(p_at timestamptz) returns date language sql immutable as $$
  select date_trunc('month', p_at at time zone 'UTC')::date
$$;

-- The first moment of the next month.
create function month_end(p_at timestamptz) returns timestamptz language sql immutable as $$
  select (date_trunc('month', p_at at time zone 'UTC') + interval '1 month') at time zone 'UTC'
$$;

-- The amount at which so many hundredths of a budget are used.
create function share_of(p_limit bigint, p_percent integer) returns bigint language sql immutable as $$
  select (p_limit * p_percent + 99) / 100
$$;

-- What counts: each movement between a wallet and the meters that it pays for. What returns of what was prepaid counts in
-- the month in which it was paid.
create view budget_movement as
select t.id, t.user_id, t.ref as meter_id, t.code, case when t.to_account = w.account_id then -t.amount_micro else t.amount_micro end as micro,
  coalesce(paid.month, month_of(t)) as month
from wallets w join ledger_transfer t on t.user_id = w.user_id
left join lateral (
  select month_of(p) as month from ledger_transfer p
  where t.code = 'return' and p.user_id = t.user_id and p.ref = t.ref and p.code in ('deploy', 'renewal') and p.id < t.id order by p.id desc limit 1) paid on true
where t.code in ('deploy', 'renewal', 'usage', 'usage_return', 'return') and w.account_id in (t.from_account, t.to_account);

-- Adds what was paid, or returned, to the budgets that there are. The wallets are locked.
create function count_budgets(p_users uuid[], p_meters uuid[], p_months date[], p_micros bigint[]) returns void language plpgsql as $$
begin
  if not exists (select from budget where user_id = any(p_users)) then return; end if;
  update budget b set spent_micro = b.spent_micro + s.micro
  from (select meter_id, sum(micro)::bigint as micro from unnest(p_meters, p_micros) s(meter_id, micro) group by 1) s where b.meter_id = s.meter_id;
  insert into budget as b (user_id, month, limit_micro, at_limit, spent_micro, set_at, set_after)
  select s.user_id, s.month, o.limit_micro, o.at_limit, s.micro, o.set_at, o.set_after
  from (select user_id, month, sum(micro)::bigint as micro from unnest(p_users, p_months, p_micros) s(user_id, month, micro) group by 1, 2) s
  cross join lateral (
    select * from budget o where o.user_id = s.user_id and o.meter_id is null and o.month <= s.month order by o.month desc limit 1) o
  where o.limit_micro is not null
  on conflict (user_id, meter_id, month) do update set spent_micro = b.spent_micro + excluded.spent_micro;
end $$;

-- The budgets of users that hold in a month: their meters', and the account's.
create function budgets_in(p_users uuid[], p_months date[]) returns setof budget language sql stable as $$
  select b.* from unnest(p_users) u(user_id) join budget b on b.user_id = u.user_id and b.meter_id is not null
  union all
  select u.user_id, null, u.month, b.limit_micro, b.at_limit, case when b.month = u.month then b.spent_micro else 0 end,
    case when b.month = u.month then b.told_percent else 0 end, case when b.month = u.month then b.reached_at end, b.set_at, b.set_after
  from unnest(p_users, p_months) u(user_id, month)
  cross join lateral (
    select * from budget o where o.user_id = u.user_id and o.meter_id is null and o.month <= u.month order by o.month desc limit 1) b
  where b.limit_micro is not null
$$;

-- The budgets that hold at `p_at`, with what has accrued since the last settlement: never beyond one that stops.
create function budgets_now(p_user_id uuid, p_at timestamptz)
returns table (meter_id uuid, month date, limit_micro bigint, at_limit text, spent_micro bigint, reached_at timestamptz, told_percent integer)
language sql stable as $$
  select b.meter_id, b.month, b.limit_micro, b.at_limit, b.spent_micro
    + case b.at_limit when 'stop' then greatest(0, least(a.micro, b.limit_micro - b.spent_micro)) else a.micro end, b.reached_at, b.told_percent
  from budgets_in(array[p_user_id], array[budget_month(p_at)]) b
  cross join lateral (
    select coalesce(div(sum(drawn(m, p_at) - case when m.metered_to < b.month::timestamp at time zone 'UTC'
      then drawn(m, b.month::timestamp at time zone 'UTC') else 0 end), 3600000), 0)::bigint as micro
    from meter_now m
    where m.user_id = p_user_id and m.is_running and m.renews_at is null and (b.meter_id is null or m.id = b.meter_id)) a
$$;

-- For each budget: the last millisecond up to `p_untils` at which it covers what its meters draw, as `wallets_last` of a
-- balance; a span lies within one month. What is paid by the month is never ended by a budget, and so draws on none. With
-- `p_now` it is a forecast: also of the next that is to be told, which is reached a millisecond after.
create function budgets_last(p_users uuid[], p_untils timestamptz[], p_now timestamptz default null)
returns table (user_id uuid, meter_id uuid, until_at timestamptz, last_at timestamptz) language sql stable as $$
  with held as materialized (
    select b.user_id, b.meter_id, u.until_at, most_of(case when p_now is null then b.limit_micro - b.spent_micro else least(
      case b.at_limit when 'stop' then b.limit_micro - b.spent_micro end, (
      select min(share_of(b.limit_micro, percent)) - b.spent_micro - 1 from unnest(array[50, 80, 100]) percent
      where percent > b.told_percent and share_of(b.limit_micro, percent) > b.spent_micro and (percent < 100 or b.at_limit = 'warn'))) end) as most
    from unnest(p_users, p_untils) u(user_id, until_at)
    join budgets_in(p_users, array(select budget_month(until - interval '1 millisecond') from unnest(p_untils) until)) b on b.user_id = u.user_id
    where p_now is not null or b.at_limit = 'stop')
  select h.user_id, h.meter_id, h.until_at, least(h.until_at, at_ms(meets(array(
    select row(e.*)::edge
    from (
      select price, behind, began, draws_from(price, behind, began, until) as draws, stop, until
      from (
        select m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
          ms_of(least(h.until_at, case when p_now is null or m.horizon < p_now then m.horizon end)) as stop, ms_of(h.until_at) as until
        from meter_now m
        where m.user_id = h.user_id and m.is_running and m.renews_at is null and (h.meter_id is null or m.id = h.meter_id) offset 0) m offset 0) m
    cross join lateral edges_of(price, behind, began, draws, stop, 0, until) e), h.most)))
  from held h where h.most is not null
$$;

-- Budgets cover what was drawn up to the time of each, and not one millisecond more: what draws on them then ends, but for
-- what is paid by the month. `p_dry` ended at the same time for want of money.
create function end_budgets(p_users uuid[], p_meters uuid[], p_lasts timestamptz[], p_dry uuid[]) returns uuid[] language plpgsql as $$
declare v_own uuid[]; v_others uuid[]; v_over uuid[];
begin
  if p_users is null then return '{}'; end if;
  select coalesce(array_agg(distinct m.id) filter (where u.meter_id is not null), '{}'), array_agg(distinct m.id) into v_own, v_over
  from unnest(p_users, p_meters, p_lasts) u(user_id, meter_id, last_at)
  join meter_now m on m.user_id = u.user_id and m.is_running and m.metered_to = u.last_at and (u.meter_id is null or m.id = u.meter_id)
  where m.renews_at is null and m.horizon > u.last_at and (m.paid_until is null or m.paid_until <= u.last_at) and m.price_micro + m.behind > 0;
  if exists (select from unnest(p_users) u(user_id) where not exists (select from meter m where m.user_id = u.user_id and m.id = any(v_over || p_dry))) then
    raise exception 'a budget that does not cover % is drawn on by nothing', p_lasts;
  end if;
  v_others := array(select unnest(v_over) except select unnest(v_own));
  -- A month of which nothing was spent yet has its row.
  perform count_budgets(p_users, p_meters, array(select budget_month(last) from unnest(p_lasts) last), array_fill(0::bigint, array[cardinality(p_users)]));
  update budget b set told_percent = 100, reached_at = coalesce(b.reached_at, u.last_at)
  from unnest(p_users, p_meters, p_lasts) u(user_id, meter_id, last_at)
  where b.user_id = u.user_id and b.meter_id is not distinct from u.meter_id
    and (u.meter_id is not null or b.month = budget_month(u.last_at));
  perform stop_meters(v_own, 'budget_reached');
  perform stop_meters(v_others, 'account_budget_reached');
  return v_over;
end $$;

-- Tells which of 50, 80 and 100 % of their budgets users have used, each once: of this month, and of the one before it.
create function note_budgets(p_users uuid[], p_at timestamptz) returns void language plpgsql as $$
declare r record;
begin
  for r in
    select b.user_id, b.meter_id, b.month, n.percent, jsonb_build_object('at', p_at, 'percent', n.percent, 'limit', usd(b.limit_micro),
      'stops', b.at_limit = 'stop', 'name', m.label, 'month', to_char(b.month, 'YYYY-MM')) as item
    from budget b left join meter m on m.id = b.meter_id
    cross join lateral (
      select b.spent_micro + coalesce(div(sum(drawn(n, p_at)), 3600000), 0) as micro from meter_now n
      where n.user_id = b.user_id and n.is_running and n.renews_at is null and (n.id = b.meter_id or b.month = budget_month(p_at))) spent
    cross join lateral (
      select max(percent) as percent from unnest(array[50, 80, 100]) percent
      where percent > b.told_percent and spent.micro >= share_of(b.limit_micro, percent)) n
    where b.user_id = any(p_users) and (b.month is null or b.month >= budget_month(p_at) - interval '1 month') and n.percent is not null
    order by b.user_id, b.meter_id, b.month
  loop
    perform queue_notice(r.user_id, 'budget_used', channel, r.item) from unnest(array['mail', 'sms']) channel;
    update budget set told_percent = r.percent, reached_at = case r.percent when 100 then coalesce(reached_at, p_at) else reached_at end
    where user_id = r.user_id and meter_id is not distinct from r.meter_id and month is not distinct from r.month;
  end loop;
end $$;

-- Sets the budget of an account (no meter) or of a meter, or removes it (no limit). What it does not cover ends at once. The
-- same again changes nothing.
create function set_budget(p_user_id uuid, p_meter uuid, p_limit bigint, p_at_limit text, p_at timestamptz) returns void language plpgsql as $$
declare
  v_month date; v_runs boolean; v_spent bigint; v_now budget; v_after bigint;
begin
  perform get_or_create_wallet(p_user_id), lock_wallet(p_user_id);
  p_at := date_trunc('milliseconds', p_at);
  if p_meter is not null and not exists (
    select from meter m join meter_kind k on k.id = m.kind where m.id = p_meter and m.user_id = p_user_id and k.renews_ms is null) then
    raise exception 'meter % is not of user %, or is paid by the month', p_meter, p_user_id;
  end if;
  select * into v_now from budgets_in(array[p_user_id], array[budget_month(p_at)]) b where b.meter_id is not distinct from p_meter;
  if (v_now.limit_micro, v_now.at_limit) is not distinct from (p_limit, p_at_limit) or (v_now.limit_micro is null and p_limit is null) then return; end if;
  v_runs := exists (select from meter where user_id = p_user_id and is_running and (p_meter is null or id = p_meter));
  if v_runs then perform settle_wallets(array[p_user_id], p_at); end if;
  if p_meter is null then v_month := budget_month(p_at); end if;
  if p_limit is null and p_meter is not null then
    delete from budget where meter_id = p_meter;
  else
    select spent_micro into v_spent from budget
    where user_id = p_user_id and meter_id is not distinct from p_meter and month is not distinct from v_month and limit_micro is not null;
    if not found then
      select coalesce(sum(micro), 0) into v_spent from budget_movement
      where user_id = p_user_id and case when p_meter is null then month = v_month else meter_id = p_meter end;
    end if;
    select coalesce(max(id), 0) into v_after from ledger_transfer where user_id = p_user_id;
    insert into budget as b (user_id, meter_id, month, limit_micro, at_limit, spent_micro, told_percent, reached_at, set_at, set_after)
    select p_user_id, p_meter, v_month, p_limit, p_at_limit, case when p_limit is not null then v_spent else 0 end, coalesce(told, 0),
      case told when 100 then p_at end, p_at, v_after
    from (select max(percent) as told from unnest(array[50, 80, 100]) percent where v_spent >= share_of(p_limit, percent)) t
    on conflict (user_id, meter_id, month) do update set limit_micro = excluded.limit_micro, at_limit = excluded.at_limit,
      spent_micro = excluded.spent_micro, told_percent = excluded.told_percent, reached_at = excluded.reached_at, set_at = excluded.set_at,
      set_after = excluded.set_after;
  end if;
  insert into event (user_id, type, at) values (p_user_id, 'wallet.updated', p_at);
  -- Whatever it does not cover drew on it in this millisecond.
  if v_runs and p_at_limit = 'stop' and p_limit is not null then
    perform settle_wallets(array[p_user_id], p_at + interval '1 millisecond');
  else
    perform refresh_wallet_due(p_user_id, p_at);
  end if;
end $$;

-- Moves what is paid in advance from the wallet to the prepaid account of a new meter: an hour, a term, a month, or nothing
-- where its kind says so. With `p_starts` ten minutes of what runs stay in the wallet, and in a budget of the account that
-- stops.
create or replace function deploy_charge(p_user_id uuid, p_meter uuid, p_label text, p_price bigint, p_total bigint, p_paid_until timestamptz,
  p_description text, p_at timestamptz, p_starts boolean default false, p_kind text default 'instance')
returns void language plpgsql as $$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_prepaid bigint; v_left bigint; v_reserve bigint := 0;
  v_has_budgets boolean; v_limit bigint;
begin
  v_left := lock_wallet(p_user_id) - wallet_accrued(p_user_id, p_at) - p_total;
  if p_starts then v_reserve := start_reserve(p_user_id, p_at); end if;
  if v_left < v_reserve then
    -- Too little even for the charge, or only for what runs beside it.
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = case when v_left < 0 then '' else v_reserve::text end;
  end if;
  v_has_budgets := exists (select from budget where user_id = p_user_id);
  if v_has_budgets then
    select limit_micro, limit_micro - spent_micro into v_limit, v_left from budgets_now(p_user_id, p_at)
    where meter_id is null and at_limit = 'stop';
    if v_left < p_total + v_reserve then
      raise exception 'budget exceeded' using errcode = 'IN403',
        detail = jsonb_build_object('limit', v_limit::text, 'left', greatest(0, v_left)::text, 'charge', p_total::text, 'reserve', v_reserve::text);
    end if;
  end if;
  insert into ledger_account (kind, owner) values ('prepaid', p_meter) returning id into v_prepaid;
  insert into meter (id, user_id, kind, prepaid_account, label, price_micro, paid_until, opened_at)
  values (p_meter, p_user_id, p_kind, v_prepaid, p_label, p_price, p_paid_until, p_at);
  if p_total <> 0 or (select is_prepaid from meter_kind where id = p_kind) then
    perform ledger_post(key_of('deploy:' || p_meter), v_account, v_prepaid, p_total, 'deploy', p_user_id, p_meter, p_description, p_at);
  end if;
  if v_has_budgets then
    perform count_budgets(array[p_user_id], array[p_meter], array[budget_month(p_at)], array[p_total]);
    perform note_budgets(array[p_user_id], p_at);
  end if;
  perform refresh_wallet_due(p_user_id, p_at);
end $$;

-- Empties the prepaid account of a meter that is over: the rest goes to the wallet, what was used or is kept is earned.
-- Returns what came back. The wallet is locked.
create or replace function empty_prepaid(p_meter uuid, p_at timestamptz) returns bigint language plpgsql as $$
declare m meter_now; k meter_kind; v_balance bigint; v_rest bigint;
begin
  select * into strict m from meter_now where id = p_meter;
  select * into strict k from meter_kind where id = m.kind;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  v_rest := rest_of(m, p_at);
  if v_balance > v_rest then
    perform ledger_post(key_of('term:' || m.id), m.prepaid_account, 2, v_balance - v_rest, 'term', m.user_id, m.id,
      m.label || ': ' || case when m.paid_until is null then 'not returned' else 'upfront term, time held' end, p_at);
  end if;
  if v_rest > 0 then
    perform ledger_post(key_of('return:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
      v_rest, 'return', m.user_id, m.id, m.label || ': ' || k.return_words, p_at);
    if exists (select from budget where user_id = m.user_id) then
      perform count_budgets(array[m.user_id], array[m.id], array[month_of(p)], array[-v_rest])
      from (select p from ledger_transfer p where p.user_id = m.user_id and p.ref = m.id and p.code in ('deploy', 'renewal') order by p.id desc limit 1) p;
    end if;
  end if;
  return v_rest;
end $$;

-- It never ran: what was paid for it goes back whole, and it is billed by the hour from now on. Returns how much.
create or replace function return_first_start(p_meter uuid, p_at timestamptz) returns bigint language plpgsql as $$
declare m meter; v_balance bigint;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  select * into strict m from meter where id = p_meter;
  if exists (select from meter_span where meter_id = p_meter) then return 0; end if;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  if v_balance = 0 then return 0; end if;
  perform ledger_post(key_of('first_start:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
    v_balance, 'return', m.user_id, m.id, m.label || ': its first start failed, the charge is returned', p_at);
  perform count_budgets(array[m.user_id], array[m.id], array[budget_month(m.opened_at)], array[-v_balance]);
  update meter set paid_until = null, ends_with_term = false where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
  return v_balance;
end $$;

-- A look found that the run ended at `p_end`, never before it was last seen. What was not charged up to then is charged,
-- and what was charged beyond it returns to the wallet. Returns the last line, and one with a negative amount for what
-- returned. Nothing when the end of the run is settled already.
create or replace function end_meter(p_meter uuid, p_end timestamptz, p_at timestamptz) returns setof settled_line language plpgsql as $$
declare m meter_now; v_to timestamptz; v_end timestamptz; v_excess numeric; v_back bigint; v_id bigint;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  select * into strict m from meter_now where id = p_meter;
  v_to := coalesce(m.metered_to, m.ended_at);
  if v_to is null then return; end if;
  v_end := greatest(date_trunc('milliseconds', p_end), least(m.last_seen, v_to));
  if v_end > v_to then
    update meter set metered_to = v_to, ended_at = null, seen_at = v_end, is_missed = true where id = p_meter;
    return query select * from close_meter(p_meter, v_end, 'last_look');
  else
    if v_end < v_to then
      -- What the last charge rounded off is taken from it first.
      v_excess := m.price_micro::numeric * billable_ms(v_end, v_to, m.paid_until) - m.remainder;
      v_back := greatest(0, ceil(v_excess / 3600000));
      insert into usage_return
        (meter_id, user_id, from_at, to_at, price_micro, amount_micro, remainder_before, remainder_after)
      values (m.id, m.user_id, v_end, v_to, m.price_micro, v_back, m.remainder, v_back * 3600000 - v_excess)
      returning id into v_id;
      if v_back > 0 then
        perform ledger_post(key_of('usage_return:' || v_id), 2, (select account_id from wallets where user_id = m.user_id),
          v_back, 'usage_return', m.user_id, m.id, format('%s: usage returned, %s s after its machine %s, at $%s per hour', m.label,
            to_char(extract(epoch from v_to - v_end), 'FM999999990.000'),
            case when v_end > m.last_seen then 'had ended' else 'was last seen' end, usd(m.price_micro)), p_at);
        perform count_budgets(array[m.user_id], array[m.id], array[budget_month(p_at)], array[-v_back]);
        return next (m.id, v_end, v_to, -v_back, 0, -v_back, null)::settled_line;
      end if;
      update meter set remainder = v_back * 3600000 - v_excess where id = p_meter;
    end if;
    if v_end < v_to or m.metered_to is not null then
      insert into meter_span (meter_id, user_id, kind, what, at, cause) values (m.id, m.user_id, m.kind, 'close', v_end, 'last_look');
    end if;
  end if;
  update meter set metered_to = null, ended_at = null where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
end $$;

-- Pays the next month of meters whose month is over or, with `p_lapsed`, of those that lapsed: then the month begins when
-- they did. What came first goes first. A month that the wallet does not cover ends that meter alone; one that lapsed
-- stays lapsed. Returns those that ended, and those that were paid.
create or replace function pay_months(p_users uuid[], p_ats timestamptz[], p_lapsed boolean, out ended uuid[], out paid uuid[]) language plpgsql as $$
declare r record; v_user uuid; v_left bigint; v_began timestamptz[]; v_users uuid[]; v_months date[]; v_costs bigint[];
begin
  for r in
    select m.id, m.user_id, m.label, m.prepaid_account, m.metered_to, m.lapsed_at, coalesce(m.lapsed_at, m.renews_at) as began, u.at, w.account_id,
      a.balance_micro, k.renews_ms, k.renewal_words, case when p_lapsed then k.revived_event else k.renewed_event end as event,
      cost_micro(m.price_micro, k.renews_ms, 0) as cost
    from unnest(p_users, p_ats) u(user_id, at)
    join meter m on m.user_id = u.user_id and (m.renews_at is not null or m.lapsed_at is not null)
      and case when p_lapsed then m.lapsed_at is not null else m.renews_at <= u.at end
    join meter_kind k on k.id = m.kind and k.renews_ms is not null
    join wallets w on w.user_id = m.user_id join ledger_account a on a.id = w.account_id
    order by m.user_id, m.id
  loop
    if r.user_id is distinct from v_user then
      v_user := r.user_id;
      v_left := r.balance_micro - wallet_accrued(v_user, r.at);
    end if;
    if r.cost > v_left then
      if not p_lapsed then ended := ended || r.id; end if;
      continue;
    end if;
    v_left := v_left - r.cost;
    paid := paid || r.id;
    v_began := v_began || r.began;
    v_users := v_users || r.user_id;
    v_months := v_months || budget_month(r.at);
    v_costs := v_costs || r.cost;
    if r.cost > 0 then
      perform ledger_post(key_of('month:' || r.id || ':' || ms_of(r.began)), r.account_id, r.prepaid_account, r.cost, 'renewal', r.user_id, r.id,
        r.label || ': ' || r.renewal_words, r.at);
    end if;
    update meter set metered_to = coalesce(metered_to, lapsed_at), lapsed_at = null, renews_at = r.began + r.renews_ms * interval '1 millisecond'
    where id = r.id;
    insert into meter_span (meter_id, user_id, kind, what, at, cause)
    select id, user_id, kind, 'open', r.began, 'revived' from meter where id = r.id and p_lapsed;
    insert into event (user_id, type, subject_id, data, at)
    select r.user_id, r.event, r.id, jsonb_build_object('name', r.label, 'charged', usd(r.cost)), r.at where r.event is not null;
  end loop;
  if paid is not null then perform count_budgets(v_users, paid, v_months, v_costs); end if;
  perform stop_meters(ended, 'balance_empty');
  if p_lapsed then perform tell_kinds(paid, v_began, 'revived', p_ats[1]); end if;
end $$;
