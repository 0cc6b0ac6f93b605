-- A wallet is settled by the looks that are written, or again after those that are being written.

-- Brings wallets up to `p_at`. Each goes from event to event: the last time that its balance covers, the end of a month
-- or of a grace of one of its meters, `p_at`. All its meters are charged up to there. At the end of the money those that
-- draw on the wallet close or lapse, as their kind says; a month that the wallet does not cover ends that meter alone, and
-- all others run on. What ran on past its money is not charged, and no meter is charged beyond its horizon. What lapsed is
-- revived where the wallet covers its month again.
--
-- Lines, movements, spans, facts, notices and timers are written here, and the nouns are told. The meter `p_own` is one
-- that the caller ends: its last line is returned, and the caller tells of it.
create or replace function settle_wallets(p_users uuid[], p_at timestamptz, p_own uuid default null)
returns setof settled_line language plpgsql as $$
declare
  v_open uuid[] := p_users; v_users uuid[]; v_untils timestamptz[]; v_lasts timestamptz[];
  v_short uuid[]; v_short_lasts timestamptz[]; v_on uuid[]; v_on_lasts timestamptz[];
  v_lines usage_line[]; v_ended uuid[]; v_own usage_line; v_own_end timestamptz;
  v_changed uuid[] := '{}'; v_dry uuid[] := '{}';
begin
  perform plan_once();
  p_at := date_trunc('milliseconds', p_at);
  perform 1 from ledger_account where id in (select account_id from wallets where user_id = any(p_users)) order by id for no key update;
  -- A round of looks that finds a gap is over, and its horizon is in what follows, or waits and sets its timer after this.
  perform 1 from wallets where user_id = any(p_users) order by user_id for no key update;
  loop
    select array_agg(user_id), array_agg(until_at) into v_users, v_untils
    from (
      select m.user_id, least(p_at, min(m.renews_at), min(g.at)) as until_at
      from meter m join meter_kind k on k.id = m.kind
      cross join lateral (select m.lapsed_at + k.grace_days * interval '1 day' as at) g
      where m.user_id = any(v_open) and (m.is_running or m.lapsed_at is not null)
      group by m.user_id having least(min(m.metered_to), p_at) < p_at or min(m.renews_at) <= p_at or min(g.at) <= p_at) n;
    if v_users is null then
      -- All stand at `p_at`. What is revived is charged from when it lapsed.
      select array_agg(distinct m.user_id) into v_open
      from pay_months(p_users, array_fill(p_at, array[cardinality(p_users)]), true) p join meter m on m.id = any(p.paid);
      exit when v_open is null;
      v_changed := v_changed || v_open;
      continue;
    end if;

    select array_agg(user_id), array_agg(last_at),
      array_agg(user_id) filter (where last_at < until_at), array_agg(last_at) filter (where last_at < until_at),
      array_agg(user_id) filter (where last_at = until_at), array_agg(last_at) filter (where last_at = until_at)
    into v_users, v_lasts, v_short, v_short_lasts, v_on, v_on_lasts from wallets_last(v_users, v_untils);
    v_lines := charge_meters(v_users, v_lasts);
    v_ended := '{}' || end_drawing(v_short, v_short_lasts) || (pay_months(v_on, v_on_lasts, false)).ended;
    v_changed := v_changed || array(select user_id from unnest(v_lines)) || v_short || end_graces(v_on, v_on_lasts, p_at);
    v_dry := v_dry || array(select user_id from meter where id = any(v_ended));
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
  perform note_balances(array(select distinct user_id from unnest(v_changed) user_id where user_id <> all(v_dry)), p_at);
  perform refresh_wallets_due(p_users, p_at);
  if v_own.id is not null or v_own_end is not null then
    return next (p_own, v_own.from_at, v_own.to_at, coalesce(v_own.amount_micro, 0), coalesce(v_own.prepaid_micro, 0),
      coalesce(v_own.wallet_micro, 0), v_own_end)::settled_line;
  end if;
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
  select array_agg(user_id) into v_users from (
    select m.user_id from meter m
    where m.id = any(p_found) and m.source = p_source and m.is_running and m.is_missed
      and m.seen_at + s.grace_ms * interval '1 millisecond' < p_at + interval '30 s'
    union
    select m.user_id from meter m
    where s.observed_at + s.grace_ms * interval '1 millisecond' < p_at + interval '30 s' and p_looked_at > s.observed_at
      and m.source = p_source and m.is_running and not m.is_missed and not m.id = any(p_missed)) gap;
  perform 1 from wallets where user_id = any(v_users) order by user_id for no key update;
  update wallets set due_at = p_at where user_id = any(v_users) and (due_at <= p_at) is not true;
  update meter m set is_missed = true, seen_at = greatest(m.seen_at, s.observed_at)
  where m.id = any(p_missed) and m.source = p_source and m.is_running and not m.is_missed;
  update meter m set is_missed = false, seen_at = greatest(m.seen_at, p_looked_at)
  where m.id = any(p_found) and m.source = p_source and m.is_running and m.is_missed;
  update look_source set observed_at = greatest(observed_at, p_looked_at) where id = p_source;
end $$;
