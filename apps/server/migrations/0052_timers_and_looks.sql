-- A wallet that is settled while a round of looks is written keeps its timer.

-- Sets the timers of wallets: the earliest of exhaustion, a meter that wants settling for its own sake (an hour has
-- passed, its prepaid part, term or month ends) and the end of a grace. A meter that was charged up to its horizon waits
-- for a look, not for a time. Null while nothing is to come.
create or replace function refresh_wallets_due(p_users uuid[], p_at timestamptz) returns void language plpgsql as $$
declare v_users uuid[]; v_nexts timestamptz[];
begin
  perform plan_once();
  -- A round of looks that sets a timer is over, or waits: what it moved is in the statements that follow.
  perform 1 from wallets where user_id = any(p_users) order by user_id for no key update;
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

-- A look at everything of a source, asked for at `p_looked_at` and answered at `p_at`. Runs of `p_missed` were not there:
-- the look before stands for them. Those of `p_found` had been missed and are there. Where the horizon had passed, the
-- wallets are settled, so that the gap is charged; also where it is about to pass: one that is settled a moment later, and
-- knows nothing of this look yet, waits for it.
create or replace function note_looks(p_source text, p_looked_at timestamptz, p_missed uuid[], p_found uuid[], p_at timestamptz)
returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare s look_source; v_users uuid[];
begin
  insert into look_source (id) values (p_source) on conflict do nothing;
  select * into strict s from look_source where id = p_source for no key update;
  with missed as (
    update meter m set is_missed = true, seen_at = greatest(m.seen_at, s.observed_at)
    where m.id = any(p_missed) and m.source = p_source and m.is_running and not m.is_missed),
  found as (
    update meter m set is_missed = false, seen_at = greatest(m.seen_at, p_looked_at)
    from meter before
    where m.id = any(p_found) and m.source = p_source and m.is_running and m.is_missed and before.id = m.id
    returning m.user_id, before.seen_at + s.grace_ms * interval '1 millisecond' < p_at + interval '30 s' as is_gap)
  select array_agg(user_id) into v_users from (
    select user_id from found where is_gap
    union
    select m.user_id from meter m
    where s.observed_at + s.grace_ms * interval '1 millisecond' < p_at + interval '30 s' and p_looked_at > s.observed_at
      and m.source = p_source and m.is_running and not m.is_missed and not m.id = any(p_missed)) gap;
  perform 1 from wallets where user_id = any(v_users) order by user_id for no key update;
  update wallets set due_at = p_at where user_id = any(v_users) and (due_at <= p_at) is not true;
  update look_source set observed_at = greatest(observed_at, p_looked_at) where id = p_source;
end $$;
