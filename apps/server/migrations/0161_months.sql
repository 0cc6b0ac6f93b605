-- A month in advance at an exact price: a price for an hour is a whole number of micro-dollars, and $1.00 for 720 hours is none.
-- Such a meter knows what its month costs. Its hour is that divided and rounded down, so a paid month covers all of its
-- time, and what is rounded off (less than 720 micro-dollars) stays prepaid until the meter is over.
alter table meter add column month_micro bigint check (month_micro >= 0);

create or replace view meter_now as
select m.id, m.user_id, m.prepaid_account, m.label, m.price_micro, m.paid_until, m.opened_at, m.metered_to, m.remainder,
  m.seen_at, m.ended_at, m.kind, m.source, m.is_missed, m.renews_at, m.lapsed_at, m.is_running, l.last_seen,
  coalesce(l.last_seen + s.grace_ms * interval '1 millisecond', 'infinity') as horizon,
  p.prepaid_micro, m.remainder - p.prepaid_micro * 3600000::numeric as behind, m.credit_micro, m.month_micro
from meter m
join ledger_account a on a.id = m.prepaid_account
left join look_source s on s.id = m.source
cross join lateral (select case when m.is_missed then m.seen_at else greatest(m.seen_at, s.observed_at) end as last_seen) l
cross join lateral (select case when m.paid_until is null then a.balance_micro else 0 end as prepaid_micro) p;

-- What a month of a meter costs: as it was agreed, else its hours. Null for what is not paid by the month.
create function month_cost(p_month bigint, p_price bigint, p_renews_ms bigint) returns bigint language sql immutable as $$
  select case when p_renews_ms is not null then coalesce(p_month, cost_micro(p_price, p_renews_ms, 0)) end
$$;

-- What credit pays of what is drawn up to `p_until`: no more than there is, and nothing that is drawn after its end. With
-- `p_now` it is a forecast, which covers next months too.
CREATE OR REPLACE FUNCTION public.credit_covers(p_user_id uuid, p_until timestamp with time zone, p_now timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select least(c.balance_micro, (
      select coalesce(div(sum(drawn(m, e.at, p_now) + case when p_now is not null and m.renews_at <= e.at
        then month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric * (div(ms_of(e.at) - ms_of(m.renews_at), k.renews_ms) + 1) else 0 end), 3600000), 0)
      from meter_now m join meter_kind k on k.id = m.kind where m.user_id = p_user_id and m.is_running))
    from wallets w join ledger_account c on c.id = w.credit_account
    cross join lateral (select least(p_until, w.credit_ends_at) as at) e
    where w.user_id = p_user_id), 0)::bigint
$function$;

-- Looks at wallets that something draws on, or soon will: told is the fall below `good_balance`, once, until the balance
-- has risen; a day apart from any other warning, so it may wait for the next look. One that does not last a day is told by
-- `note_runways` alone. The wallets are locked.
CREATE OR REPLACE FUNCTION public.note_balances(p_users uuid[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_users uuid[]; v_balances bigint[];
begin
  perform plan_once();
  with changed as materialized (
    select w.user_id, n.balance, n.balance >= good_balance() as is_good
    from unnest(p_users) u(user_id) join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
    left join balance_watch b on b.user_id = w.user_id
    cross join lateral (
      select sum(m.price_micro * 24
        + case when m.renews_at < p_at + interval '24 hours' then coalesce(month_cost(m.month_micro, m.price_micro, k.renews_ms), 0) else 0 end) as micro
      from meter m join meter_kind k on k.id = m.kind
      where m.user_id = w.user_id and m.is_running and (m.paid_until is null or m.paid_until < p_at + interval '24 hours')) day
    cross join lateral (select a.balance_micro - wallet_owed(w.user_id, p_at) as balance offset 0) n
    where day.micro > 0 and (a.balance_micro >= good_balance()) <> coalesce(b.was_good, false)
      and (n.balance >= good_balance() or n.balance > day.micro and not was_warned(w.user_id, 'mail'))),
  watched as (
    insert into balance_watch as b (user_id, was_good) select user_id, is_good from changed
    on conflict (user_id) do update set was_good = excluded.was_good where b.was_good <> excluded.was_good
    returning user_id)
  select array_agg(c.user_id), array_agg(c.balance) into v_users, v_balances
  from changed c join watched w on w.user_id = c.user_id where not c.is_good;
  perform queue_notice(user_id, 'balance_low', 'mail', jsonb_build_object('at', p_at, 'balance', usd(balance)))
  from unnest(v_users, v_balances) low(user_id, balance);
end $function$;

-- Tells on the days 1, 3 and 6 of a grace how long it lasts, each once, and only the last of them where several are due.
-- One server at a time.
CREATE OR REPLACE FUNCTION public.note_graces(p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare r record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('graces that end', 0)) then return; end if;
  for r in
    select m.id, m.user_id, m.label, k.noun, m.lapsed_at, m.lapsed_at + k.grace_days * interval '1 day' as ends_at, d.day,
      month_cost(m.month_micro, m.price_micro, k.renews_ms) as month
    from meter m join meter_kind k on k.id = m.kind
    cross join lateral (
      select max(n) as day from unnest(array[1, 3, 6]) n where m.lapsed_at + n * interval '24 hours' <= p_at and n < k.grace_days) d
    left join lapse_notice l on l.meter_id = m.id and l.lapsed_at = m.lapsed_at
    where m.lapsed_at <= p_at - interval '24 hours' and m.lapsed_at + k.grace_days * interval '1 day' > p_at and d.day > coalesce(l.day, 0)
    order by m.user_id, m.id limit 500
  loop
    insert into lapse_notice (meter_id, user_id, lapsed_at, day) values (r.id, r.user_id, r.lapsed_at, r.day)
    on conflict (meter_id) do update set lapsed_at = excluded.lapsed_at, day = excluded.day;
    perform queue_notice(r.user_id, 'lapse_ending', channel, jsonb_build_object('at', p_at, 'name', r.label, 'noun', r.noun, 'ends_at', r.ends_at,
      'month', usd(r.month))) from unnest(case r.day when 6 then array['mail', 'sms'] else array['mail'] end) channel;
  end loop;
end $function$;

-- What the runways of wallets are at `p_at` (null: longer than any threshold): a fall below one is told, by mail and text,
-- a rise only kept. Of several at once, and of those that are a sixtieth of their time away, the most urgent is told. What
-- ended before is told by what it ended. The wallets are locked.
CREATE OR REPLACE FUNCTION public.note_runways(p_users uuid[], p_lasts timestamp with time zone[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  with stands as materialized (
    select u.user_id, u.last_at, b.warned_transfer, coalesce(n.ms < b.under_ms, n.ms is not null) as is_fall,
      case when coalesce(n.ms < b.under_ms, n.ms is not null) then s.ms else n.ms end as under_ms
    from unnest(p_users, p_lasts) u(user_id, last_at) left join balance_watch b on b.user_id = u.user_id
    cross join lateral (select runway_under(u.last_at, p_at, b.under_ms) as ms offset 0) n
    cross join lateral (
      select min(t.ms) as ms from runway_thresholds() t where u.last_at < p_at + t.ms * 61 / 60 * interval '1 ms') s
    where n.ms is distinct from b.under_ms and (u.last_at < p_at) is not true),
  told as materialized (
    select s.user_id, t.kind, jsonb_build_object('at', p_at, 'balance', usd(greatest(0, n.balance)), 'empty_at', s.last_at,
      'day', usd(n.day), 'ends', e.ends, 'more', e.more, 'is_month', e.is_month) as item
    from stands s join runway_thresholds() t on t.ms = s.under_ms
    join wallets w on w.user_id = s.user_id join ledger_account a on a.id = w.account_id
    cross join lateral (
      select a.balance_micro - x.accrued as balance, wallet_accrued(s.user_id, p_at + interval '24 hours', p_at) - x.accrued
        + coalesce((select sum(month_cost(m.month_micro, m.price_micro, k.renews_ms))::bigint from meter m join meter_kind k on k.id = m.kind
          where m.user_id = s.user_id and m.is_running and m.renews_at <= p_at + interval '24 hours'), 0) as day
      from (select wallet_accrued(s.user_id, p_at) as accrued offset 0) x) n
    -- A month that is not covered ends its meter alone.
    cross join lateral (
      select jsonb_agg(jsonb_build_object('name', d.label, 'noun', d.noun) order by d.id) filter (where d.place <= 3) as ends,
        greatest(0, count(*) - 3) as more, coalesce(bool_or(d.is_month), false) as is_month
      from (
        select o.*, row_number() over (order by o.id) as place
        from (
          select m.id, m.label, k.noun, x.is_month, bool_or(x.is_month) over () as is_any_month,
            m.behind + m.price_micro::numeric * billable_ms(m.metered_to, least(s.last_at + interval '1 ms', m.renews_at), m.paid_until) > 0 as draws
          from meter_now m join meter_kind k on k.id = m.kind
          cross join lateral (select coalesce(k.renews_ms is not null and m.renews_at = s.last_at + interval '1 ms', false) as is_month) x
          where m.user_id = s.user_id and m.is_running) o
        where case when o.is_any_month then o.is_month else o.draws end) d) e
    where s.is_fall and not (
      exists (select from notice o where o.user_id = s.user_id and o.kind = t.kind and o.channel = 'mail' and o.queued_at > now() - t.pause)
      and not exists (select from ledger_transfer r
        where r.user_id = s.user_id and r.id > s.warned_transfer and r.code in ('deposit', 'credit', 'release')))),
  watched as (
    insert into balance_watch as b (user_id, was_good, under_ms, warned_transfer)
    select s.user_id, false, s.under_ms,
      case when t.user_id is not null then coalesce((select max(id) from ledger_transfer r where r.user_id = s.user_id), 0) end
    from stands s left join told t on t.user_id = s.user_id
    on conflict (user_id) do update set under_ms = excluded.under_ms,
      was_good = b.was_good and excluded.warned_transfer is null,
      warned_transfer = coalesce(excluded.warned_transfer, b.warned_transfer))
  -- The last says it all, and none of them waits.
  insert into notice as n (user_id, kind, channel, items, queued_at, due_at)
  select user_id, kind, channel, jsonb_build_array(item), now(), now() from told cross join unnest(array['mail', 'sms']) channel
  order by user_id, kind, channel
  on conflict (user_id, kind, channel) do update set items = excluded.items, queued_at = now(), due_at = now();
end $function$;

-- Pays the next month of meters whose month is over or, with `p_lapsed`, of those that lapsed: then the month begins when
-- they did. What came first goes first. A month that the wallet does not cover ends that meter alone; one that lapsed
-- stays lapsed. Returns those that ended, and those that were paid.
CREATE OR REPLACE FUNCTION public.pay_months(p_users uuid[], p_ats timestamp with time zone[], p_lapsed boolean, OUT ended uuid[], OUT paid uuid[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare r record; v_user uuid; v_left bigint; v_credit bigint; v_began timestamptz[]; v_users uuid[]; v_months date[]; v_costs bigint[];
begin
  for r in
    select m.id, m.user_id, m.label, m.prepaid_account, m.metered_to, m.lapsed_at, coalesce(m.lapsed_at, m.renews_at) as began, u.at, w.account_id,
      a.balance_micro, k.renews_ms, k.renewal_words, case when p_lapsed then k.revived_event else k.renewed_event end as event,
      month_cost(m.month_micro, m.price_micro, k.renews_ms) as cost
    from unnest(p_users, p_ats) u(user_id, at)
    join meter m on m.user_id = u.user_id and (m.renews_at is not null or m.lapsed_at is not null)
      and case when p_lapsed then m.lapsed_at is not null else m.renews_at <= u.at end
    join meter_kind k on k.id = m.kind and k.renews_ms is not null
    join wallets w on w.user_id = m.user_id join ledger_account a on a.id = w.account_id
    order by m.user_id, m.id
  loop
    if r.user_id is distinct from v_user then
      v_user := r.user_id;
      v_left := r.balance_micro - wallet_owed(v_user, r.at) + credit_left(v_user, r.at);
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
    v_credit := use_credit(r.user_id, r.id, r.cost, 'month:' || r.id || ':' || ms_of(r.began), r.label || ': paid by credit', r.at);
    if r.cost > 0 then
      perform ledger_post(key_of('month:' || r.id || ':' || ms_of(r.began)), r.account_id, r.prepaid_account, r.cost, 'renewal', r.user_id, r.id,
        r.label || ': ' || r.renewal_words, r.at);
    end if;
    update meter set metered_to = coalesce(metered_to, lapsed_at), lapsed_at = null, credit_micro = credit_micro + v_credit, renews_at = r.began + r.renews_ms * interval '1 millisecond'
    where id = r.id;
    insert into meter_span (meter_id, user_id, kind, what, at, cause)
    select id, user_id, kind, 'open', r.began, 'revived' from meter where id = r.id and p_lapsed;
    insert into event (user_id, type, subject_id, data, at)
    select r.user_id, r.event, r.id, jsonb_build_object('name', r.label, 'charged', usd(r.cost)), r.at where r.event is not null;
  end loop;
  if paid is not null then perform count_budgets(v_users, paid, v_months, v_costs); end if;
  perform stop_meters(ended, 'balance_empty');
  if p_lapsed then perform tell_kinds(paid, v_began, 'revived', p_ats[1]); end if;
end $function$;

-- A wallet as its owner reads it: the balance less what has accrued, what runs costs per hour and draws on it per hour,
-- the last time that all of it is covered within `p_days` (null: longer, or nothing runs), and what a start must leave. A
-- machine that was not looked at for longer than its horizon counts as drawing nothing until it is. Meters with nothing
-- prepaid draw in proportion to their prices, so those with the same times are one; any other begins to draw when what is
-- prepaid for it ends, and stands alone. `offset 0` keeps what is used more than once from being worked out as often. The
-- edges are those of `edges_of`, the reserve is that of `reserve_of`.
CREATE OR REPLACE FUNCTION public.read_wallet(p_user_id uuid, p_at timestamp with time zone, p_days integer)
 RETURNS TABLE(account_id bigint, balance_micro bigint, spending_micro bigint, drawing_micro bigint, empty_at timestamp with time zone, reserve_micro bigint, credit_micro bigint, credit_ends_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  with alike as (
    select sum(m.price_micro)::bigint as price, sum(m.remainder)::bigint as remainder, sum((m.price_micro + 5) / 6)::bigint as ten_minutes,
      sum(month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric) as month,
      m.prepaid_micro, m.metered_to, m.paid_until, m.renews_at, m.horizon, m.kind
    from meter_now m join meter_kind k on k.id = m.kind where m.user_id = p_user_id and m.is_running
    group by m.metered_to, m.horizon, m.kind, m.paid_until, m.renews_at, m.prepaid_micro, case when m.prepaid_micro > 0 then m.id end),
  span as materialized (
    select m.price as price_micro, t.price, t.behind, began, draws_from(t.price, t.behind, began, until) as draws, renews, k.renews_ms,
      least(until, case when m.horizon < p_at then ms_of(m.horizon) end, renews) as ends, until,
      t.price * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), m.paid_until) + t.behind as used,
      m.horizon >= p_at and not in_term as counts, in_term, m.ten_minutes, m.month
    from alike m join meter_kind k on k.id = m.kind cross join lateral (
      select coalesce(m.paid_until > p_at, false) as in_term, m.price::numeric as price, ms_of(m.renews_at) as renews,
        m.remainder - m.prepaid_micro * 3600000::numeric as behind,
        ms_of(greatest(m.metered_to, m.paid_until)) as began, ms_of(p_at + p_days * interval '1 day') as until offset 0) t),
  total as (
    select coalesce(div(sum(greatest(0, used)), 3600000), 0)::bigint as accrued, coalesce(sum(price_micro) filter (where counts), 0)::bigint as spending,
      coalesce(sum(price_micro) filter (where counts and used >= 0), 0)::bigint as drawing,
      coalesce(sum(greatest(0, ten_minutes - left_of(used))) filter (where not in_term), 0)::bigint as reserve, sum(month) as all_months
    from span)
  select w.account_id, greatest(0, a.balance_micro - t.accrued + case when w.credit_account is null then 0 else credit_covers(p_user_id, p_at, null) end), t.spending, t.drawing,
    case when t.spending > 0 and e.ms < until then greatest(p_at, at_ms(e.ms)) end,
    t.reserve + starting_reserve(p_user_id, p_at), case when w.credit_account is null then 0 else credit_left(p_user_id, p_at) end, w.credit_ends_at
  from wallets w join ledger_account a on a.id = w.account_id cross join total t
  cross join lateral (select ms_of(p_at + p_days * interval '1 day') as until,
    most_of(a.balance_micro + case when w.credit_account is null then 0 else credit_covers(p_user_id, p_at + p_days * interval '1 day', p_at) end) as most) u
  cross join lateral (
    select meets(array(
      select row(e.at, sum(e.slope), sum(e.shift), min(e.short_at))::edge
      from (
        select greatest(draws, ms_of(p_at)) as at, price as slope, least(behind, 0) - price * began as shift, draws - (behind < 0)::int as short_at
        from span where draws < ends
        union all
        select ends, -price, price * ends, null from span where draws < ends and ends < until
        union all
        select 0, 0, behind, null from span where behind > 0
        union all
        select m.* from span s
        cross join lateral months_of(s.month, s.renews, s.renews_ms, s.until, t.all_months, u.most) m
        where s.renews is not null) e
      group by e.at), u.most) as ms offset 0) e
  where w.user_id = p_user_id
$function$;

-- Its owner asks for what lapsed, and pays for its month: a settlement revives what the wallet covers, so this asks for one
-- and says whether it was enough.
CREATE OR REPLACE FUNCTION public.revive_meter(p_meter uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  perform settle_before((select user_id from meter where id = p_meter), p_at);
  select * into strict m from meter where id = p_meter;
  if m.lapsed_at is not null then
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = (select month_cost(m.month_micro, m.price_micro, renews_ms)::text from meter_kind where id = m.kind);
  elsif not m.is_running then
    raise exception 'meter % is over', p_meter using errcode = 'IN409';
  end if;
end $function$;

-- For each wallet: the last millisecond up to `p_untils` at which it covers what its meters drew. Whoever asks ends the
-- span at the first month in advance. With `p_now` it is a forecast from then on, and covers their next months too.
CREATE OR REPLACE FUNCTION public.wallets_last(p_users uuid[], p_untils timestamp with time zone[], p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(user_id uuid, until_at timestamp with time zone, last_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  with wallet as materialized (
    select u.user_id, u.until_at, most_of(a.balance_micro + case when w.credit_account is null then 0 else credit_covers(u.user_id, u.until_at, p_now) end) as most, coalesce(d.drawn, 0) as drawn, coalesce(d.all_months, 0) as all_months
    from unnest(p_users, p_untils) u(user_id, until_at)
    join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
    cross join lateral (
      select sum(drawn(m, u.until_at, p_now)
          + case when p_now is not null and m.renews_at <= u.until_at then month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric
            * (div(ms_of(u.until_at) - ms_of(m.renews_at), k.renews_ms) + 1) else 0 end) as drawn,
        sum(month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric) as all_months
      from meter_now m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.is_running) d)
  select user_id, until_at, until_at from wallet where drawn <= most
  union all
  select w.user_id, w.until_at, least(w.until_at, at_ms(meets(array(
    select row(e.*)::edge
    from (
      select price, behind, began, draws_from(price, behind, began, until) as draws, stop, until, renews, renews_ms, month
      from (
        select m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
          ms_of(least(w.until_at, case when p_now is null or m.horizon < p_now then m.horizon end, m.renews_at)) as stop,
          ms_of(w.until_at) as until, ms_of(m.renews_at) as renews, k.renews_ms,
          month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric as month
        from meter_now m join meter_kind k on k.id = m.kind where m.user_id = w.user_id and m.is_running offset 0) m offset 0) m
    cross join lateral (
      select * from edges_of(price, behind, began, draws, stop, 0, until)
      union all
      select * from months_of(month, renews, renews_ms, until, w.all_months, w.most) where p_now is not null) e), w.most)))
  from wallet w where drawn > most
$function$;

-- The total of what is paid by the month is what its month costs from then on.
-- Moves what is paid in advance from credit and wallet to the prepaid account of a new meter: an hour, a term, a month, or nothing
-- where its kind says so. With `p_starts` ten minutes of what runs stay in the wallet, and in a budget of the account that
-- stops.
CREATE OR REPLACE FUNCTION public.deploy_charge(p_user_id uuid, p_meter uuid, p_label text, p_price bigint, p_total bigint, p_paid_until timestamp with time zone, p_description text, p_at timestamp with time zone, p_starts boolean DEFAULT false, p_kind text DEFAULT 'instance'::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_prepaid bigint; v_left bigint; v_reserve bigint := 0;
  v_has_budgets boolean; v_limit bigint; v_credit bigint;
begin
  v_left := lock_wallet(p_user_id) - wallet_owed(p_user_id, p_at) + credit_left(p_user_id, p_at) - p_total;
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
  v_credit := use_credit(p_user_id, p_meter, p_total, 'deploy:' || p_meter, p_label || ': paid by credit', p_at);
  insert into meter (id, user_id, kind, prepaid_account, label, price_micro, paid_until, opened_at, credit_micro, month_micro)
  values (p_meter, p_user_id, p_kind, v_prepaid, p_label, p_price, p_paid_until, p_at, v_credit,
    (select nullif(p_total, 0) from meter_kind where id = p_kind and renews_ms is not null));
  if p_total <> 0 or (select is_prepaid from meter_kind where id = p_kind) then
    perform ledger_post(key_of('deploy:' || p_meter), v_account, v_prepaid, p_total, 'deploy', p_user_id, p_meter, p_description, p_at);
  end if;
  if v_has_budgets then
    perform count_budgets(array[p_user_id], array[p_meter], array[budget_month(p_at)], array[p_total]);
    perform note_budgets(array[p_user_id], p_at);
  end if;
  perform refresh_wallet_due(p_user_id, p_at);
end $function$;

-- While nothing of it runs, and the last look has said when it ended: what ran is charged at one price, and returned at it.
CREATE OR REPLACE FUNCTION public.set_meter_price(p_meter uuid, p_price bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update meter set price_micro = p_price, month_micro = null where id = p_meter and metered_to is null and ended_at is null;
  if not found then raise exception 'the price of meter % stands while it runs', p_meter; end if;
end $function$;
