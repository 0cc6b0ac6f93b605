-- What becomes of an instance at the end of its term is its owner's choice, told before; and what was paid for and was not
-- to be had comes back: an outage extends a term, a first start that fails returns the charge.

-- The end of a term --------------------------------------------------------------------------------------------------

alter table meter
  -- It closes at `paid_until`. While it runs before that, `renews_at` is that time.
  add column ends_with_term boolean not null default false,
  -- By how much outages have extended its term.
  add column extended_ms bigint not null default 0 check (extended_ms >= 0);

alter table gpu_instances
  add column on_term_end text not null default 'hourly' check (on_term_end in ('hourly', 'stop')),
  -- What was said of the end of its term: so long before it, or (0) that it has come.
  add column term_warned_ms bigint,
  -- As its meter's.
  add column extended_ms bigint not null default 0,
  drop constraint gpu_instances_status_reason_check,
  add constraint gpu_instances_status_reason_check
    check (status_reason in ('balance_empty', 'start_failed', 'lost', 'ended', 'idle', 'term_over'));
update gpu_instances set term_warned_ms = 0 where paid_until <= business_now();
create index gpu_instances_term on gpu_instances (paid_until) where paid_until is not null and term_warned_ms is distinct from 0;

alter table notice
  drop constraint notice_kind_check,
  add constraint notice_kind_check check (kind in ('balance_low', 'balance_ending', 'balance_hour', 'balance_minutes',
    'balance_empty', 'lapsed', 'lapse_ending', 'grace_over', 'term_ending', 'term_over', 'start_failed', 'lost', 'ended'));

-- The meter closes at the end of its term, or goes on. Nothing can be chosen once the term is over.
create function set_term_end(p_meter uuid, p_stops boolean, p_at timestamptz) returns void language plpgsql as $$
declare v_user uuid;
begin
  select user_id into strict v_user from meter where id = p_meter;
  perform lock_wallet(v_user);
  update meter set ends_with_term = p_stops, renews_at = case when p_stops and metered_to is not null then paid_until end
  where id = p_meter and paid_until > p_at and (metered_to < paid_until) is not false;
  if not found then raise exception 'the term of meter % is over', p_meter; end if;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- The meter starts: from here on every millisecond is charged once. Not before its last charge ended, should the clock
-- have been set back since. What is looked at is looked at by `p_source`; a month that was paid begins.
create or replace function open_meter(p_meter uuid, p_at timestamptz, p_source text default null) returns void language plpgsql as $$
declare v_user uuid; v_from timestamptz;
begin
  select m.user_id into strict v_user from meter m join meter_kind k on k.id = m.kind
  where m.id = p_meter and k.is_looked_at = (p_source is not null);
  perform lock_wallet(v_user);
  if p_source is not null then insert into look_source (id) values (p_source) on conflict do nothing; end if;
  select greatest(date_trunc('milliseconds', p_at), max(to_at)) into v_from from usage_line where meter_id = p_meter;
  with opened as (
    update meter m set metered_to = v_from, source = p_source, is_missed = false, ended_at = null,
      seen_at = case when p_source is not null then v_from end,
      renews_at = coalesce(v_from + k.renews_ms * interval '1 millisecond', case when m.ends_with_term and m.paid_until > v_from then m.paid_until end)
    from meter_kind k where m.id = p_meter and m.metered_to is null and k.id = m.kind
    returning m.id, m.user_id, m.kind)
  insert into meter_span (meter_id, user_id, kind, what, at, cause) select id, user_id, kind, 'open', v_from, 'opened' from opened;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- Pays the next month of meters whose month is over or, with `p_lapsed`, of those that lapsed: then the month begins when
-- they did. What came first goes first. A month that the wallet does not cover ends that meter alone; one that lapsed
-- stays lapsed. Returns those that ended, and those that were paid. (What renews nothing, a term, is left to `end_graces`.)
create or replace function pay_months(p_users uuid[], p_ats timestamptz[], p_lapsed boolean, out ended uuid[], out paid uuid[])
language plpgsql as $$
declare r record; v_user uuid; v_left bigint; v_began timestamptz[];
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

-- Closes what ends with its term, which is over at the time of its wallet, and tells of it.
create function end_terms(p_users uuid[], p_ats timestamptz[], p_at timestamptz) returns void language plpgsql as $$
declare v_meters uuid[]; v_times timestamptz[];
begin
  select array_agg(m.id order by m.id), array_agg(m.renews_at order by m.id) into v_meters, v_times
  from unnest(p_users, p_ats) u(user_id, at) join meter m on m.user_id = u.user_id and m.renews_at <= u.at and m.is_running
  join meter_kind k on k.id = m.kind and k.renews_ms is null;
  if v_meters is null then return; end if;
  perform stop_meters(v_meters, 'term_over');
  insert into event (user_id, type, subject_id, data, at)
  select m.user_id, k.closed_event, m.id, jsonb_build_object('name', m.label, 'reason', 'term_over') || usage_data(null, null, 0, 0, 0), e.at
  from unnest(v_meters, v_times) e(id, at) join meter m on m.id = e.id join meter_kind k on k.id = m.kind
  where k.closed_event is not null order by m.id;
  perform queue_notice(m.user_id, 'term_over', 'mail', jsonb_build_object('at', e.at, 'name', m.label, 'hourly', usd(m.price_micro)))
  from unnest(v_meters, v_times) e(id, at) join meter m on m.id = e.id order by m.user_id, m.id;
  perform tell_kinds(v_meters, v_times, 'term_over', p_at);
end $$;

-- Ends what is over by the time of its wallet: terms that something ends with, and what lapsed and whose days of grace have
-- passed. Returns whose the latter were. What comes back to a wallet is there when the settlement asks what it may revive.
create or replace function end_graces(p_users uuid[], p_ats timestamptz[], p_at timestamptz) returns uuid[] language plpgsql as $$
declare v_meters uuid[]; v_times timestamptz[]; v_users uuid[]; v_meter uuid;
begin
  perform end_terms(p_users, p_ats, p_at);
  select array_agg(m.id order by m.id), array_agg(u.at order by m.id), array_agg(m.user_id) into v_meters, v_times, v_users
  from unnest(p_users, p_ats) u(user_id, at) join meter m on m.user_id = u.user_id and m.lapsed_at is not null
  join meter_kind k on k.id = m.kind where m.lapsed_at + k.grace_days * interval '1 day' <= u.at;
  if v_meters is null then return '{}'; end if;
  perform end_lapses(v_meters, 'grace_over');
  insert into event (user_id, type, subject_id, data, at)
  select m.user_id, k.closed_event, m.id, jsonb_build_object('name', m.label, 'reason', 'grace_over'), e.at
  from unnest(v_meters, v_times) e(id, at) join meter m on m.id = e.id join meter_kind k on k.id = m.kind where k.closed_event is not null;
  perform queue_notice(m.user_id, 'grace_over', channel, jsonb_build_object('at', e.at, 'name', m.label, 'noun', k.noun))
  from unnest(v_meters, v_times) e(id, at) join meter m on m.id = e.id join meter_kind k on k.id = m.kind
  cross join unnest(array['mail', 'sms']) channel order by m.id;
  perform tell_kinds(v_meters, v_times, 'grace_over', p_at);
  foreach v_meter in array v_meters loop perform empty_prepaid(v_meter, p_at); end loop;
  return v_users;
end $$;

-- What becomes of instances whose meters the ledger ends: the balance ran out, their term is over, or their account goes.
-- Nothing of an instance is destroyed for lack of money; it can start again after a deposit. One that stops already to
-- start again, and ran dry before that, only stops. The machine of a deleted one is destroyed by the loop.
create or replace function end_instances(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
begin
  perform 1 from gpu_instances where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'term_over') then
    update gpu_instances i set status = 'stopping', desired = 'stopped', restarting = false, stopped_at = e.time,
      status_reason = p_cause, due_at = p_at, updated_at = p_at,
      status_message = case p_cause
        when 'balance_empty' then 'Stopped because the balance reached zero. The disk is kept; add funds to start again.'
        else 'Stopped because its term ended, as was chosen. The disk is kept; started again, it costs its hourly price.' end
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

-- Tells of terms that end within seven days, within one, and of those that ended and cost by the hour from then on: each
-- once, and only the last of them where several are due. One server at a time.
create function note_terms(p_at timestamptz) returns void language plpgsql as $$
declare r record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('terms that end', 0)) then return; end if;
  for r in
    select i.id, i.user_id, i.name, i.paid_until, i.on_term_end, i.hourly_cost_micro, i.status, l.ms
    from gpu_instances i cross join lateral (
      select case when i.paid_until <= p_at then 0 when i.paid_until <= p_at + interval '24 hours' then 86400000 else 604800000 end as ms) l
    where i.paid_until is not null and i.term_warned_ms is distinct from 0 and i.paid_until <= p_at + interval '168 hours'
      and (l.ms < i.term_warned_ms) is not false and i.status <> 'terminated' and i.desired <> 'deleted'
    order by i.id limit 500 for no key update of i skip locked
  loop
    update gpu_instances set term_warned_ms = r.ms where id = r.id;
    -- What stops then is told when it does, and what is stopped already costs nothing.
    if r.ms > 0 or r.on_term_end = 'hourly' and r.status in ('running', 'starting') then
      perform queue_notice(r.user_id, 'term_ending', 'mail', jsonb_build_object('at', p_at, 'name', r.name, 'ends_at', r.paid_until,
        'on_term_end', r.on_term_end, 'hourly', usd(r.hourly_cost_micro)));
    end if;
  end loop;
end $$;

-- What lapsed and is deleted soon ------------------------------------------------------------------------------------

-- That something lapsed is told when it does; on which day of its grace it was told last.
create table lapse_notice (
  meter_id uuid primary key references meter,
  user_id uuid not null references auth_user on delete cascade,
  lapsed_at timestamptz not null,
  day integer not null
);
create index meter_lapsed on meter (lapsed_at) where lapsed_at is not null;

-- Tells on the days 1, 3 and 6 of a grace how long it lasts, each once, and only the last of them where several are due.
-- One server at a time.
create function note_graces(p_at timestamptz) returns void language plpgsql as $$
declare r record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('graces that end', 0)) then return; end if;
  for r in
    select m.id, m.user_id, m.label, k.noun, m.lapsed_at, m.lapsed_at + k.grace_days * interval '1 day' as ends_at, d.day,
      cost_micro(m.price_micro, k.renews_ms, 0) as month
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
end $$;

-- Outages --------------------------------------------------------------------------------------------------------------

-- When a host was not to be had: its driver left it out, or was silent. Business clock.
create table host_outage (
  id bigint generated always as identity primary key,
  host_id bigint not null references host,
  from_at timestamptz not null,
  -- Null while it is gone.
  to_at timestamptz,
  -- When the terms of what it keeps were extended by it, if it was long enough.
  handled_at timestamptz
);
create unique index host_outage_now on host_outage (host_id) where to_at is null;
create index host_outage_open on host_outage (id) where to_at is not null and handled_at is null;

-- Each stretch by which an outage extended a term. Those of a meter do not overlap.
create table term_extension (
  id bigint generated always as identity primary key,
  meter_id uuid not null references meter,
  user_id uuid not null references wallets,
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at > from_at),
  -- What was gone: the host, its driver included, or this machine alone.
  cause text not null check (cause in ('host_gone', 'machine_lost')),
  recorded_at timestamptz not null default now()
);
create index term_extension_meter on term_extension (meter_id, to_at);
create trigger append_only before update or delete on term_extension for each row execute function refuse_change();
create trigger append_only_all before truncate on term_extension for each statement execute function refuse_change();

-- An outage begins when its host was last heard of. Terms are extended later: a host's row is the last that is locked.
create function note_outage() returns trigger language plpgsql as $$
begin
  if new.is_there then
    update host_outage set to_at = business_now() where host_id = new.id and to_at is null;
  else
    insert into host_outage (host_id, from_at)
    select new.id, least(business_now(), i.seen_at + c.offset_ms * interval '1 ms')
    from business_clock c left join driver_inventory i on i.driver = new.driver
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger note_outage after update of is_there on host for each row when (old.is_there <> new.is_there)
execute function note_outage();

-- What was gone from `p_from` to `p_to`, for a cause outside of the machines, does not count towards the terms of these
-- meters: they end so much later. Nothing is extended twice for the same time, nor where the term was over when the
-- outage began.
create function extend_terms(p_meters uuid[], p_from timestamptz, p_to timestamptz, p_cause text, p_at timestamptz) returns void language plpgsql as $$
declare r record; v_users uuid[] := '{}';
begin
  p_to := date_trunc('milliseconds', p_to);
  perform 1 from ledger_account
  where id in (select w.account_id from wallets w join meter m on m.user_id = w.user_id where m.id = any(p_meters)) order by id for no key update;
  for r in
    select m.id, m.user_id, m.label, m.paid_until, f.at as from_at, p_to as to_at, ms_of(p_to) - ms_of(f.at) as ms
    from meter m cross join lateral (
      select date_trunc('milliseconds', greatest(p_from, m.opened_at, (select max(to_at) from term_extension where meter_id = m.id))) as at) f
    where m.id = any(p_meters) and m.paid_until > f.at and p_to > f.at
      and not exists (select from usage_line where meter_id = m.id and to_at > m.paid_until)
    order by m.user_id, m.id
  loop
    v_users := v_users || r.user_id;
    insert into term_extension (meter_id, user_id, from_at, to_at, cause) values (r.id, r.user_id, r.from_at, r.to_at, p_cause);
    update meter set paid_until = paid_until + (r.to_at - r.from_at), renews_at = renews_at + (r.to_at - r.from_at),
      extended_ms = extended_ms + r.ms where id = r.id;
    update gpu_instances set paid_until = paid_until + (r.to_at - r.from_at), extended_ms = extended_ms + r.ms, updated_at = p_at,
      term_warned_ms = case when paid_until + (r.to_at - r.from_at) > p_at + interval '168 hours' then null
        when paid_until + (r.to_at - r.from_at) > p_at + interval '24 hours' and term_warned_ms < 604800000 then 604800000
        else term_warned_ms end
    where id = r.id;
    update allocation set held_until = held_until + (r.to_at - r.from_at) where instance_id = r.id;
    insert into event (user_id, type, subject_id, data, at)
    values (r.user_id, 'instance.term_extended', r.id,
      jsonb_build_object('name', r.label, 'reason', p_cause, 'message', format('%s from %s to %s UTC. The term ends so much later, on %s UTC.',
        case p_cause when 'host_gone' then 'Its host was gone' else 'Its machine was lost' end,
        to_char(r.from_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), to_char(r.to_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
        to_char((r.paid_until + (r.to_at - r.from_at)) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))), p_at);
  end loop;
  perform refresh_wallets_due(v_users, p_at);
end $$;

-- Extends the terms of what was on hosts that are back. Less than a minute is no outage: a server that starts has not
-- heard of anybody yet. One server at a time.
create function handle_outages(p_at timestamptz) returns void language plpgsql as $$
declare r record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outages that are over', 0)) then return; end if;
  for r in select * from host_outage where to_at is not null and handled_at is null order by id limit 20 loop
    update host_outage set handled_at = p_at where id = r.id;
    continue when r.to_at < r.from_at + interval '1 minute';
    perform extend_terms(array(
      select id from gpu_instances
      where host_id = r.host_id and paid_until > r.from_at and status <> 'terminated' and desired <> 'deleted'),
      r.from_at, r.to_at, 'host_gone', p_at);
  end loop;
end $$;

-- It never ran: what was paid for it goes back whole, and it is billed by the hour from now on. Returns how much.
create function return_first_start(p_meter uuid, p_at timestamptz) returns bigint language plpgsql as $$
declare m meter; v_balance bigint;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  select * into strict m from meter where id = p_meter;
  if exists (select from meter_span where meter_id = p_meter) then return 0; end if;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  if v_balance = 0 then return 0; end if;
  perform ledger_post(key_of('first_start:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
    v_balance, 'return', m.user_id, m.id, m.label || ': its first start failed, the charge is returned', p_at);
  update meter set paid_until = null, ends_with_term = false where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
  return v_balance;
end $$;

-- What comes back of a prepaid account: what usage leaves of it; of an upfront total what exceeds the hourly price of the
-- time held since the deploy, outages left out, nothing once the term is over; nothing of kinds that return none.
create or replace function rest_of(m meter_now, p_at timestamptz) returns bigint language sql stable as $$
  select case
    when (select k.returns from meter_kind k where k.id = m.kind) = 'none' or p_at >= m.paid_until then 0
    when m.paid_until is null and m.metered_to is null then a.balance_micro
    when m.paid_until is null then least(a.balance_micro,
      left_of(m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), null) + m.behind))
    else greatest(0, a.balance_micro - cost_micro(m.price_micro,
      greatest(0, billable_ms(m.opened_at, p_at, null) - (select extended_ms from meter e where e.id = m.id)), 0)) end::bigint
  from ledger_account a where a.id = m.prepaid_account
$$;
