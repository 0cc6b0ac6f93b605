-- Whoever let a grace end is told that it ended: what lapsed is deleted then.
alter table notice
  drop constraint notice_kind_check,
  add constraint notice_kind_check
    check (kind in ('balance_low', 'balance_ending', 'balance_empty', 'lapsed', 'grace_over', 'start_failed', 'lost', 'ended'));

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
  perform queue_notice(m.user_id, 'grace_over', channel, jsonb_build_object('at', e.at, 'name', m.label, 'noun', k.noun))
  from unnest(v_meters, v_times) e(id, at) join meter m on m.id = e.id join meter_kind k on k.id = m.kind
  cross join unnest(array['mail', 'sms']) channel order by m.id;
  perform tell_kinds(v_meters, v_times, 'grace_over', p_at);
  foreach v_meter in array v_meters loop perform empty_prepaid(v_meter, p_at); end loop;
  return v_users;
end $$;
