-- A wallet is read in one pass over its meters. Rows are made of rows by unions: a lateral list of values is prepared anew
-- for each of them.

-- Milliseconds of [p_from, p_to] that lie beyond an upfront term.
create or replace function billable_ms(p_from timestamptz, p_to timestamptz, p_paid_until timestamptz) returns bigint language sql immutable as $$
  select greatest(0, round(date_part('epoch', p_to - greatest(p_from, coalesce(p_paid_until, p_from))) * 1000))::bigint
$$;

create or replace function ms_of(p_at timestamptz) returns bigint language sql stable as $$
  select round(date_part('epoch', p_at) * 1000)::bigint
$$;

-- How long the money lasts -------------------------------------------------------------------------------------------
-- What all meters drew is piecewise linear: one begins to draw where its prepaid part is used up or its term ends, and
-- stops at its horizon; a month in advance is a step. From an edge on the line has another slope and is shifted. With the
-- edges in order, running sums give the line on each piece, and one division the millisecond at which it meets the limit.

create type edge as (at bigint, slope numeric, shift numeric, short_at bigint);

-- When a meter begins to draw: it did not before its prepaid part was used up.
create function draws_from(p_price numeric, p_behind numeric, p_began bigint, p_until bigint) returns bigint language sql immutable as $$
  select case when p_behind < 0 and p_price > 0 then least(p_began + div(-p_behind, p_price) + 1, p_until)::bigint else p_began end
$$;

-- The edges of one meter that draws from `p_from` to `p_stop`, in ms and micro-USD × ms. Those before `p_since` make no
-- difference any more and stand there. What was rounded off before counts from the beginning.
create function edges_of(p_price numeric, p_behind numeric, p_began bigint, p_from bigint, p_stop bigint, p_since bigint, p_until bigint)
returns table (at bigint, slope numeric, shift numeric, short_at bigint) language sql immutable as $$
  select greatest(p_from, p_since), p_price, least(p_behind, 0) - p_price * p_began, p_from - (p_behind < 0)::int where p_from < p_stop
  union all
  select p_stop, -p_price, p_price * p_stop, null where p_from < p_stop and p_stop < p_until
  union all
  select 0, 0, p_behind, null where p_behind > 0
$$;

-- The last millisecond at which the line does not exceed `p_most`; null when it never does.
create function meets(p_edges edge[], p_most numeric) returns bigint language sql immutable as $$
  select min(case
    when drawn > p_most then short_at
    when slope > 0 and (next is null or at + div(p_most - drawn, slope) < next) then at + div(p_most - drawn, slope) end)::bigint
  from (
    select at, short_at, lead(at) over upto as next, sum(slope) over upto as slope, sum(shift) over upto + sum(slope) over upto * at as drawn
    from unnest(p_edges) window upto as (order by at)) piece
$$;

-- The most that a wallet covers: a limit is a row, an account and what it holds. What is rounded off is rounded once.
create function most_of(p_balance bigint) returns numeric language sql immutable as $$
  select p_balance * 3600000::numeric + 3599999
$$;

-- The months in advance of a meter, no more of them than the limit could cover for all meters together.
create function months_of(p_month numeric, p_renews bigint, p_renews_ms bigint, p_until bigint, p_all_months numeric, p_most numeric)
returns table (at bigint, slope numeric, shift numeric, short_at bigint) language sql immutable as $$
  select n, 0::numeric, p_month, n - 1
  from generate_series(p_renews, least(p_until, p_renews + (div(p_most, nullif(p_all_months, 0)) + 1)::bigint * p_renews_ms), p_renews_ms) n
$$;

-- For each wallet: the last millisecond up to `p_untils` at which it covers what its meters drew. Whoever asks ends the
-- span at the first month in advance. With `p_now` it is a forecast from then on, and covers their next months too.
create or replace function wallets_last(p_users uuid[], p_untils timestamptz[], p_now timestamptz default null)
returns table (user_id uuid, until_at timestamptz, last_at timestamptz) language sql stable as $$
  with wallet as materialized (
    select u.user_id, u.until_at, most_of(a.balance_micro) as most, coalesce(d.drawn, 0) as drawn, coalesce(d.all_months, 0) as all_months
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

drop function wallet_lasts_until(uuid, timestamptz, timestamptz, timestamptz);

-- Whole micro-USD that are left of what is prepaid, of where a meter stands (`behind` and what it used since).
create function left_of(p_stands numeric) returns bigint language sql immutable as $$
  select div(greatest(0, -p_stands) + 3599999, 3600000)::bigint
$$;

-- Ten minutes of a price beyond what is left of what is prepaid.
create function reserve_of(p_price bigint, p_stands numeric) returns bigint language sql immutable as $$
  select greatest(0, (p_price + 5) / 6 - left_of(p_stands))
$$;

-- What a start leaves in the wallet: ten minutes of everything that runs, or was asked to, beyond what is prepaid for it.
create function starting_reserve(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce(sum(reserve_of(m.price_micro, m.behind)), 0)::bigint
  from gpu_instances i join meter_now m on m.id = i.id
  where i.user_id = p_user_id and i.status <> 'terminated' and i.status in ('starting', 'stopping') and i.desired = 'running'
    and not m.is_running and not coalesce(m.paid_until > p_at, false)
$$;
create or replace function start_reserve(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select starting_reserve(p_user_id, p_at) + coalesce(sum(reserve_of(m.price_micro,
    m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), m.paid_until) + m.behind)), 0)::bigint
  from meter_now m where m.user_id = p_user_id and m.is_running and not coalesce(m.paid_until > p_at, false)
$$;

-- What comes back of a prepaid account: what usage leaves of it; of an upfront total what exceeds the hourly price of the
-- time held since the deploy, nothing once the term is over; nothing of kinds that return none.
create or replace function rest_of(m meter_now, p_at timestamptz) returns bigint language sql stable as $$
  select case
    when (select k.returns from meter_kind k where k.id = m.kind) = 'none' or p_at >= m.paid_until then 0
    when m.paid_until is null and m.metered_to is null then a.balance_micro
    when m.paid_until is null then least(a.balance_micro,
      left_of(m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), null) + m.behind))
    else greatest(0, a.balance_micro - cost_micro(m.price_micro, billable_ms(m.opened_at, p_at, null), 0)) end::bigint
  from ledger_account a where a.id = m.prepaid_account
$$;

-- A wallet as its owner reads it: the balance less what has accrued, what runs costs per hour and draws on it per hour,
-- the last time that all of it is covered within `p_days` (null: longer, or nothing runs), and what a start must leave. A
-- machine that was not looked at for longer than its horizon counts as drawing nothing until it is.
create or replace function read_wallet(p_user_id uuid, p_at timestamptz, p_days integer)
returns table (account_id bigint, balance_micro bigint, spending_micro bigint, drawing_micro bigint, empty_at timestamptz, reserve_micro bigint)
language sql stable as $$
  with span as materialized (
    select m.price_micro, m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
      draws_from(m.price_micro, m.behind, ms_of(greatest(m.metered_to, m.paid_until)), ms_of(p_at + p_days * interval '1 day')) as draws,
      case when m.horizon < p_at then ms_of(m.horizon) end as stop, ms_of(m.renews_at) as renews, k.renews_ms,
      m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), m.paid_until) + m.behind as used,
      m.horizon >= p_at and not t.in_term as counts, t.in_term
    from meter_now m join meter_kind k on k.id = m.kind cross join lateral (select coalesce(m.paid_until > p_at, false) as in_term) t
    where m.user_id = p_user_id and m.is_running),
  total as (
    select coalesce(div(sum(greatest(0, used)), 3600000), 0)::bigint as accrued, coalesce(sum(price_micro) filter (where counts), 0)::bigint as spending,
      coalesce(sum(price_micro) filter (where counts and used >= 0), 0)::bigint as drawing,
      coalesce(sum(reserve_of(price_micro, used)) filter (where not in_term), 0)::bigint as reserve, sum(price * renews_ms) as all_months
    from span)
  select w.account_id, greatest(0, a.balance_micro - t.accrued), t.spending, t.drawing,
    case when t.spending > 0 then greatest(p_at, at_ms(nullif(least(until, meets(array(
      select row(e.at, sum(e.slope), sum(e.shift), min(e.short_at))::edge
      from span s cross join lateral (
        select * from edges_of(s.price, s.behind, s.began, s.draws, least(until, s.stop, s.renews), ms_of(p_at), until)
        union all
        select * from months_of(s.price * s.renews_ms, s.renews, s.renews_ms, until, t.all_months, most_of(a.balance_micro))) e
      group by e.at), most_of(a.balance_micro))), until))) end,
    t.reserve + starting_reserve(p_user_id, p_at)
  from wallets w join ledger_account a on a.id = w.account_id cross join total t
  cross join lateral (select ms_of(p_at + p_days * interval '1 day') as until) u
  where w.user_id = p_user_id
$$;

-- Appends movements in their order, each with the balances that it leaves. The live accounts are locked, the keys are
-- new, and no account falls below zero: its own check says so.
create or replace function ledger_append(p_movements movement[]) returns void language plpgsql as $$
begin
  if cardinality(p_movements) is null then return; end if;
  with move as materialized (
    select * from unnest(p_movements)
      with ordinality m(idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at, place)),
  side as (
    select *, from_account as account, -amount_micro as change, true as is_from from move
    union all
    select *, to_account, amount_micro, false from move),
  step as (
    select s.*, a.balance_micro + sum(change) over (partition by account order by place) as after
    from side s left join ledger_account a on a.id = s.account and a.id >= 100),
  appended as (
    insert into ledger_transfer
      (idem, from_account, to_account, amount_micro, code, user_id, ref, description, from_after_micro, to_after_micro, effective_at)
    select idem, from_account, to_account, amount_micro, code, user_id, ref, description,
      min(after) filter (where is_from), min(after) filter (where not is_from), effective_at
    from step
    group by place, idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at order by place)
  update ledger_account a set balance_micro = a.balance_micro + c.change
  from (select account, sum(change)::bigint as change from side where account >= 100 group by account) c where a.id = c.account;
end $$;

-- Charges all running meters of wallets up to the time of each, at most to their horizons: the prepaid part first, then
-- the wallet. No line crosses the end of a month, UTC. The wallets are locked and cover it.
create or replace function charge_meters(p_users uuid[], p_untils timestamptz[]) returns usage_line[] language plpgsql as $$
declare v_lines usage_line[]; v_movements movement[];
begin
  with due as (
    select m.*, least(u.until, m.horizon) as until
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
  line as (
    insert into usage_line
      (meter_id, user_id, from_at, to_at, price_micro, amount_micro, prepaid_micro, wallet_micro, remainder_before, remainder_after)
    select id, user_id, from_at, to_at, price_micro, total - total_before, least(total, prepaid_micro) - least(total_before, prepaid_micro),
      greatest(total, prepaid_micro) - greatest(total_before, prepaid_micro), used_before % 3600000, used_after % 3600000
    from cost cross join lateral (select div(used_before, 3600000), div(used_after, 3600000)) t(total_before, total)
    order by user_id, to_at, id
    returning usage_line)
  select array_agg(usage_line order by id) into v_lines from (select (usage_line).*, usage_line from line) l;
  if v_lines is null then return '{}'; end if;

  with line as materialized (
    select l.*, m.label, m.prepaid_account, m.paid_until, w.account_id,
      format('%s: %s, %s s at $%s per hour', m.label, k.usage_words, to_char(extract(epoch from l.to_at - l.from_at), 'FM999999990.000'),
        usd(l.price_micro)) as words,
      lead(l.id) over (partition by l.meter_id order by l.id) is null as is_last
    from unnest(v_lines) l join meter m on m.id = l.meter_id join meter_kind k on k.id = m.kind join wallets w on w.user_id = l.user_id),
  part as (
    select id, 1 as place, row(key_of('prepaid:' || id), prepaid_account, 2, prepaid_micro, 'usage', user_id, meter_id, words, to_at)::movement as moved
    from line where prepaid_micro > 0
    union all
    select id, 2, row(key_of('usage:' || id), account_id, 2, wallet_micro, 'usage', user_id, meter_id, words, to_at)::movement
    from line where wallet_micro > 0
    union all
    select l.id, 3, row(key_of('term:' || l.meter_id), l.prepaid_account, 2, a.balance_micro, 'term', l.user_id, l.meter_id,
      l.label || ': upfront term ended', l.to_at)::movement
    from line l join ledger_account a on a.id = l.prepaid_account
    where l.is_last and l.paid_until <= l.to_at and a.balance_micro > 0)
  select array_agg(moved order by id, place) into v_movements from part;
  perform ledger_append(v_movements);

  update meter m set metered_to = l.to_at, remainder = l.remainder_after
  from (select distinct on (meter_id) meter_id, to_at, remainder_after from unnest(v_lines) order by meter_id, id desc) l
  where m.id = l.meter_id;
  return v_lines;
end $$;
