-- Each opening and closing of a meter is a row; it may be paid by the month. Many movements are one statement, and when
-- the money ends is a closed form.

alter table meter alter column kind drop default;
alter table meter
  -- Up to when it is paid by the month.
  add column renews_at timestamptz,
  -- Since when the wallet has not covered its next month.
  add column lapsed_at timestamptz,
  add constraint meter_lapsed check (lapsed_at is null or metered_to is null),
  -- What indexes go by, so that charging a meter changes none of them.
  add column is_running boolean generated always as (metered_to is not null) stored;
drop index meter_running, meter_source;
create index meter_running on meter (user_id) where is_running;
create index meter_source on meter (source) where is_running;
create index meter_monthly on meter (user_id) where renews_at is not null or lapsed_at is not null;
alter table meter_kind add check (renews_ms is null or not is_looked_at);

-- A timer only: what is due is settled in batches that take turns by their locks.
alter table wallets drop column lock_token, drop column lock_expires_at;

alter domain ledger_code drop constraint ledger_code_check;
alter domain ledger_code add constraint ledger_code_check check (value in
  ('deposit', 'deploy', 'renewal', 'usage', 'usage_return', 'return', 'debit', 'credit', 'term', 'hold', 'release', 'refund', 'forfeit'));

-- Spans --------------------------------------------------------------------------------------------------------------

-- When a meter opened and closed, and why. A later close of the same run stands for the earlier one: a last look found
-- its true end, or what had lapsed is over.
create table meter_span (
  id bigint generated always as identity primary key,
  meter_id uuid not null references meter,
  user_id uuid not null,
  kind text not null references meter_kind,
  what text not null check (what in ('open', 'close')),
  at timestamptz not null,
  cause text not null,
  actor text not null default actor_now(),
  operation text default operation_now(),
  recorded_at timestamptz not null default clock_timestamp()
);
create index meter_span_meter on meter_span (meter_id, id);
create trigger append_only before update or delete on meter_span for each row execute function refuse_change();
create trigger append_only_all before truncate on meter_span for each statement execute function refuse_change();

-- What was metered before there were spans: the time that was charged and not returned.
with charged as (
  select meter_id, range_agg(tstzrange(from_at, to_at)) as time from usage_line group by meter_id),
returned as (
  select meter_id, range_agg(tstzrange(from_at, to_at)) as time from usage_return group by meter_id),
run as (
  select c.meter_id, r.span from charged c left join returned b using (meter_id)
  cross join lateral unnest(c.time - coalesce(b.time, '{}')) r(span)),
step as (
  select meter_id, 'open' as what, lower(span) as at from run
  union all
  select r.meter_id, 'close', upper(r.span) from run r join meter m on m.id = r.meter_id
  where m.metered_to is distinct from upper(r.span)
  union all
  select m.id, 'open', m.metered_to from meter m
  where m.metered_to is not null and not exists (select from run r where r.meter_id = m.id and upper(r.span) = m.metered_to))
insert into meter_span (meter_id, user_id, kind, what, at, cause, actor)
select m.id, m.user_id, m.kind, s.what, s.at, 'upgrade', 'system'
from step s join meter m on m.id = s.meter_id order by s.meter_id, s.at, s.what = 'open';

-- Whatever number of wallets a statement gets, its plan goes by their keys: it is made once for a connection, and not
-- again for each call or by the length of a list.
create function plan_once() returns void language sql as $$
  select set_config('plan_cache_mode', 'force_generic_plan', true)
$$;

-- Movements ----------------------------------------------------------------------------------------------------------

create type movement as (
  idem uuid, from_account bigint, to_account bigint, amount_micro bigint, code ledger_code, user_id uuid, ref uuid,
  description text, effective_at timestamptz
);

-- Appends movements in their order, each with the balances that it leaves. The live accounts are locked, the keys are
-- new, and no account falls below zero: its own check says so.
create function ledger_append(p_movements movement[]) returns void language plpgsql as $$
begin
  if cardinality(p_movements) is null then return; end if;
  with side as (
    select m.*, s.account, s.change, s.is_from
    from unnest(p_movements) with ordinality m(idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at, place)
    cross join lateral (values (from_account, -amount_micro, true), (to_account, amount_micro, false)) s(account, change, is_from)),
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

-- Moves money many times in one statement, each movement once per key: what was posted before is left out, the same key
-- for another movement raises IN409, too little in a paying account raises IN402 and undoes all. Returns how many were new.
create function ledger_post_many(p_movements movement[]) returns integer language plpgsql as $$
declare v_new movement[]; v_used uuid;
begin
  perform 1 from ledger_account where id in (
    select unnest(array[from_account, to_account]) from unnest(p_movements)) and id >= 100
  order by id for no key update;
  select t.idem into v_used from unnest(p_movements) m join ledger_transfer t on t.idem = m.idem
  where (t.from_account, t.to_account, t.amount_micro) is distinct from (m.from_account, m.to_account, m.amount_micro) limit 1;
  if found then raise exception 'transfer key % was used for another movement', v_used using errcode = 'IN409'; end if;
  select array_agg(row(idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at)::movement
    order by place) into v_new
  from (select distinct on (idem) * from unnest(p_movements)
    with ordinality m(idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at, place)
    order by idem, place) m
  where not exists (select from ledger_transfer t where t.idem = m.idem);
  perform ledger_append(v_new);
  return coalesce(cardinality(v_new), 0);
exception when check_violation then
  raise exception 'insufficient funds' using errcode = 'IN402';
end $$;

-- What a meter has used ----------------------------------------------------------------------------------------------

-- A meter with what counts now: the last look that found it, the time beyond which nothing is charged, what is prepaid
-- for usage (an upfront total pays for its term as a whole, not by the second), and where it stands: what was rounded off
-- less what is prepaid, in micro-USD × ms. From zero on it draws on the wallet.
create view meter_now as
select m.*, l.last_seen, coalesce(l.last_seen + s.grace_ms * interval '1 millisecond', 'infinity') as horizon,
  p.prepaid_micro, m.remainder - p.prepaid_micro * 3600000::numeric as behind
from meter m
join ledger_account a on a.id = m.prepaid_account
left join look_source s on s.id = m.source
cross join lateral (select case when m.is_missed then m.seen_at else greatest(m.seen_at, s.observed_at) end as last_seen) l
cross join lateral (select case when m.paid_until is null then a.balance_micro else 0 end as prepaid_micro) p;

-- What running meters of these wallets draw on them at `p_at` beyond what is prepaid for each, in micro-USD × ms.
-- With `p_now` it is a forecast: a machine that is looked at then is taken to run on.
create function drawn(m meter_now, p_at timestamptz, p_now timestamptz default null) returns numeric language sql immutable as $$
  select greatest(0, m.price_micro::numeric
    * billable_ms(m.metered_to, case when m.horizon >= p_now then p_at else least(p_at, m.horizon) end, m.paid_until) + m.behind)
$$;

-- What a wallet owes for running meters at `p_at` beyond what is prepaid for each: exact sums, rounded down once.
create or replace function wallet_accrued(p_user_id uuid, p_at timestamptz, p_now timestamptz default null)
returns bigint language sql stable as $$
  select coalesce(div(sum(drawn(m, p_at, p_now)), 3600000), 0)::bigint
  from meter_now m where m.user_id = p_user_id and m.is_running
$$;

-- How long the money lasts -------------------------------------------------------------------------------------------

create function ms_of(p_at timestamptz) returns bigint language sql stable as $$
  select (extract(epoch from p_at) * 1000)::bigint
$$;

create function at_ms(p_ms bigint) returns timestamptz language sql stable as $$
  select timestamptz 'epoch' + p_ms * interval '1 millisecond'
$$;

drop function wallet_lasts_until(uuid, timestamptz, timestamptz, timestamptz);

-- For each wallet: the last millisecond up to `p_untils` at which it covers what its meters drew.
-- With `p_now` it is a forecast, and covers their next months too; without it whoever asks ends the span at the first.
--
-- What all meters drew is piecewise linear: one begins to draw where its prepaid part is used up or its term ends, and
-- stops at its horizon; a month in advance is a step. With the edges in order, running sums give the line on each
-- piece, and one division the millisecond at which it meets the limit. A limit is a row: an account and what it holds.
create function wallets_last(p_users uuid[], p_untils timestamptz[], p_now timestamptz default null)
returns table (user_id uuid, until_at timestamptz, last_at timestamptz) language sql stable as $$
  with span as (
    select m.user_id, ms_of(u.until) as until, a.balance_micro * 3600000::numeric + 3599999 as most,
      m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
      ms_of(least(u.until, case when p_now is null or m.horizon < p_now then m.horizon end, m.renews_at)) as stop,
      ms_of(m.renews_at) as renews, k.renews_ms, m.price_micro * k.renews_ms::numeric as step,
      drawn(m, least(u.until, m.renews_at), p_now) as drawn
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

-- The same for one wallet.
create function wallet_lasts_until(p_user_id uuid, p_from timestamptz, p_until timestamptz, p_now timestamptz default null)
returns timestamptz language sql stable as $$
  select greatest(p_from, (select last_at from wallets_last(array[p_user_id], array[p_until], p_now)))
$$;

drop function refresh_wallet_due(uuid, timestamptz);

-- Sets the timers of wallets: the earliest of exhaustion, a meter that wants settling for its own sake (an hour has
-- passed, its prepaid part, term or month ends) and the end of a grace. A meter that was charged up to its horizon waits
-- for a look, not for a time. Null while nothing is to come.
create function refresh_wallets_due(p_users uuid[], p_at timestamptz) returns void language plpgsql as $$
declare v_users uuid[]; v_nexts timestamptz[];
begin
  perform plan_once();
  with next as materialized (
    select u.user_id, least((
      select min(least(m.metered_to + interval '1 hour', m.renews_at, case
        when m.paid_until > m.metered_to then m.paid_until
        when m.behind < 0 and m.price_micro > 0 then m.metered_to + ceil(-m.behind / m.price_micro) * interval '1 millisecond' end))
      from meter_now m where m.user_id = u.user_id and m.is_running and m.metered_to < m.horizon), (
      select min(m.lapsed_at + k.grace_days * interval '1 day')
      from meter m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.lapsed_at is not null)) as at
    from unnest(p_users) u(user_id)),
  near as (
    update wallets w set due_at = n.at from next n
    where w.user_id = n.user_id and (n.at > p_at) is not true and w.due_at is distinct from n.at)
  select array_agg(user_id), array_agg(at) into v_users, v_nexts from next where at > p_at;
  update wallets w set due_at = n.at
  from (
    select user_id, case when last_at < until_at then last_at + interval '1 millisecond' else until_at end as at
    from wallets_last(v_users, v_nexts, p_at)) n
  where w.user_id = n.user_id and w.due_at is distinct from n.at;
end $$;

create function refresh_wallet_due(p_user_id uuid, p_at timestamptz) returns void language sql as $$
  select refresh_wallets_due(array[p_user_id], p_at)
$$;
