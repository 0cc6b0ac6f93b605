-- A wallet in which nothing runs is one of those that are asked about: what lapsed in it ends with its grace. Past the
-- end of its month a meter draws nothing: the next month is paid in advance, or the meter lapses.

-- What running meters of these wallets draw on them at `p_at` beyond what is prepaid for each, in micro-USD × ms: up to
-- the end of a month that was paid. With `p_now` it is a forecast: a machine that is looked at then is taken to run on.
create or replace function drawn(m meter_now, p_at timestamptz, p_now timestamptz default null) returns numeric language sql immutable as $$
  select greatest(0, m.price_micro::numeric
    * billable_ms(m.metered_to, least(p_at, m.renews_at, case when p_now is null or m.horizon < p_now then m.horizon end), m.paid_until)
    + m.behind)
$$;

-- For each wallet: the last millisecond up to `p_untils` at which it covers what its meters drew.
-- With `p_now` it is a forecast, and covers their next months too; without it whoever asks ends the span at the first.
--
-- What all meters drew is piecewise linear: one begins to draw where its prepaid part is used up or its term ends, and
-- stops at its horizon; a month in advance is a step. With the edges in order, running sums give the line on each
-- piece, and one division the millisecond at which it meets the limit. A limit is a row: an account and what it holds.
create or replace function wallets_last(p_users uuid[], p_untils timestamptz[], p_now timestamptz default null)
returns table (user_id uuid, until_at timestamptz, last_at timestamptz) language sql stable as $$
  with span as (
    select u.user_id, ms_of(u.until) as until, a.balance_micro * 3600000::numeric + 3599999 as most,
      m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
      ms_of(least(u.until, case when p_now is null or m.horizon < p_now then m.horizon end, m.renews_at)) as stop,
      ms_of(m.renews_at) as renews, k.renews_ms, m.price_micro * k.renews_ms::numeric as step,
      drawn(m, u.until, p_now) as drawn
    from unnest(p_users, p_untils) u(user_id, until)
    join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
    left join (meter_now m join meter_kind k on k.id = m.kind) on m.user_id = u.user_id and m.is_running),
  sum_of as materialized (
    select *, sum(drawn + case when p_now is not null and renews <= until then step * (div(until - renews, renews_ms) + 1) else 0 end)
      over (partition by user_id) > most as is_short
    from span),
  short as (
    select *, began + case when behind < 0 and price > 0 then floor(-behind / price) + 1 else 0 end as starts,
      -- No more months than the limit could ever cover.
      least(until, renews + (div(most, nullif(sum(step) over (partition by user_id), 0)) + 1) * renews_ms) as steps_to
    from sum_of where is_short),
  edge as (
    select user_id, until, most, e.*
    from short cross join lateral (values
      (starts, price, least(behind, 0) - price * began, starts - (behind < 0)::int),
      (stop, -price, price * stop, null)) e(at, slope, shift, short_at)
    where starts < stop
    union all
    -- What was rounded off before counts from the beginning.
    select user_id, until, most, 0, 0, greatest(behind, 0), null from short
    union all
    select user_id, until, most, n, 0, step, n - 1
    from short cross join lateral generate_series(renews::numeric, steps_to, renews_ms) n where p_now is not null),
  piece as (
    select user_id, until, most, at, short_at, lead(at) over (partition by user_id order by at) as next,
      sum(slope) over upto as slope, sum(shift) over upto + sum(slope) over upto * at as drawn
    from edge window upto as (partition by user_id order by at))
  select user_id, at_ms(until), at_ms(least(until, min(case
    when drawn > most then short_at
    when slope > 0 and at + div(most - drawn, slope) < coalesce(next, 'infinity') then at + div(most - drawn, slope) end))::bigint)
  from piece group by user_id, until
  union all
  select distinct user_id, at_ms(until), at_ms(until) from sum_of where is_short is not true
$$;
