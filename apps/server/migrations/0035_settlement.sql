-- Settling takes many wallets at once and decides all there is to decide. A meter closes, renews, lapses and is revived as
-- its kind says.

create type settled_line as (
  meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz
);

-- What was metered, as a fact keeps it.
create function usage_data(p_from timestamptz, p_to timestamptz, p_amount bigint, p_prepaid bigint, p_wallet bigint)
returns jsonb language sql stable as $$
  select jsonb_build_object('cost', usd(coalesce(p_amount, 0)), 'from_prepaid', usd(coalesce(p_prepaid, 0)),
    'from_wallet', usd(coalesce(p_wallet, 0)), 'seconds', to_char(coalesce(extract(epoch from p_to - p_from), 0), 'FM999999990.000'),
    'duration_minutes', coalesce(round(extract(epoch from p_to - p_from) / 60), 0)::bigint)
$$;

-- Charges all running meters of wallets up to the time of each, at most to their horizons: the prepaid part first, then
-- the wallet. No line crosses the end of a month, UTC. The wallets are locked and cover it.
create function charge_meters(p_users uuid[], p_untils timestamptz[]) returns usage_line[] language plpgsql as $$
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

  with line as (
    select l.*, m.label, m.prepaid_account, m.paid_until, w.account_id, k.usage_words,
      lead(l.id) over (partition by l.meter_id order by l.id) is null as is_last
    from unnest(v_lines) l join meter m on m.id = l.meter_id join meter_kind k on k.id = m.kind join wallets w on w.user_id = l.user_id)
  select array_agg(row(e.key, e.account, 2, e.amount, e.code, l.user_id, l.meter_id, e.words, l.to_at)::movement order by l.id, e.place) into v_movements
  from line l left join ledger_account a on a.id = l.prepaid_account and l.is_last and l.paid_until <= l.to_at
  cross join lateral format('%s: %s, %s s at $%s per hour', l.label, l.usage_words,
    to_char(extract(epoch from l.to_at - l.from_at), 'FM999999990.000'), usd(l.price_micro)) usage_text
  cross join lateral (values
    (1, key_of('prepaid:' || l.id), l.prepaid_account, l.prepaid_micro, 'usage', usage_text),
    (2, key_of('usage:' || l.id), l.account_id, l.wallet_micro, 'usage', usage_text),
    (3, key_of('term:' || l.meter_id), l.prepaid_account, a.balance_micro, 'term', l.label || ': upfront term ended')
  ) e(place, key, account, amount, code, words)
  where e.amount > 0;
  perform ledger_append(v_movements);

  update meter m set metered_to = l.to_at, remainder = l.remainder_after
  from (select distinct on (meter_id) meter_id, to_at, remainder_after from unnest(v_lines) order by meter_id, id desc) l
  where m.id = l.meter_id;
  return v_lines;
end $$;

-- Tells the nouns of meters what became of them at `p_times`: the function of each kind.
create function tell_kinds(p_meters uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
declare v_kind record;
begin
  for v_kind in
    select k.ended_by, case when m.lapsed_at is null then p_cause else 'lapsed' end as cause,
      array_agg(m.id order by m.id) as meters, array_agg(e.time order by m.id) as times
    from unnest(p_meters, p_times) e(id, time) join meter m on m.id = e.id join meter_kind k on k.id = m.kind
    group by 1, 2 order by 1, 2
  loop
    execute format('select %I($1, $2, $3, $4)', v_kind.ended_by) using v_kind.meters, v_kind.times, v_kind.cause, p_at;
  end loop;
end $$;

-- Meters that run end where they were charged up to. At the end of the money (`balance_empty`) those lapse whose kind
-- does. One that was looked at keeps what stood for it then: later looks at its source say nothing of that run.
create function stop_meters(p_meters uuid[], p_cause text) returns void language sql as $$
  with stopped as (
    update meter m set metered_to = null, renews_at = null, is_missed = n.source is not null, seen_at = n.last_seen,
      ended_at = case when k.is_looked_at then n.metered_to end,
      lapsed_at = case when p_cause = 'balance_empty' and k.at_end = 'lapse' then n.metered_to end
    from meter_now n join meter_kind k on k.id = n.kind
    where m.id = any(p_meters) and n.id = m.id and n.metered_to is not null
    returning m.id, m.user_id, m.kind, n.metered_to as at, case when m.lapsed_at is null then p_cause else 'lapsed' end as cause)
  insert into meter_span (meter_id, user_id, kind, what, at, cause) select id, user_id, kind, 'close', at, cause from stopped order by id
$$;

-- The wallets cover what was drawn up to the time of each, and not one millisecond more: what draws then ends.
create function end_drawing(p_users uuid[], p_lasts timestamptz[]) returns uuid[] language plpgsql as $$
declare v_meters uuid[];
begin
  -- One that was charged further already, or only up to its horizon, takes nothing at that millisecond.
  select array_agg(m.id) into v_meters
  from unnest(p_users, p_lasts) u(user_id, last_at) join meter_now m on m.user_id = u.user_id and m.is_running and m.metered_to = u.last_at
  where m.horizon > u.last_at and (m.paid_until is null or m.paid_until <= u.last_at) and m.price_micro + m.behind > 0;
  if (select count(distinct m.user_id) from meter m where m.id = any(v_meters)) < cardinality(p_users) then
    raise exception 'a wallet that does not cover % draws nothing', p_lasts;
  end if;
  perform stop_meters(v_meters, 'balance_empty');
  return v_meters;
end $$;

-- Pays the next month of meters whose month is over or, with `p_lapsed`, of those that lapsed: then the month begins when
-- they did. What came first goes first. A month that the wallet does not cover ends that meter alone; one that lapsed
-- stays lapsed. Returns those that ended, and those that were paid.
create function pay_months(p_users uuid[], p_ats timestamptz[], p_lapsed boolean, out ended uuid[], out paid uuid[]) language plpgsql as $$
declare r record; v_user uuid; v_left bigint; v_began timestamptz[];
begin
  for r in
    select m.id, m.user_id, m.label, m.prepaid_account, m.metered_to, m.lapsed_at, coalesce(m.lapsed_at, m.renews_at) as began, u.at, w.account_id,
      a.balance_micro, k.renews_ms, k.renewal_words, case when p_lapsed then k.revived_event else k.renewed_event end as event,
      cost_micro(m.price_micro, k.renews_ms, 0) as cost
    from unnest(p_users, p_ats) u(user_id, at)
    join meter m on m.user_id = u.user_id and (m.renews_at is not null or m.lapsed_at is not null)
      and case when p_lapsed then m.lapsed_at is not null else m.renews_at <= u.at end
    join meter_kind k on k.id = m.kind join wallets w on w.user_id = m.user_id join ledger_account a on a.id = w.account_id
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
  perform stop_meters(ended, 'balance_empty');
  if p_lapsed then perform tell_kinds(paid, v_began, 'revived', p_ats[1]); end if;
end $$;

-- What lapsed is over: nothing revives it.
create function end_lapses(p_meters uuid[], p_cause text) returns void language sql as $$
  with ended as (
    update meter m set lapsed_at = null from meter n
    where m.id = any(p_meters) and n.id = m.id and n.lapsed_at is not null
    returning m.id, m.user_id, m.kind, n.lapsed_at as at)
  insert into meter_span (meter_id, user_id, kind, what, at, cause) select id, user_id, kind, 'close', at, p_cause from ended order by id
$$;

-- Ends what lapsed and whose days of grace are over at the time of its wallet. Returns whose they were.
create function end_graces(p_users uuid[], p_ats timestamptz[], p_at timestamptz) returns uuid[] language plpgsql as $$
declare v_meters uuid[]; v_times timestamptz[]; v_users uuid[]; v_meter uuid;
begin
  select array_agg(m.id order by m.id), array_agg(u.at order by m.id), array_agg(m.user_id) into v_meters, v_times, v_users
  from unnest(p_users, p_ats) u(user_id, at) join meter m on m.user_id = u.user_id and m.lapsed_at is not null
  join meter_kind k on k.id = m.kind where m.lapsed_at + k.grace_days * interval '1 day' <= u.at;
  if v_meters is null then return '{}'; end if;
  perform end_lapses(v_meters, 'grace_over');
  insert into event (user_id, type, subject_id, data, at)
  select m.user_id, k.closed_event, m.id, jsonb_build_object('name', m.label, 'reason', 'grace_over'), e.at
  from unnest(v_meters, v_times) e(id, at) join meter m on m.id = e.id join meter_kind k on k.id = m.kind where k.closed_event is not null;
  perform tell_kinds(v_meters, v_times, 'grace_over', p_at);
  foreach v_meter in array v_meters loop perform return_prepaid(v_meter, p_at); end loop;
  return v_users;
end $$;

-- Tells of a step of a settlement: what was charged, what ended at the time of its wallet, notices about the latter, and
-- the nouns. The line `p_own_line` and the end of `p_own` are left to the caller.
create function tell_settled(
  p_lines usage_line[], p_users uuid[], p_lasts timestamptz[], p_ended uuid[], p_own uuid, p_own_line bigint, p_at timestamptz
) returns void language plpgsql as $$
declare v_meters uuid[]; v_times timestamptz[];
begin
  insert into event (user_id, type, subject_id, data, at)
  select l.user_id, k.charged_event, l.meter_id,
    jsonb_build_object('name', m.label) || usage_data(l.from_at, l.to_at, l.amount_micro, l.prepaid_micro, l.wallet_micro), l.to_at
  from (select *, lead(id) over (partition by meter_id order by id) is null as is_last from unnest(p_lines)) l
  join meter m on m.id = l.meter_id join meter_kind k on k.id = m.kind
  where k.charged_event is not null and l.id is distinct from p_own_line and not (l.is_last and l.meter_id = any(p_ended))
  order by l.id;
  if cardinality(p_ended) = 0 then return; end if;

  select array_agg(m.id order by m.id) filter (where m.id is distinct from p_own),
    array_agg(u.last_at order by m.id) filter (where m.id is distinct from p_own) into v_meters, v_times
  from unnest(p_users, p_lasts) u(user_id, last_at) join meter m on m.user_id = u.user_id and m.id = any(p_ended);
  insert into event (user_id, type, subject_id, data, at)
  select m.user_id, e.type, m.id, jsonb_build_object('name', m.label, 'reason', case when m.lapsed_at is null then 'balance_empty' else 'lapsed' end)
    || usage_data(l.from_at, l.to_at, l.amount_micro, l.prepaid_micro, l.wallet_micro), t.at
  from unnest(v_meters, v_times) t(id, at) join meter m on m.id = t.id join meter_kind k on k.id = m.kind
  cross join lateral (select case when m.lapsed_at is null then k.closed_event else k.lapsed_event end as type) e
  left join usage_line l on l.meter_id = m.id and l.to_at = t.at and l.id >= p_lines[1].id
  where e.type is not null order by m.id;
  perform queue_notice(m.user_id, case when m.lapsed_at is null then 'balance_empty' else 'lapsed' end, channel,
    jsonb_build_object('at', u.last_at, 'name', m.label, 'noun', k.noun, 'ends_at', m.lapsed_at + k.grace_days * interval '1 day'))
  from unnest(p_users, p_lasts) u(user_id, last_at) join meter m on m.user_id = u.user_id and m.id = any(p_ended)
  join meter_kind k on k.id = m.kind cross join unnest(array['mail', 'sms']) channel order by m.id;
  perform tell_kinds(v_meters, v_times, 'balance_empty', p_at);
end $$;

-- Brings wallets up to `p_at`. Each goes from event to event: the last time that its balance covers, the end of a month
-- or of a grace of one of its meters, `p_at`. All its meters are charged up to there. At the end of the money those that
-- draw on the wallet close or lapse, as their kind says; a month that the wallet does not cover ends that meter alone, and
-- all others run on. What ran on past its money is not charged, and no meter is charged beyond its horizon. What lapsed is
-- revived where the wallet covers its month again.
--
-- Lines, movements, spans, facts, notices and timers are written here, and the nouns are told. The meter `p_own` is one
-- that the caller ends: its last line is returned, and the caller tells of it.
create function settle_wallets(p_users uuid[], p_at timestamptz, p_own uuid default null) returns setof settled_line language plpgsql as $$
declare
  v_open uuid[] := p_users; v_users uuid[]; v_untils timestamptz[]; v_lasts timestamptz[];
  v_short uuid[]; v_short_lasts timestamptz[]; v_on uuid[]; v_on_lasts timestamptz[];
  v_lines usage_line[]; v_ended uuid[]; v_own usage_line; v_own_end timestamptz;
  v_changed uuid[] := '{}'; v_dry uuid[] := '{}';
begin
  perform plan_once();
  p_at := date_trunc('milliseconds', p_at);
  perform 1 from ledger_account where id in (select account_id from wallets where user_id = any(p_users)) order by id for no key update;
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

-- Settles those of the wallets that are due and that nobody holds. Returns how many were.
create function settle_due(p_users uuid[], p_at timestamptz) returns uuid[] language plpgsql as $$
declare v_users uuid[];
begin
  select array_agg(user_id) into v_users from (
    select w.user_id from wallets w join ledger_account a on a.id = w.account_id
    where w.user_id = any(p_users) and w.due_at <= p_at order by a.id for no key update of a skip locked) w;
  if v_users is not null then perform settle_wallets(v_users, p_at); end if;
  return coalesce(v_users, '{}');
end $$;

drop function settle_wallet(uuid, timestamptz, uuid);
drop function settle_meter(uuid, timestamptz);
drop function see_meter(uuid, timestamptz, timestamptz);
drop function close_meter(uuid, timestamptz);
drop function end_meter(uuid, timestamptz, timestamptz);
drop function open_meter(uuid, timestamptz, text);
drop function meter_cost(meter, timestamptz, timestamptz);
drop function meter_due(meter, bigint);
drop function prepaid_for_usage(meter, bigint);

-- The meter starts: from here on every millisecond is charged once. Not before its last charge ended, should the clock
-- have been set back since. What is looked at is looked at by `p_source`; a month that was paid begins.
create function open_meter(p_meter uuid, p_at timestamptz, p_source text default null) returns void language plpgsql as $$
declare v_user uuid; v_from timestamptz;
begin
  select m.user_id into strict v_user from meter m join meter_kind k on k.id = m.kind
  where m.id = p_meter and k.is_looked_at = (p_source is not null);
  perform lock_wallet(v_user);
  if p_source is not null then insert into look_source (id) values (p_source) on conflict do nothing; end if;
  select greatest(date_trunc('milliseconds', p_at), max(to_at)) into v_from from usage_line where meter_id = p_meter;
  with opened as (
    update meter m set metered_to = v_from, source = p_source, is_missed = false, ended_at = null,
      seen_at = case when p_source is not null then v_from end, renews_at = v_from + k.renews_ms * interval '1 millisecond'
    from meter_kind k where m.id = p_meter and m.metered_to is null and k.id = m.kind
    returning m.id, m.user_id, m.kind)
  insert into meter_span (meter_id, user_id, kind, what, at, cause) select id, user_id, kind, 'open', v_from, 'opened' from opened;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- A look at `p_seen`, answered at `p_at`, found the machine in the run that is metered: its horizon moves. Had it passed,
-- the gap is charged, and the wallet has its timer again. Returns whether the meter runs on.
create function see_meter(p_meter uuid, p_seen timestamptz, p_at timestamptz) returns boolean language plpgsql as $$
declare m meter_now;
begin
  select * into m from meter_now n where n.id = p_meter and n.metered_to is not null;
  if p_seen > m.last_seen then
    perform lock_wallet(m.user_id);
    update meter set seen_at = p_seen where id = p_meter and metered_to is not null;
    if m.horizon <= greatest(p_at, m.metered_to) then perform settle_wallets(array[m.user_id], p_at); end if;
  end if;
  return exists (select from meter where id = p_meter and metered_to is not null);
end $$;

-- The meter ends at `p_at` as far as is known, after everything due at that time was settled (so it may turn out to have
-- ended before: then the line says when). A last look confirms it: see `end_meter`. Returns its last line.
create function close_meter(p_meter uuid, p_at timestamptz, p_cause text) returns setof settled_line language plpgsql as $$
declare v_user uuid;
begin
  select user_id into strict v_user from meter where id = p_meter;
  return query select * from settle_wallets(array[v_user], p_at, p_meter);
  perform stop_meters(array[p_meter], p_cause);
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- A look found that the run ended at `p_end`, never before it was last seen. What was not charged up to then is charged,
-- and what was charged beyond it returns to the wallet. Returns the last line, and one with a negative amount for what
-- returned. Nothing when the end of the run is settled already.
create function end_meter(p_meter uuid, p_end timestamptz, p_at timestamptz) returns setof settled_line language plpgsql as $$
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

-- After money came in: where a meter lapsed the wallet is settled, since it may cover its month again.
create function settle_arrival(p_user_id uuid, p_at timestamptz) returns void language plpgsql as $$
begin
  if exists (select from meter where user_id = p_user_id and lapsed_at is not null) then
    perform settle_wallets(array[p_user_id], p_at);
  else
    perform refresh_wallet_due(p_user_id, p_at);
  end if;
end $$;

-- Before money comes in: what the wallet does not cover ends now as it would have ended had its timer not been late.
create function settle_before(p_user_id uuid, p_at timestamptz) returns void language plpgsql as $$
begin
  if exists (select from meter where user_id = p_user_id and (is_running or lapsed_at is not null)) then
    perform settle_wallets(array[p_user_id], p_at);
  end if;
end $$;
