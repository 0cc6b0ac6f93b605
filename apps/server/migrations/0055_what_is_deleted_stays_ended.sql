-- What lapsed and is deleted is over: no money revives it. The end of a grace is a step of a settlement, and begins no
-- other one.

-- The meter ends at `p_at` as far as is known, after everything due at that time was settled (so it may turn out to have
-- ended before: then the line says when). One that lapsed is over. A last look confirms the end: see `end_meter`. Returns
-- its last line.
create or replace function close_meter(p_meter uuid, p_at timestamptz, p_cause text) returns setof settled_line
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare v_user uuid;
begin
  select user_id into strict v_user from meter where id = p_meter;
  return query select * from settle_wallets(array[v_user], p_at, p_meter);
  perform stop_meters(array[p_meter], p_cause);
  perform end_lapses(array[p_meter], p_cause);
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- Ends what lapsed and whose days of grace are over at the time of its wallet. Returns whose they were. What comes back to
-- a wallet is there when the settlement asks what it may revive.
create or replace function end_graces(p_users uuid[], p_ats timestamptz[], p_at timestamptz) returns uuid[] language plpgsql as $$
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
  foreach v_meter in array v_meters loop perform empty_prepaid(v_meter, p_at); end loop;
  return v_users;
end $$;
