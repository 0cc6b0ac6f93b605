-- Who did it: facts carry it, and what staff do and what changes the safety of an account is noted for good.

-- Facts from before have none: nobody noted it.
alter table event add column actor text, add column operation text;
alter table event alter column actor set default actor_now(), alter column operation set default operation_now();

-- What else is known of the call that writes: the role of whoever makes it, their address and the request's id.
create function caller_now() returns jsonb language sql stable as $$
  select coalesce(nullif(current_setting('ingot.caller', true), '')::jsonb, '{}')
$$;

create function is_staff_now() returns boolean language sql stable as $$
  select actor_now() like 'staff:%'
$$;

-- Never a secret, a hash or a code: of what is secret it says that it was set, changed or taken away. An account that
-- is erased leaves its entries, without values, addresses and reasons.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- 'user:<id>', 'key:<id>', 'staff:<id>', 'visitor' or 'system'.
  actor text not null,
  role text,
  ip text,
  request_id text,
  operation text,
  subject_kind text not null check (subject_kind in ('account', 'factor', 'identity', 'api_key', 'sso_provider', 'inquiry')),
  subject_id uuid not null,
  -- Whose account it is about; null where it is about nobody's.
  user_id uuid,
  -- What differs, with the same names on both sides.
  before jsonb not null,
  after jsonb not null,
  reason text
);
create index on audit_log (user_id, id);
create index on audit_log (actor, id);

-- The names of an object without its values.
create function names_alone(p_values jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(name, null::text), '{}') from jsonb_object_keys(p_values) name
$$;

-- Of an entry nothing may change but this: an erased account's entries lose what is personal.
create function audit_log_keeps() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - array['ip', 'reason', 'before', 'after'] = to_jsonb(old) - array['ip', 'reason', 'before', 'after']
    and (new.ip is null or new.ip = old.ip) and (new.reason is null or new.reason = old.reason)
    and new.before in (old.before, names_alone(old.before)) and new.after in (old.after, names_alone(old.after)) then
    return new;
  end if;
  raise exception 'audit_log is append-only' using errcode = 'IN001';
end $$;
create trigger only_emptied before update on audit_log for each row execute function audit_log_keeps();
create trigger append_only before delete on audit_log for each row execute function refuse_change();
create trigger append_only_all before truncate on audit_log for each statement execute function refuse_change();

-- The only way into the audit log. What is the same before and after is left out; null is the same as nothing.
create function audit_append(p_subject_kind text, p_subject_id uuid, p_user_id uuid, p_before jsonb, p_after jsonb)
returns void language plpgsql as $$
declare
  v_actor text := actor_now();
  v_role text := caller_now()->>'role';
  v_before jsonb := jsonb_strip_nulls(p_before);
  v_after jsonb := jsonb_strip_nulls(p_after);
begin
  if v_role is null and v_actor like 'user:%' then
    v_role := coalesce((select role from user_roles where user_id = substring(v_actor from 6)::uuid), 'user');
  end if;
  select coalesce(jsonb_object_agg(name, v_before->name), '{}'), coalesce(jsonb_object_agg(name, v_after->name), '{}')
  into v_before, v_after
  from jsonb_object_keys(v_before || v_after) name where v_before->name is distinct from v_after->name;
  insert into audit_log (actor, role, ip, request_id, operation, subject_kind, subject_id, user_id, before, after, reason)
  values (v_actor, v_role, caller_now()->>'ip', caller_now()->>'request_id', operation_now(), p_subject_kind, p_subject_id,
    p_user_id, v_before, v_after, nullif(current_setting('ingot.reason', true), ''));
  perform set_config('ingot.audited', 'yes', true);
end $$;

-- What an erased account leaves in the audit log, as its subject and as who did something. That it was deleted stays.
create function audit_forget(p_user_id uuid) returns void language sql as $$
  update audit_log set ip = null, reason = null, before = names_alone(before), after = names_alone(after)
  where user_id = p_user_id and after->>'account' is distinct from 'deleted';
  update audit_log set ip = null where actor in ('user:' || p_user_id, 'staff:' || p_user_id);
$$;

-- The safety of an account, whoever changes it and however: triggers, because some forty writes do.

-- Of a user's row what an audit may know. A password that was replaced by another one is said in `audit_user`.
create function audited_user(u auth_user) returns jsonb language sql stable as $$
  select jsonb_build_object('email', u.email, 'phone', u.phone, 'password', case when u.password_hash is not null then 'set' end,
      'auth_role', u.role, 'banned_until', u.banned_until)
    || case when is_staff_now() then jsonb_build_object('email_confirmed', u.email_confirmed_at is not null,
      'phone_confirmed', u.phone_confirmed_at is not null) else '{}' end
$$;

create function audit_user() returns trigger language plpgsql as $$
declare v_before jsonb := '{}'; v_after jsonb;
begin
  if tg_op = 'INSERT' then
    perform audit_append('account', new.id, new.id, '{}', audited_user(new) || '{"account": "open"}');
    return null;
  end if;
  if old.deleted_at is null and new.deleted_at is not null then
    perform audit_append('account', new.id, new.id, '{"account": "open"}', '{"account": "deleted"}');
    perform audit_forget(new.id);
    return null;
  end if;
  v_before := audited_user(old);
  v_after := audited_user(new);
  if old.password_hash <> new.password_hash then v_after := v_after || '{"password": "changed"}'; end if;
  if is_staff_now() and old.app_metadata <> new.app_metadata then
    v_after := v_after || '{"app_metadata": "changed"}';
  end if;
  if is_staff_now() and old.user_metadata <> new.user_metadata then
    v_after := v_after || '{"user_metadata": "changed"}';
  end if;
  if v_before <> v_after then perform audit_append('account', new.id, new.id, v_before, v_after); end if;
  return null;
end $$;
create trigger audit_made after insert on auth_user for each row when (is_staff_now()) execute function audit_user();
create trigger audit_changed after update on auth_user for each row
when (row(old.email, old.phone, old.password_hash, old.role, old.banned_until, old.deleted_at)
    is distinct from row(new.email, new.phone, new.password_hash, new.role, new.banned_until, new.deleted_at)
  or is_staff_now())
execute function audit_user();

create function audit_role() returns trigger language plpgsql as $$
declare v_user uuid := coalesce(new.user_id, old.user_id);
begin
  perform audit_append('account', v_user, v_user, jsonb_build_object('role', coalesce(old.role, 'user')),
    jsonb_build_object('role', coalesce(new.role, 'user')));
  return null;
end $$;
create trigger audit after insert or update or delete on user_roles for each row execute function audit_role();

-- An address or phone that is an identity is told by the account; so is what an account was made with.
create function audit_identity() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform audit_append('identity', old.id, old.user_id, jsonb_build_object('provider', old.provider), '{}');
  elsif exists (select from auth_user where id = new.user_id and created_at < now()) then
    perform audit_append('identity', new.id, new.user_id, '{}', jsonb_build_object('provider', new.provider));
  end if;
  return null;
end $$;
create trigger audit_linked after insert on auth_identity for each row when (new.provider not in ('email', 'phone'))
execute function audit_identity();
create trigger audit_unlinked after delete on auth_identity for each row when (old.provider not in ('email', 'phone'))
execute function audit_identity();

create function audited_factor(f auth_factor) returns jsonb language sql stable as $$
  select jsonb_build_object('factor', f.factor_type, 'name', f.friendly_name, 'phone', f.phone)
$$;

create function audit_factor() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform audit_append('factor', old.id, old.user_id, audited_factor(old), '{}');
  else
    perform audit_append('factor', new.id, new.user_id, '{}', audited_factor(new));
  end if;
  return null;
end $$;
create trigger audit_made after insert on auth_factor for each row when (new.status = 'verified')
execute function audit_factor();
create trigger audit_verified after update on auth_factor for each row
when (new.status = 'verified' and old.status <> 'verified') execute function audit_factor();
create trigger audit_removed after delete on auth_factor for each row when (old.status = 'verified')
execute function audit_factor();

-- Codes are made and replaced as a set.
create function audit_recovery_codes() returns trigger language plpgsql as $$
begin
  perform audit_append('factor', f.id, f.user_id, '{}', '{"recovery_codes": "made"}')
  from auth_factor f where f.id in (select factor_id from made);
  return null;
end $$;
create trigger audit after insert on auth_recovery_code referencing new table as made
for each statement execute function audit_recovery_codes();

create function audit_api_key() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit_append('api_key', new.id, new.user_id, '{}', jsonb_build_object('name', new.name, 'works', true));
  else
    perform audit_append('api_key', new.id, new.user_id, '{"works": true}', '{"works": false}');
  end if;
  return null;
end $$;
create trigger audit_made after insert on api_keys for each row execute function audit_api_key();
create trigger audit_ended after update on api_keys for each row when (old.is_active and not new.is_active)
execute function audit_api_key();

-- Users see the sessions that they end themselves; what staff end is noted.
create function audit_ended_sessions() returns trigger language plpgsql as $$
begin
  perform audit_append('account', user_id, user_id, '{}', jsonb_build_object('sessions_ended', count(*)))
  from ended where is_staff_now() group by user_id;
  return null;
end $$;
create trigger audit after delete on auth_session referencing old table as ended
for each statement execute function audit_ended_sessions();
