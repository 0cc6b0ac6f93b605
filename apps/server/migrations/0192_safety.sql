-- Administrators read the audit log: by time, person, call, subject and words of the reason. Times of entries that are
-- written at once may differ from the order of their ids.
drop index audit_log_user_id_id_idx, audit_log_actor_id_idx;
create index audit_log_at on audit_log (at, id);
create index audit_log_user on audit_log (user_id, at, id);
create index audit_log_actor on audit_log (actor, at, id);
create index audit_log_operation on audit_log (operation, at, id);
create index audit_log_kind on audit_log (subject_kind, at, id);
-- Without a list of what is still to be sorted in, which every search would read: few entries are written.
create index audit_log_reason on audit_log using gin (to_tsvector('simple', reason)) with (fastupdate = off);

-- Which administrator's session reads as which customer now. What is over stands in the audit log alone.
create table acting (
  session_id uuid primary key,
  admin_id uuid not null,
  user_id uuid not null,
  reason text not null,
  began_at timestamptz not null default now(),
  until timestamptz not null
);
create index acting_until on acting (until);

-- What was read meanwhile.
create table acting_read (
  session_id uuid not null references acting on delete cascade,
  operation text not null,
  count int not null,
  primary key (session_id, operation)
);

-- Ends those of a session, or all whose time is over; says in the audit log what was read. Returns how many.
create function end_acting(p_session_id uuid) returns int language plpgsql as $$
declare
  v acting;
  v_count int := 0;
begin
  for v in
    select * from acting
    where case when p_session_id is null then until <= now() else session_id = p_session_id end
    order by session_id for update
  loop
    perform audit_append('account', v.user_id, v.user_id, '{"acting": "on"}', jsonb_build_object('acting', 'off', 'read', (
      select string_agg(operation || ' ×' || count, ', ' order by count desc, operation)
      from acting_read r where r.session_id = v.session_id)));
    delete from acting where session_id = v.session_id;
    v_count := v_count + 1;
  end loop;
  return v_count;
end $$;

-- One at a time for a session. Whom it may be is the caller's to see.
create function begin_acting(p_session_id uuid, p_admin_id uuid, p_user_id uuid, p_reason text, p_minutes int)
returns void language plpgsql as $$
declare v_until timestamptz := date_trunc('milliseconds', now() + p_minutes * interval '1 minute');
begin
  perform end_acting(p_session_id);
  insert into acting (session_id, admin_id, user_id, reason, until)
  values (p_session_id, p_admin_id, p_user_id, p_reason, v_until);
  perform set_config('ingot.reason', p_reason, true);
  perform audit_append('account', p_user_id, p_user_id, '{}', jsonb_build_object('acting', 'on', 'until',
    to_char(v_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')));
end $$;

-- Counts one call that reads as that customer. False where the session may not: its time is over, the customer has
-- become staff, or their account has ended.
create function note_acting_read(p_session_id uuid, p_admin_id uuid, p_user_id uuid, p_operation text)
returns boolean language plpgsql as $$
begin
  perform from acting a join auth_user u on u.id = a.user_id
  where a.session_id = p_session_id and a.admin_id = p_admin_id and a.user_id = p_user_id and a.until > now()
    and u.deleted_at is null and not exists (select from user_roles r where r.user_id = a.user_id)
  for key share of a;
  if not found then return false; end if;
  insert into acting_read as r (session_id, operation, count) values (p_session_id, p_operation, 1)
  on conflict (session_id, operation) do update set count = r.count + 1;
  return true;
end $$;
