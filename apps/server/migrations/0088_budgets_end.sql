-- What a budget that is used up ends, and what is told of it.

alter table gpu_instances
  drop constraint gpu_instances_status_reason_check,
  add constraint gpu_instances_status_reason_check
    check (status_reason in ('balance_empty', 'budget_reached', 'start_failed', 'lost', 'ended', 'idle', 'term_over'));

-- What becomes of instances whose meters the ledger ends: the balance ran out, a budget is used up, their term is over, or
-- their account goes. Nothing of an instance is destroyed for lack of money; it can start again after a deposit, or with a
-- larger budget. One that stops already to start again, and ran dry before that, only stops. The machine of a deleted one
-- is destroyed by the loop.
create or replace function end_instances(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
begin
  perform 1 from gpu_instances where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'budget_reached', 'account_budget_reached', 'term_over') then
    update gpu_instances i set status = 'stopping', desired = 'stopped', restarting = false, stopped_at = e.time,
      status_reason = case p_cause when 'account_budget_reached' then 'budget_reached' else p_cause end, due_at = p_at, updated_at = p_at,
      status_message = case p_cause
        when 'balance_empty' then 'Stopped because the balance reached zero. The disk is kept; add funds to start again.'
        when 'term_over' then 'Stopped because its term ended, as was chosen. The disk is kept; started again, it costs its hourly price.'
        else budget_words(i.user_id, case p_cause when 'budget_reached' then i.id end, e.time) end
    from unnest(p_ids, p_times) e(id, time)
    where i.id = e.id and i.status in ('running', 'stopping') and i.desired <> 'deleted';
  elsif p_cause = 'account_deleted' then
    update gpu_instances set status = 'stopping', desired = 'deleted', restarting = false, attempts = 0, due_at = p_at, updated_at = p_at,
      stopped_at = case when status = 'running' then p_at else coalesce(stopped_at, p_at) end
    where id = any(p_ids) and status <> 'terminated' and desired <> 'deleted';
  elsif p_cause = 'erased' then
    update gpu_instances set name = 'deleted', status_message = null, public_ip = null where id = any(p_ids);
  else
    raise exception 'an instance does not know %', p_cause;
  end if;
end $$;

-- Why something stopped whose budget, or whose account's, was used up at `p_at`.
create function budget_words(p_user_id uuid, p_meter uuid, p_at timestamptz) returns text language sql stable as $$
  select 'Stopped because ' || case when p_meter is null then 'the account''s' else 'its' end || ' budget of $' || amount_text(b.limit_micro)
    || case when p_meter is null then ' for ' || to_char(b.month, 'FMMonth YYYY') else '' end
    || ' is used up. The disk is kept; with a larger budget it can start again.'
  from budgets_in(array[p_user_id], array[budget_month(p_at)]) b where b.meter_id is not distinct from p_meter
$$;

-- Brings wallets up to `p_at`. Each goes from event to event: the last time that its balance, or a budget, covers, the end
-- of a month or of a grace of one of its meters, where there are budgets the end of a calendar month (UTC), `p_at`. All its
-- meters are charged up to there. At the end of the money those that draw on the wallet close or lapse, as their kind says;
-- a month that the wallet does not cover ends that meter alone, and all others run on. What draws on a budget that is used
-- up closes. What ran on past that is not charged, and no meter is charged beyond its horizon. What lapsed is revived
-- where the wallet covers its month again.
--
-- Lines, movements, spans, facts, notices and timers are written here, and the nouns are told. The meter `p_own` is one
-- that the caller ends: its last line is returned, and the caller tells of it.
create or replace function settle_wallets(p_users uuid[], p_at timestamptz, p_own uuid default null) returns setof settled_line language plpgsql as $$
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
    from (
      select m.user_id, least(p_at, min(m.renews_at), min(g.at), case when m.user_id = any(v_budgets) then (
          select min(month_end(n.metered_to)) from meter_now n where n.user_id = m.user_id and n.is_running and n.metered_to < n.horizon) end) as until_at
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

-- Tells of a step of a settlement: what was charged, what ended at the time of its wallet, notices about the latter, and
-- the nouns. Why something ended stands in its span. The line `p_own_line` and the end of `p_own` are left to the caller.
create or replace function tell_settled(p_lines usage_line[], p_users uuid[], p_lasts timestamptz[], p_ended uuid[], p_own uuid, p_own_line bigint, p_at timestamptz)
returns void language plpgsql as $$
declare v_meters uuid[]; v_times timestamptz[]; v_causes text[]; v_cause text;
begin
  insert into event (user_id, type, subject_id, data, at)
  select l.user_id, k.charged_event, l.meter_id,
    jsonb_build_object('name', m.label) || usage_data(l.from_at, l.to_at, l.amount_micro, l.prepaid_micro, l.wallet_micro), l.to_at
  from (select *, lead(id) over (partition by meter_id order by id) is null as is_last from unnest(p_lines)) l
  join meter m on m.id = l.meter_id join meter_kind k on k.id = m.kind
  where k.charged_event is not null and l.id is distinct from p_own_line and not (l.is_last and l.meter_id = any(p_ended))
  order by l.id;
  if cardinality(p_ended) = 0 then return; end if;

  select array_agg(m.id order by m.id), array_agg(u.last_at order by m.id), array_agg(s.cause order by m.id) into v_meters, v_times, v_causes
  from unnest(p_users, p_lasts) u(user_id, last_at) join meter m on m.user_id = u.user_id and m.id = any(p_ended)
  cross join lateral (select cause from meter_span where meter_id = m.id order by id desc limit 1) s;
  insert into event (user_id, type, subject_id, data, at)
  select m.user_id, e.type, m.id, jsonb_build_object('name', m.label, 'reason', t.cause)
    || usage_data(l.from_at, l.to_at, l.amount_micro, l.prepaid_micro, l.wallet_micro), t.at
  from unnest(v_meters, v_times, v_causes) t(id, at, cause) join meter m on m.id = t.id join meter_kind k on k.id = m.kind
  cross join lateral (select case when m.lapsed_at is null then k.closed_event else k.lapsed_event end as type) e
  left join usage_line l on l.meter_id = m.id and l.to_at = t.at and l.id >= p_lines[1].id
  where e.type is not null and m.id is distinct from p_own order by m.id;
  perform queue_notice(m.user_id, case t.cause when 'account_budget_reached' then 'budget_reached' else t.cause end, channel,
    jsonb_build_object('at', t.at, 'name', m.label, 'noun', k.noun, 'ends_at', m.lapsed_at + k.grace_days * interval '1 day')
      || coalesce(b.words, '{}'))
  from unnest(v_meters, v_times, v_causes) t(id, at, cause) join meter m on m.id = t.id join meter_kind k on k.id = m.kind
  left join lateral (
    select jsonb_build_object('limit', usd(b.limit_micro), 'month', to_char(b.month, 'YYYY-MM')) as words
    from budgets_in(array[m.user_id], array[budget_month(t.at)]) b
    where case t.cause when 'budget_reached' then b.meter_id = m.id when 'account_budget_reached' then b.meter_id is null end) b on true
  cross join unnest(array['mail', 'sms']) channel order by m.id;
  for v_cause in select distinct case cause when 'lapsed' then 'balance_empty' else cause end from unnest(v_causes) cause order by 1 loop
    perform tell_kinds(array_agg(t.id order by t.id), array_agg(t.at order by t.id), v_cause, p_at)
    from unnest(v_meters, v_times, v_causes) t(id, at, cause)
    where v_cause = case t.cause when 'lapsed' then 'balance_empty' else t.cause end and t.id is distinct from p_own;
  end loop;
end $$;

-- Sets the timers of wallets: the earliest of exhaustion, of what warns of it, of the end of a budget or what is to be told
-- of one, a meter that wants settling for its own sake (an hour has passed, its prepaid part, term or month ends, where
-- there are budgets the calendar month) and the end of a grace. A meter that was charged up to its horizon waits for a look,
-- not for a time. Null while nothing is to come. What the runways crossed is told.
create or replace function refresh_wallets_due(p_users uuid[], p_at timestamptz) returns void language plpgsql as $$
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
      from meter m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.lapsed_at is not null)) as at
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

alter table notice
  drop constraint notice_kind_check,
  add constraint notice_kind_check check (kind in ('balance_low', 'balance_ending', 'balance_hour', 'balance_minutes',
    'balance_empty', 'lapsed', 'lapse_ending', 'grace_over', 'budget_used', 'budget_reached', 'term_ending', 'term_over', 'start_failed', 'lost', 'ended'));
