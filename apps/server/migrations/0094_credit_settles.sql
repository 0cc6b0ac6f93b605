-- Settling, with credit (ADR 38): what is charged takes the credit first, and its end is an event of its own.

-- Charges all running meters of wallets up to the time of each, at most to their horizons: the prepaid part first, then
-- the wallet. No line crosses the end of a month, UTC. The wallets are locked and cover it.
create or replace function charge_meters(p_users uuid[], p_untils timestamptz[])
returns usage_line[] language plpgsql as $$
declare v_lines usage_line[]; v_movements movement[];
begin
  with due as (
    select m.*, least(m.credit_micro, m.prepaid_micro) as prepaid_credit, least(u.until, m.horizon) as until
    from unnest(p_users, p_untils) u(user_id, until)
    join meter_now m on m.user_id = u.user_id and m.is_running and m.metered_to < least(u.until, m.horizon)),
  part as (
    select d.*, greatest(d.metered_to, month at time zone 'UTC') as from_at,
      least(d.until, (month + interval '1 month') at time zone 'UTC') as to_at
    from due d cross join lateral generate_series(date_trunc('month', d.metered_to at time zone 'UTC'),
      d.until at time zone 'UTC' - interval '1 microsecond', interval '1 month') month),
  cost as (
    select *, price_micro::numeric * billable_ms(metered_to, from_at, paid_until) + remainder as used_before,
      price_micro::numeric * billable_ms(metered_to, to_at, paid_until) + remainder as used_after
    from part),
  priced as (
    select *, least(total, prepaid_micro) - least(total_before, prepaid_micro) as prepaid,
      greatest(total, prepaid_micro) - greatest(total_before, prepaid_micro) as own
    from cost cross join lateral (select div(used_before, 3600000), div(used_after, 3600000)) t(total_before, total)),
  -- What is first in time takes the credit first.
  upto as (select *, sum(own) over (partition by user_id order by to_at, id) as own_upto from priced),
  line as (
    insert into usage_line
      (meter_id, user_id, from_at, to_at, price_micro, amount_micro, prepaid_micro, wallet_micro, remainder_before, remainder_after,
        prepaid_credit_micro, credit_micro)
    select p.id, p.user_id, from_at, to_at, price_micro, total - total_before, prepaid, own, used_before % 3600000, used_after % 3600000,
      least(total, prepaid_credit) - least(total_before, prepaid_credit), least(own_upto, credit) - least(own_upto - own, credit)
    from upto p join wallets w on w.user_id = p.user_id left join ledger_account c on c.id = w.credit_account
    cross join lateral (select coalesce(c.balance_micro, 0)) g(credit)
    order by p.user_id, to_at, p.id
    returning usage_line)
  select array_agg(usage_line order by id) into v_lines from (select (usage_line).*, usage_line from line) l;
  if v_lines is null then return '{}'; end if;

  with line as materialized (
    select l.*, m.label, m.prepaid_account, m.paid_until, w.account_id, w.credit_account,
      format('%s: %s, %s s at $%s per hour', m.label, k.usage_words, to_char(extract(epoch from l.to_at - l.from_at), 'FM999999990.000'),
        usd(l.price_micro)) as words,
      lead(l.id) over (partition by l.meter_id order by l.id) is null as is_last
    from unnest(v_lines) l join meter m on m.id = l.meter_id join meter_kind k on k.id = m.kind join wallets w on w.user_id = l.user_id),
  part as (
    select id, 1 as place, row(key_of('prepaid:' || id), prepaid_account, 2, prepaid_micro, 'usage', user_id, meter_id, words, to_at)::movement as moved
    from line where prepaid_micro > 0
    union all
    select id, 2, row(key_of('credit_used:' || id), credit_account, account_id, credit_micro, 'credit_used', user_id, meter_id,
      label || ': paid by credit', to_at)::movement
    from line where credit_micro > 0
    union all
    select id, 3, row(key_of('usage:' || id), account_id, 2, wallet_micro, 'usage', user_id, meter_id, words, to_at)::movement
    from line where wallet_micro > 0
    union all
    select l.id, 4, row(key_of('term:' || l.meter_id), l.prepaid_account, 2, a.balance_micro, 'term', l.user_id, l.meter_id,
      l.label || ': upfront term ended', l.to_at)::movement
    from line l join ledger_account a on a.id = l.prepaid_account
    where l.is_last and l.paid_until <= l.to_at and a.balance_micro > 0)
  select array_agg(moved order by id, place) into v_movements from part;
  perform ledger_append(v_movements);

  update meter m set metered_to = l.to_at, remainder = l.remainder_after,
    credit_micro = case when m.paid_until <= l.to_at then 0 else m.credit_micro - l.prepaid_credit end
  from (
    select distinct on (meter_id) meter_id, to_at, remainder_after, sum(prepaid_credit_micro) over (partition by meter_id) as prepaid_credit
    from unnest(v_lines) order by meter_id, id desc) l
  where m.id = l.meter_id;
  return v_lines;
end $$;

-- For each wallet: the last millisecond up to `p_untils` at which it covers what its meters drew. Whoever asks ends the
-- span at the first month in advance. With `p_now` it is a forecast from then on, and covers their next months too.
create or replace function wallets_last(p_users uuid[], p_untils timestamptz[], p_now timestamptz default NULL::timestamptz)
returns table (user_id uuid, until_at timestamptz, last_at timestamptz) language sql stable as $$
  with wallet as materialized (
    select u.user_id, u.until_at, most_of(a.balance_micro + case when w.credit_account is null then 0 else credit_covers(u.user_id, u.until_at, p_now) end) as most, coalesce(d.drawn, 0) as drawn, coalesce(d.all_months, 0) as all_months
    from unnest(p_users, p_untils) u(user_id, until_at)
    join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
    cross join lateral (
      select sum(drawn(m, u.until_at, p_now)
          + case when p_now is not null and m.renews_at <= u.until_at then price_micro::numeric * k.renews_ms
            * (div(ms_of(u.until_at) - ms_of(m.renews_at), k.renews_ms) + 1) else 0 end) as drawn,
        sum(price_micro::numeric * k.renews_ms) as all_months
      from meter_now m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.is_running) d)
  select user_id, until_at, until_at from wallet where drawn <= most
  union all
  select w.user_id, w.until_at, least(w.until_at, at_ms(meets(array(
    select row(e.*)::edge
    from (
      select price, behind, began, draws_from(price, behind, began, until) as draws, stop, until, renews, renews_ms
      from (
        select m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
          ms_of(least(w.until_at, case when p_now is null or m.horizon < p_now then m.horizon end, m.renews_at)) as stop,
          ms_of(w.until_at) as until, ms_of(m.renews_at) as renews, k.renews_ms
        from meter_now m join meter_kind k on k.id = m.kind where m.user_id = w.user_id and m.is_running offset 0) m offset 0) m
    cross join lateral (
      select * from edges_of(price, behind, began, draws, stop, 0, until)
      union all
      select * from months_of(price * renews_ms, renews, renews_ms, until, w.all_months, w.most) where p_now is not null) e), w.most)))
  from wallet w where drawn > most
$$;

-- Brings wallets up to `p_at`. Each goes from event to event: the last time that its balance, or a budget, covers, the end
-- of a month or of a grace of one of its meters, of its credit, where there are budgets the end of a calendar month (UTC), `p_at`. All its
-- meters are charged up to there. At the end of the money those that draw on the wallet close or lapse, as their kind says;
-- a month that the wallet does not cover ends that meter alone, and all others run on. What draws on a budget that is used
-- up closes. What ran on past that is not charged, and no meter is charged beyond its horizon. What lapsed is revived
-- where the wallet covers its month again.
--
-- Lines, movements, spans, facts, notices and timers are written here, and the nouns are told. The meter `p_own` is one
-- that the caller ends: its last line is returned, and the caller tells of it.
create or replace function settle_wallets(p_users uuid[], p_at timestamptz, p_own uuid default NULL::uuid)
returns setof settled_line language plpgsql as $$
declare
  v_open uuid[] := p_users; v_users uuid[]; v_untils timestamptz[]; v_lasts timestamptz[];
  v_short uuid[]; v_short_lasts timestamptz[]; v_on uuid[]; v_on_lasts timestamptz[];
  v_budgets uuid[]; v_used uuid[]; v_used_meters uuid[]; v_used_lasts timestamptz[];
  v_lines usage_line[]; v_dry uuid[]; v_over uuid[] := '{}'; v_ended uuid[]; v_own usage_line; v_own_end timestamptz;
  v_changed uuid[] := '{}'; v_empty uuid[] := '{}';
begin
  perform plan_once();
  p_at := date_trunc('milliseconds', p_at);
  perform 1 from ledger_account where id in (select account_id from wallets where user_id = any(p_users)) order by id for no key update;
  -- A round of looks that finds a gap is over, and its horizon is in what follows, or waits and sets its timer after this.
  perform 1 from wallets where user_id = any(p_users) order by user_id for no key update;
  v_budgets := array(select distinct user_id from budget where user_id = any(p_users));
  loop
    select array_agg(user_id), array_agg(until_at) into v_users, v_untils
    from (select user_id, min(until_at) as until_at from (
      select m.user_id, least(p_at, min(m.renews_at), min(g.at), case when m.user_id = any(v_budgets) then (
          select min(month_end(n.metered_to)) from meter_now n where n.user_id = m.user_id and n.is_running and n.metered_to < n.horizon) end) as until_at
      from meter m join meter_kind k on k.id = m.kind
      cross join lateral (select m.lapsed_at + k.grace_days * interval '1 day' as at) g
      where m.user_id = any(v_open) and (m.is_running or m.lapsed_at is not null)
      group by m.user_id having least(min(m.metered_to), p_at) < p_at or min(m.renews_at) <= p_at or min(g.at) <= p_at
      union all
      select w.user_id, w.credit_ends_at from wallets w join ledger_account c on c.id = w.credit_account
      where w.user_id = any(v_open) and w.credit_ends_at <= p_at and c.balance_micro > 0) e group by user_id) n;
    if v_users is null then
      -- All stand at `p_at`. What is revived is charged from when it lapsed.
      select array_agg(distinct m.user_id) into v_open
      from pay_months(p_users, array_fill(p_at, array[cardinality(p_users)]), true) p join meter m on m.id = any(p.paid);
      exit when v_open is null;
      v_changed := v_changed || v_open;
      continue;
    end if;

    if v_budgets <> '{}' then
      select array_agg(user_id), array_agg(meter_id), array_agg(last_at) into v_used, v_used_meters, v_used_lasts
      from budgets_last(v_users, v_untils) where last_at < until_at;
    end if;
    select array_agg(user_id), array_agg(last_at),
      array_agg(user_id) filter (where covered_at = last_at and last_at < until_at), array_agg(last_at) filter (where covered_at = last_at and last_at < until_at),
      array_agg(user_id) filter (where last_at = until_at), array_agg(last_at) filter (where last_at = until_at)
    into v_users, v_lasts, v_short, v_short_lasts, v_on, v_on_lasts
    from (
      select w.user_id, w.until_at, w.last_at as covered_at, least(w.last_at, b.last_at) as last_at from wallets_last(v_users, v_untils) w
      left join (select user_id, min(last_at) as last_at from unnest(v_used, v_used_lasts) u(user_id, last_at) group by 1) b on b.user_id = w.user_id) l;
    v_lines := charge_meters(v_users, v_lasts);
    v_dry := '{}' || end_drawing(v_short, v_short_lasts);
    if v_budgets <> '{}' then
      perform count_budgets(array_agg(user_id), array_agg(meter_id), array_agg(budget_month(from_at)), array_agg(wallet_micro)) from unnest(v_lines);
      v_over := end_budgets(array_agg(b.user_id), array_agg(b.meter_id), array_agg(b.last_at), v_dry)
      from unnest(v_used, v_used_meters, v_used_lasts) b(user_id, meter_id, last_at)
      join unnest(v_users, v_lasts) u(user_id, last_at) on u.user_id = b.user_id and u.last_at = b.last_at;
    end if;
    v_changed := v_changed || lapse_credits(v_on, v_on_lasts);
    v_dry := v_dry || (pay_months(v_on, v_on_lasts, false)).ended;
    v_ended := v_over || v_dry;
    v_changed := v_changed || array(select user_id from unnest(v_lines)) || v_short || v_used || end_graces(v_on, v_on_lasts, p_at);
    v_empty := v_empty || array(select user_id from meter where id = any(v_dry));
    if exists (select from unnest(v_lines) where meter_id = p_own) then
      -- The one before it was not the last.
      if v_own is not null then v_lines := v_lines || v_own; end if;
      select * into v_own from unnest(v_lines) where meter_id = p_own order by id desc limit 1;
    end if;
    if p_own = any(v_ended) then select last_at into v_own_end from unnest(v_users, v_lasts) u(user_id, last_at); end if;
    perform tell_settled(v_lines, v_users, v_lasts, v_ended, p_own, v_own.id, p_at);
    select array_agg(user_id) into v_open from unnest(v_users, v_lasts) u(user_id, last_at) where last_at < p_at;
  end loop;

  insert into event (user_id, type, at) select distinct user_id, 'wallet.updated', p_at from unnest(v_changed) user_id;
  -- An empty balance has no notice of its own: what it ended has.
  perform note_balances(array(select distinct user_id from unnest(v_changed) user_id where user_id <> all(v_empty)), p_at);
  if v_budgets <> '{}' then perform note_budgets(v_budgets, p_at); end if;
  perform refresh_wallets_due(p_users, p_at);
  if v_own.id is not null or v_own_end is not null then
    return next (p_own, v_own.from_at, v_own.to_at, coalesce(v_own.amount_micro, 0), coalesce(v_own.prepaid_micro, 0),
      coalesce(v_own.wallet_micro, 0), v_own_end)::settled_line;
  end if;
end $$;

-- Sets the timers of wallets: the earliest of exhaustion, of what warns of it, of the end of a budget or what is to be told
-- of one, a meter that wants settling for its own sake (an hour has passed, its prepaid part, term or month ends, where
-- there are budgets the calendar month) and the end of a grace, or of credit. A meter that was charged up to its horizon waits for a look,
-- not for a time. Null while nothing is to come. What the runways crossed is told.
create or replace function refresh_wallets_due(p_users uuid[], p_at timestamptz)
returns void language plpgsql as $$
declare
  v_users uuid[]; v_nexts timestamptz[]; v_untils timestamptz[]; v_idle uuid[]; v_crossed uuid[]; v_lasts timestamptz[]; v_budgets uuid[];
begin
  perform plan_once();
  -- A round of looks that sets a timer is over, or waits: what it moved is in the statements that follow.
  perform 1 from wallets where user_id = any(p_users) order by user_id for no key update;
  v_budgets := array(select distinct user_id from budget where user_id = any(p_users));
  with next as materialized (
    select u.user_id, least((
      select min(least(m.metered_to + interval '1 hour', m.renews_at, case
        when m.paid_until > m.metered_to then m.paid_until
        when m.behind < 0 and m.price_micro > 0 then m.metered_to + ceil(-m.behind / m.price_micro) * interval '1 millisecond' end,
        case when u.user_id = any(v_budgets) then month_end(m.metered_to) end))
      from meter_now m where m.user_id = u.user_id and m.is_running and m.metered_to < m.horizon), (
      select min(m.lapsed_at + k.grace_days * interval '1 day')
      from meter m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.lapsed_at is not null), (
      select w.credit_ends_at from wallets w join ledger_account c on c.id = w.credit_account
      where w.user_id = u.user_id and c.balance_micro > 0)) as at
    from unnest(p_users) u(user_id)),
  near as (
    update wallets w set due_at = n.at from next n
    where w.user_id = n.user_id and (n.at > p_at) is not true and w.due_at is distinct from n.at)
  select array_agg(user_id) filter (where at > p_at), array_agg(at) filter (where at > p_at), array_agg(at + interval '24 hours') filter (where at > p_at),
    array_agg(user_id) filter (where at is null) into v_users, v_nexts, v_untils, v_idle from next;
  with far as materialized (
    select l.user_id, l.until_at - interval '24 hours' as next_at, case when l.last_at < l.until_at then l.last_at end as last_at
    from wallets_last(v_users, v_untils, p_at) l),
  used as (
    select user_id, min(last_at) + interval '1 ms' as at from budgets_last(v_users, v_nexts, p_at)
    where v_budgets <> '{}' and last_at < until_at group by 1),
  timer as (
    select f.user_id, least(f.next_at, f.last_at + interval '1 ms', u.at, (
      select min(c.at) from runway_thresholds() t cross join lateral (select f.last_at + interval '1 ms' - t.ms * interval '1 ms' as at) c
      where c.at > p_at)) as at
    from far f left join used u on u.user_id = f.user_id),
  due as (
    update wallets w set due_at = t.at from timer t where w.user_id = t.user_id and w.due_at is distinct from t.at)
  select array_agg(f.user_id), array_agg(f.last_at) into v_crossed, v_lasts
  from (select user_id, last_at from far union all select user_id, null from unnest(v_idle) user_id) f
  left join balance_watch b on b.user_id = f.user_id
  where runway_under(f.last_at, p_at, b.under_ms) is distinct from b.under_ms;
  if v_crossed is not null then perform note_runways(v_crossed, v_lasts, p_at); end if;
end $$;

-- Before money comes in: what the wallet does not cover ends now as it would have ended had its timer not been late.
create or replace function settle_before(p_user_id uuid, p_at timestamptz)
returns void language plpgsql as $$
begin
  if exists (select from meter where user_id = p_user_id and (is_running or lapsed_at is not null))
    or exists (select from wallets where user_id = p_user_id and credit_ends_at <= p_at) then
    perform settle_wallets(array[p_user_id], p_at);
  end if;
end $$;
