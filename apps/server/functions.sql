-- Every function, trigger and domain of the database, as all migrations together leave it: for reading. Written by
-- `npm run functions` from the catalogue of a migrated database, and applied to none: changes are made in a new file in
-- migrations/. Above a statement stand the migration that wrote it last and its comment there.

-- 0018_cheaper_movements.sql
CREATE DOMAIN public.ledger_code AS text
  CONSTRAINT ledger_code_check CHECK ((VALUE = ANY (ARRAY['deposit'::text, 'deploy'::text, 'renewal'::text, 'growth'::text, 'usage'::text, 'usage_return'::text, 'return'::text, 'debit'::text, 'credit'::text, 'term'::text, 'hold'::text, 'release'::text, 'refund'::text, 'forfeit'::text, 'payout'::text, 'credit_grant'::text, 'credit_used'::text, 'credit_back'::text, 'credit_lapse'::text])));

-- 0018_cheaper_movements.sql
-- A table's check is read from its text again by every statement that writes a row, a list byte by byte. A domain's is
-- kept by the connection, and is not looked at when the column does not change.
CREATE DOMAIN public.ledger_kind AS text
  CONSTRAINT ledger_kind_check CHECK ((VALUE = ANY (ARRAY['custody'::text, 'revenue'::text, 'adjustment'::text, 'refunds'::text, 'promotion'::text, 'wallet'::text, 'prepaid'::text, 'hold'::text, 'withdrawal'::text, 'credit'::text, 'queue'::text])));

-- 0062_cheaper_checks.sql
CREATE DOMAIN public.ledger_words AS text
  CONSTRAINT ledger_words_check CHECK ((length(VALUE) <= 300));

-- 0062_cheaper_checks.sql
CREATE DOMAIN public.micro_amount AS bigint
  CONSTRAINT micro_amount_check CHECK ((VALUE > 0));

-- 0033_kinds_and_looks.sql
-- Who writes: 'user:<id>', 'key:<id>', 'staff:<id>', or 'system' where nobody said.
CREATE OR REPLACE FUNCTION public.actor_now()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(nullif(current_setting('ingot.actor', true), ''), 'system')
$function$;

-- 0091_withdrawals.sql
-- Where a former customer wants what they are owed. It stays open to change until an operator sends it.
CREATE OR REPLACE FUNCTION public.address_refund(p_id uuid, p_address20 bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update refund_request set address20 = p_address20 where id = p_id and status = 'open' and not is_sending;
  return found;
end $function$;

-- 0071_placing.sql
-- What was there before its driver told of any host: its disks are on the first one, and what runs has its place there,
-- with whatever cards it was shown.
CREATE OR REPLACE FUNCTION public.adopt_instances(p_driver text, p_host bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_at timestamptz := business_now();
begin
  update gpu_instances set host_id = p_host
  where id in (select id from gpu_instances where driver = p_driver and host_id is null and status <> 'terminated'
    and (driver_ref is not null or status <> 'stopped' or paid_until > v_at) order by id for no key update);
  with held as (
    insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, placed_at)
    select id, p_host, '{}', 0, 0, case when status = 'stopped' then paid_until end, v_at from gpu_instances
    where host_id = p_host and status <> 'terminated' and (status <> 'stopped' or paid_until > v_at)
    returning instance_id)
  update host set machines_taken = (select count(*) from held) where id = p_host;
end $function$;

-- 0026_amounts_and_addresses.sql
-- An amount as a person reads it, as `amountText` in packages/contracts/src/money.ts: two decimals, halves to even, and
-- every digit below one cent.
CREATE OR REPLACE FUNCTION public.amount_text(p_micro bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when p_micro < 0 then '-' || amount_text(-p_micro)
    when p_micro between 1 and 9999 then rtrim(usd(p_micro), '0')
    else (((p_micro + 5000) / 10000 - case when p_micro % 20000 = 5000 then 1 else 0 end)::numeric / 100)::numeric(20, 2)::text end
$function$;

-- 0096_credit_is_given.sql
-- Credits a deposit that is held for review, under its own key. False: it was approved before.
CREATE OR REPLACE FUNCTION public.approve_deposit(p_id uuid, p_at timestamp with time zone DEFAULT business_now(), p_credit_ends_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare d chain_deposit := lock_deposit(p_id);
begin
  if d.state = 'credited' and d.reviewed_at is not null then return false; end if;
  if (d.state, d.held_reason) is distinct from ('held', 'review') then
    raise exception 'deposit % is not held for review: it is %', p_id, concat_ws(', ', d.state, d.held_reason) using errcode = 'IN409';
  end if;
  perform settle_before(d.user_id, p_at);
  perform ledger_post(key_of('deposit:' || d.id), 1, (select account_id from wallets where user_id = d.user_id), d.amount_micro, 'deposit',
    d.user_id, d.id, format('Deposit of %s USDT', usd(d.amount_micro)), p_at);
  update chain_deposit set state = 'credited', held_reason = null, reviewed_at = now() where id = d.id;
  perform grant_credit(d.user_id, d.id, d.amount_micro, p_credit_ends_at, p_at);
  perform settle_arrival(d.user_id, p_at);
  insert into event (user_id, type, at)
  select d.user_id, type, p_at from unnest(array['wallet.credited', 'wallet.updated', 'deposit.updated']) type;
  return true;
end $function$;

-- 0034_spans_and_runway.sql
CREATE OR REPLACE FUNCTION public.at_ms(p_ms bigint)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select timestamptz 'epoch' + p_ms * interval '1 millisecond'
$function$;

-- 0038_who_did_it.sql
CREATE OR REPLACE FUNCTION public.audit_api_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    perform audit_append('api_key', new.id, new.user_id, '{}', jsonb_build_object('name', new.name, 'works', true));
  else
    perform audit_append('api_key', new.id, new.user_id, '{"works": true}', '{"works": false}');
  end if;
  return null;
end $function$;

-- 0038_who_did_it.sql
-- The only way into the audit log. What is the same before and after is left out; null is the same as nothing.
CREATE OR REPLACE FUNCTION public.audit_append(p_subject_kind text, p_subject_id uuid, p_user_id uuid, p_before jsonb, p_after jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$;

-- 0038_who_did_it.sql
-- Users see the sessions that they end themselves; what staff end is noted.
CREATE OR REPLACE FUNCTION public.audit_ended_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform audit_append('account', user_id, user_id, '{}', jsonb_build_object('sessions_ended', count(*)))
  from ended where is_staff_now() group by user_id;
  return null;
end $function$;

-- 0038_who_did_it.sql
CREATE OR REPLACE FUNCTION public.audit_factor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    perform audit_append('factor', old.id, old.user_id, audited_factor(old), '{}');
  else
    perform audit_append('factor', new.id, new.user_id, '{}', audited_factor(new));
  end if;
  return null;
end $function$;

-- 0038_who_did_it.sql
-- What an erased account leaves in the audit log, as its subject and as who did something. That it was deleted stays.
CREATE OR REPLACE FUNCTION public.audit_forget(p_user_id uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  update audit_log set ip = null, reason = null, before = names_alone(before), after = names_alone(after)
  where user_id = p_user_id and after->>'account' is distinct from 'deleted';
  update audit_log set ip = null where actor in ('user:' || p_user_id, 'staff:' || p_user_id);
$function$;

-- 0038_who_did_it.sql
-- An address or phone that is an identity is told by the account; so is what an account was made with.
CREATE OR REPLACE FUNCTION public.audit_identity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    perform audit_append('identity', old.id, old.user_id, jsonb_build_object('provider', old.provider), '{}');
  elsif exists (select from auth_user where id = new.user_id and created_at < now()) then
    perform audit_append('identity', new.id, new.user_id, '{}', jsonb_build_object('provider', new.provider));
  end if;
  return null;
end $function$;

-- 0038_who_did_it.sql
-- Of an entry nothing may change but this: an erased account's entries lose what is personal.
CREATE OR REPLACE FUNCTION public.audit_log_keeps()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - array['ip', 'reason', 'before', 'after'] = to_jsonb(old) - array['ip', 'reason', 'before', 'after']
    and (new.ip is null or new.ip = old.ip) and (new.reason is null or new.reason = old.reason)
    and new.before in (old.before, names_alone(old.before)) and new.after in (old.after, names_alone(old.after)) then
    return new;
  end if;
  raise exception 'audit_log is append-only' using errcode = 'IN001';
end $function$;

-- 0038_who_did_it.sql
-- Codes are made and replaced as a set.
CREATE OR REPLACE FUNCTION public.audit_recovery_codes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform audit_append('factor', f.id, f.user_id, '{}', '{"recovery_codes": "made"}')
  from auth_factor f where f.id in (select factor_id from made);
  return null;
end $function$;

-- 0038_who_did_it.sql
CREATE OR REPLACE FUNCTION public.audit_role()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare v_user uuid := coalesce(new.user_id, old.user_id);
begin
  perform audit_append('account', v_user, v_user, jsonb_build_object('role', coalesce(old.role, 'user')),
    jsonb_build_object('role', coalesce(new.role, 'user')));
  return null;
end $function$;

-- 0111_chosen_ssh_keys.sql
CREATE OR REPLACE FUNCTION public.audit_ssh_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    perform audit_append('ssh_key', new.id, new.user_id, '{}', jsonb_build_object('name', new.name, 'fingerprint', new.fingerprint));
  else
    perform audit_append('ssh_key', old.id, old.user_id, jsonb_build_object('name', old.name, 'fingerprint', old.fingerprint), '{}');
  end if;
  return null;
end $function$;

-- 0038_who_did_it.sql
CREATE OR REPLACE FUNCTION public.audit_user()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0038_who_did_it.sql
CREATE OR REPLACE FUNCTION public.audited_factor(f auth_factor)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('factor', f.factor_type, 'name', f.friendly_name, 'phone', f.phone)
$function$;

-- 0038_who_did_it.sql
-- Of a user's row what an audit may know. A password that was replaced by another one is said in `audit_user`.
CREATE OR REPLACE FUNCTION public.audited_user(u auth_user)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('email', u.email, 'phone', u.phone, 'password', case when u.password_hash is not null then 'set' end,
      'auth_role', u.role, 'banned_until', u.banned_until)
    || case when is_staff_now() then jsonb_build_object('email_confirmed', u.email_confirmed_at is not null,
      'phone_confirmed', u.phone_confirmed_at is not null) else '{}' end
$function$;

-- 0020_known_places.sql
-- Takes the next slot for a message: 0, or the seconds until there is one.
CREATE OR REPLACE FUNCTION public.auth_claim_sending(p_key text, p_seconds integer, p_places text[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare v_free boolean;
begin
  insert into auth_sending as s (key, sent_at, asked_by) values (p_key, clock_timestamp(), p_places)
  on conflict (key) do update set sent_at = clock_timestamp(), asked_by = p_places
  where s.sent_at <= clock_timestamp() - p_seconds * interval '1 second'
  returning true into v_free;
  if v_free then return 0; end if;
  return (select greatest(1, ceil(extract(epoch from sent_at - clock_timestamp()) + p_seconds))::integer
    from auth_sending where key = p_key);
end $function$;

-- 0020_known_places.sql
-- The same for a message to a phone. What sends nothing (the number is somebody's already, or nobody waits for a code
-- there) takes a slot that holds up its own sender alone, so that strangers take none from the number's user.
CREATE OR REPLACE FUNCTION public.auth_claim_sms(p_key text, p_seconds integer, p_places text[], p_sends boolean)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare v_own text := p_key || '@' || coalesce(p_places[array_length(p_places, 1)], ''); v_left integer;
begin
  select greatest(0, ceil(extract(epoch from max(sent_at) - clock_timestamp()) + p_seconds))::integer into v_left
  from auth_sending where key in (p_key, v_own);
  if v_left > 0 then return v_left; end if;
  return auth_claim_sending(case when p_sends then p_key else v_own end, p_seconds, p_places);
end $function$;

-- 0002_auth.sql
-- A right password forgets the wrong ones; while the address is locked even the right one waits. Seconds to wait, or 0.
CREATE OR REPLACE FUNCTION public.auth_clear_failures(p_key text)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare v_seconds integer := auth_locked_seconds(p_key);
begin
  if v_seconds = 0 then delete from auth_failure where key = p_key; end if;
  return v_seconds;
end $function$;

-- 0030_code_standings.sql
-- At home is the number's proved user alone: anybody may ask to have a number, and places of an account that nobody
-- proved are those of whoever opened it. Whoever asked for the message is counted by their network, since they name a
-- device as they like; by the device where the network is not known.
CREATE OR REPLACE FUNCTION public.auth_code_key(p_key text, p_phone text, p_sending text, p_places text[])
 RETURNS TABLE(key text, standing text)
 LANGUAGE sql
 STABLE
AS $function$
  with at_home as (
    select place from unnest(p_places) place where exists (
      select from auth_place p join auth_user u on u.id = p.user_id
      where p.place = place and p.seen_at > now() - interval '90 days'
        and u.phone = p_phone and u.phone_confirmed_at is not null and u.is_proved)),
  asking as (
    select max(place) as place from auth_sending s, unnest(s.asked_by) place
    where s.key = p_sending and s.asked_by && p_places),
  standings as (
    select 1 as rank, place, 'home' as standing from at_home
    union all select 2, place, 'asker' from asking where place is not null
    union all select 3, null, 'stranger')
  select p_key || coalesce('@' || place, ''), standing from standings order by rank, place limit 1
$function$;

-- 0020_known_places.sql
-- Under which key wrong tries are counted: strangers' under one, and those from each place that is the user's under
-- another. A device says more than a network, which others may share.
CREATE OR REPLACE FUNCTION public.auth_failure_key(p_key text, p_user_id uuid, p_places text[])
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select p_key || '@' || place from auth_place
    where user_id = p_user_id and place = any(p_places) and seen_at > now() - interval '90 days'
    order by place limit 1), p_key)
$function$;

-- 0002_auth.sql
-- Seconds until passwords are tried again for this address; 0: at once.
CREATE OR REPLACE FUNCTION public.auth_locked_seconds(p_key text)
 RETURNS integer
 LANGUAGE sql
AS $function$
  select coalesce((
    select ceil(extract(epoch from locked_until - clock_timestamp()))::integer from auth_failure
    where key = p_key and locked_until > clock_timestamp()), 0)
$function$;

-- 0002_auth.sql
-- A wrong password: after `p_free` of them each one doubles the pause, up to `p_max_seconds`. A quiet day forgets them.
CREATE OR REPLACE FUNCTION public.auth_note_failure(p_key text, p_free integer, p_max_seconds integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_count integer;
begin
  insert into auth_failure as f (key, count, failed_at) values (p_key, 1, clock_timestamp())
  on conflict (key) do update set
    count = case when f.failed_at < clock_timestamp() - interval '1 day' then 1 else f.count + 1 end, failed_at = clock_timestamp()
  returning count into v_count;
  if v_count > p_free then
    update auth_failure
    set locked_until = clock_timestamp() + least(p_max_seconds, power(2, least(v_count - p_free - 1, 20))) * interval '1 second'
    where key = p_key;
  end if;
end $function$;

-- 0011_auth_providers.sql
-- What is known of a user's providers, from their identities, the oldest first.
CREATE OR REPLACE FUNCTION public.auth_note_providers(p_user_id uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  update auth_user set updated_at = now(), app_metadata = app_metadata || (
    select jsonb_build_object('provider', p.names[1], 'providers', to_jsonb(p.names))
    from (
      select array_agg(provider order by first_at, provider) as names
      from (
        select provider, min(created_at) as first_at from auth_identity where user_id = p_user_id group by provider
      ) each_provider
    ) p
    where p.names is not null)
  where id = p_user_id and exists (select 1 from auth_identity where user_id = p_user_id)
$function$;

-- 0020_known_places.sql
-- Drops what no longer limits anybody, and codes that are over. Both halves of a change of address end together.
CREATE OR REPLACE FUNCTION public.auth_sweep()
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from auth_bucket where refilled_at < now() - interval '1 day';
  delete from auth_failure where failed_at < now() - interval '1 day' and (locked_until is null or locked_until < now());
  delete from auth_code where expires_at < now() - interval '1 day';
  delete from auth_otp where expires_at < now() - interval '1 day';
  delete from auth_sending where sent_at < now() - interval '1 day';
  delete from auth_place where seen_at < now() - interval '90 days';
$function$;

-- 0002_auth.sql
-- Takes one token from a bucket of `p_burst` that refills at `p_per_second`; false when it is empty.
CREATE OR REPLACE FUNCTION public.auth_take_token(p_key text, p_burst integer, p_per_second double precision)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare v_tokens double precision;
begin
  insert into auth_bucket as b (key, tokens, refilled_at) values (p_key, p_burst - 1, clock_timestamp())
  on conflict (key) do update set
    tokens = least(p_burst, b.tokens + p_per_second * extract(epoch from clock_timestamp() - b.refilled_at)) - 1,
    refilled_at = clock_timestamp()
  where least(p_burst, b.tokens + p_per_second * extract(epoch from clock_timestamp() - b.refilled_at)) >= 1
  returning tokens into v_tokens;
  return v_tokens is not null;
end $function$;

-- 0150_queue.sql
-- With what is set aside for what waits: it comes back too.
CREATE OR REPLACE FUNCTION public.balance_after_closing(p_user_id uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_owed(p_user_id, p_at))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)
  + coalesce((select sum(money_rest_of(m, p_at)) from meter_now m where m.user_id = p_user_id), 0)::bigint
  + coalesce((select sum(held_micro) from instance_queue where user_id = p_user_id), 0)::bigint
$function$;

-- 0192_safety.sql
-- One at a time for a session. Whom it may be is the caller's to see.
CREATE OR REPLACE FUNCTION public.begin_acting(p_session_id uuid, p_admin_id uuid, p_user_id uuid, p_reason text, p_minutes integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_until timestamptz := date_trunc('milliseconds', now() + p_minutes * interval '1 minute');
begin
  perform end_acting(p_session_id);
  insert into acting (session_id, admin_id, user_id, reason, until)
  values (p_session_id, p_admin_id, p_user_id, p_reason, v_until);
  perform set_config('ingot.reason', p_reason, true);
  perform audit_append('account', p_user_id, p_user_id, '{}', jsonb_build_object('acting', 'on', 'until',
    to_char(v_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')));
end $function$;

-- 0089_invoices.sql
CREATE OR REPLACE FUNCTION public.begin_invoicing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into invoicing (user_id) values (new.user_id);
  return null;
end $function$;

-- 0048_cheaper_settling.sql
-- Milliseconds of [p_from, p_to] that lie beyond an upfront term.
CREATE OR REPLACE FUNCTION public.billable_ms(p_from timestamp with time zone, p_to timestamp with time zone, p_paid_until timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select greatest(0, round(date_part('epoch', p_to - greatest(p_from, coalesce(p_paid_until, p_from))) * 1000))::bigint
$function$;

-- 0087_budgets.sql
CREATE OR REPLACE FUNCTION public.budget_month(p_at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select date_trunc('month', p_at at time zone 'UTC')::date
$function$;

-- 0088_budgets_end.sql
-- Why something stopped whose budget, or whose account's, was used up at `p_at`.
CREATE OR REPLACE FUNCTION public.budget_words(p_user_id uuid, p_meter uuid, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select 'Stopped because ' || case when p_meter is null then 'the account''s' else 'its' end || ' budget of $' || amount_text(b.limit_micro)
    || case when p_meter is null then ' for ' || to_char(b.month, 'FMMonth YYYY') else '' end
    || ' is used up. The disk is kept; with a larger budget it can start again.'
  from budgets_in(array[p_user_id], array[budget_month(p_at)]) b where b.meter_id is not distinct from p_meter
$function$;

-- 0087_budgets.sql
-- The budgets of users that hold in a month: their meters', and the account's.
CREATE OR REPLACE FUNCTION public.budgets_in(p_users uuid[], p_months date[])
 RETURNS SETOF budget
 LANGUAGE sql
 STABLE
AS $function$
  select b.* from unnest(p_users) u(user_id) join budget b on b.user_id = u.user_id and b.meter_id is not null
  union all
  select u.user_id, null, u.month, b.limit_micro, b.at_limit, case when b.month = u.month then b.spent_micro else 0 end,
    case when b.month = u.month then b.told_percent else 0 end, case when b.month = u.month then b.reached_at end, b.set_at, b.set_after
  from unnest(p_users, p_months) u(user_id, month)
  cross join lateral (
    select * from budget o where o.user_id = u.user_id and o.meter_id is null and o.month <= u.month order by o.month desc limit 1) b
  where b.limit_micro is not null
$function$;

-- 0087_budgets.sql
-- For each budget: the last millisecond up to `p_untils` at which it covers what its meters draw, as `wallets_last` of a
-- balance; a span lies within one month. What is paid by the month is never ended by a budget, and so draws on none. With
-- `p_now` it is a forecast: also of the next that is to be told, which is reached a millisecond after.
CREATE OR REPLACE FUNCTION public.budgets_last(p_users uuid[], p_untils timestamp with time zone[], p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(user_id uuid, meter_id uuid, until_at timestamp with time zone, last_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  with held as materialized (
    select b.user_id, b.meter_id, u.until_at, most_of(case when p_now is null then b.limit_micro - b.spent_micro else least(
      case b.at_limit when 'stop' then b.limit_micro - b.spent_micro end, (
      select min(share_of(b.limit_micro, percent)) - b.spent_micro - 1 from unnest(array[50, 80, 100]) percent
      where percent > b.told_percent and share_of(b.limit_micro, percent) > b.spent_micro and (percent < 100 or b.at_limit = 'warn'))) end) as most
    from unnest(p_users, p_untils) u(user_id, until_at)
    join budgets_in(p_users, array(select budget_month(until - interval '1 millisecond') from unnest(p_untils) until)) b on b.user_id = u.user_id
    where p_now is not null or b.at_limit = 'stop')
  select h.user_id, h.meter_id, h.until_at, least(h.until_at, at_ms(meets(array(
    select row(e.*)::edge
    from (
      select price, behind, began, draws_from(price, behind, began, until) as draws, stop, until
      from (
        select m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
          ms_of(least(h.until_at, case when p_now is null or m.horizon < p_now then m.horizon end)) as stop, ms_of(h.until_at) as until
        from meter_now m
        where m.user_id = h.user_id and m.is_running and m.renews_at is null and (h.meter_id is null or m.id = h.meter_id) offset 0) m offset 0) m
    cross join lateral edges_of(price, behind, began, draws, stop, 0, until) e), h.most)))
  from held h where h.most is not null
$function$;

-- 0087_budgets.sql
-- The budgets that hold at `p_at`, with what has accrued since the last settlement: never beyond one that stops.
CREATE OR REPLACE FUNCTION public.budgets_now(p_user_id uuid, p_at timestamp with time zone)
 RETURNS TABLE(meter_id uuid, month date, limit_micro bigint, at_limit text, spent_micro bigint, reached_at timestamp with time zone, told_percent integer)
 LANGUAGE sql
 STABLE
AS $function$
  select b.meter_id, b.month, b.limit_micro, b.at_limit, b.spent_micro
    + case b.at_limit when 'stop' then greatest(0, least(a.micro, b.limit_micro - b.spent_micro)) else a.micro end, b.reached_at, b.told_percent
  from budgets_in(array[p_user_id], array[budget_month(p_at)]) b
  cross join lateral (
    select coalesce(div(sum(drawn(m, p_at) - case when m.metered_to < b.month::timestamp at time zone 'UTC'
      then drawn(m, b.month::timestamp at time zone 'UTC') else 0 end), 3600000), 0)::bigint as micro
    from meter_now m
    where m.user_id = p_user_id and m.is_running and m.renews_at is null and (b.meter_id is null or m.id = b.meter_id)) a
$function$;

-- 0001_platform.sql
CREATE OR REPLACE FUNCTION public.business_clock_only_forward()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.offset_ms < old.offset_ms then raise exception 'the business clock never goes back'; end if;
  return new;
end $function$;

-- 0040_catalog.sql
-- The time of metering, as the transaction began.
CREATE OR REPLACE FUNCTION public.business_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select now() + offset_ms * interval '1 ms' from business_clock
$function$;

-- 0193_business.sql
-- `billed`: every amount on any customer's bill without its sign, as the specification counts total revenue. `earned`: what
-- came to revenue less what went back.
CREATE OR REPLACE FUNCTION public.business_totals()
 RETURNS TABLE(billed_micro bigint, earned_micro bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(sum(amount_micro) filter (where 'wallet' in (from_kind, to_kind)), 0)::bigint,
    coalesce(sum(case when to_kind = 'revenue' then amount_micro when from_kind = 'revenue' then -amount_micro end), 0)::bigint
  from money_by_day()
$function$;

-- 0038_who_did_it.sql
-- What else is known of the call that writes: the role of whoever makes it, their address and the request's id.
CREATE OR REPLACE FUNCTION public.caller_now()
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(nullif(current_setting('ingot.caller', true), '')::jsonb, '{}')
$function$;

-- 0193_business.sql
-- Takes a price back that does not hold yet; a trigger refuses any other. False: there is none.
CREATE OR REPLACE FUNCTION public.cancel_gpu_price(p_gpu_type text, p_holds_from timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  delete from gpu_price where gpu_type = p_gpu_type and holds_from = p_holds_from;
  return found;
end $function$;

-- 0091_withdrawals.sql
-- Back into the wallet, while nobody sends it: by its owner, or by whoever opened the link in the mail. Returns the request
-- as it is then; nothing where there is none, or it is another's.
CREATE OR REPLACE FUNCTION public.cancel_withdrawal(p_id uuid, p_user_id uuid, p_cancel_hash bytea, p_at timestamp with time zone)
 RETURNS SETOF withdrawal
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare w withdrawal;
begin
  select * into w from withdrawal
  where case when p_cancel_hash is not null then cancel_hash = p_cancel_hash else id = p_id and user_id = p_user_id end;
  if not found then return; end if;
  perform end_withdrawal(w.id, 'cancelled', null, 'Withdrawal cancelled', p_at);
  return query select * from withdrawal where id = w.id;
end $function$;

-- 0070_places.sql
-- The row of a catalogue that a card of this model is sold by: the model is its name, or fits one of its patterns.
CREATE OR REPLACE FUNCTION public.card_type(p_model text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select name from gpu_type where p_model = name or exists (select from unnest(patterns) p where p_model ~ p)
  order by position, name limit 1
$function$;

-- 0071_placing.sql
-- The cards of an inventory, each with what it is sold as.
CREATE OR REPLACE FUNCTION public.cards_told(p_hosts jsonb)
 RETURNS TABLE(host text, uuid text, model text, memory_bytes bigint, gpu_type text)
 LANGUAGE sql
 STABLE
AS $function$
  with each as (
    select h ->> 'name' as host, c ->> 'uuid' as uuid, c ->> 'model' as model, (c ->> 'memory_bytes')::bigint as memory_bytes
    from jsonb_array_elements(p_hosts) h cross join jsonb_array_elements(case jsonb_typeof(h -> 'cards') when 'array' then h -> 'cards' else '[]' end) c),
  sold as materialized (select m.model, card_type(m.model) as gpu_type from (select distinct model from each) m)
  select e.*, s.gpu_type from each e join sold s using (model)
$function$;

-- 0094_credit_settles.sql
-- Charges all running meters of wallets up to the time of each, at most to their horizons: the prepaid part first, then
-- the wallet. No line crosses the end of a month, UTC. The wallets are locked and cover it.
CREATE OR REPLACE FUNCTION public.charge_meters(p_users uuid[], p_untils timestamp with time zone[])
 RETURNS usage_line[]
 LANGUAGE plpgsql
AS $function$
declare v_lines usage_line[]; v_movements movement[];
begin
  with due as (
    select m.*, least(m.credit_micro, m.prepaid_micro) as prepaid_credit, least(u.until, m.horizon) as until
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
  priced as (
    select *, least(total, prepaid_micro) - least(total_before, prepaid_micro) as prepaid,
      greatest(total, prepaid_micro) - greatest(total_before, prepaid_micro) as own
    from cost cross join lateral (select div(used_before, 3600000), div(used_after, 3600000)) t(total_before, total)),
  -- What is first in time takes the credit first.
  upto as (select *, sum(own) over (partition by user_id order by to_at, id) as own_upto from priced),
  line as (
    insert into usage_line
      (meter_id, user_id, from_at, to_at, price_micro, amount_micro, prepaid_micro, wallet_micro, remainder_before, remainder_after,
        prepaid_credit_micro, credit_micro)
    select p.id, p.user_id, from_at, to_at, price_micro, total - total_before, prepaid, own, used_before % 3600000, used_after % 3600000,
      least(total, prepaid_credit) - least(total_before, prepaid_credit), least(own_upto, credit) - least(own_upto - own, credit)
    from upto p join wallets w on w.user_id = p.user_id left join ledger_account c on c.id = w.credit_account
    cross join lateral (select coalesce(c.balance_micro, 0)) g(credit)
    order by p.user_id, to_at, p.id
    returning usage_line)
  select array_agg(usage_line order by id) into v_lines from (select (usage_line).*, usage_line from line) l;
  if v_lines is null then return '{}'; end if;

  with line as materialized (
    select l.*, m.label, m.prepaid_account, m.paid_until, w.account_id, w.credit_account,
      format('%s: %s, %s s at $%s per hour', m.label, k.usage_words, to_char(extract(epoch from l.to_at - l.from_at), 'FM999999990.000'),
        usd(l.price_micro)) as words,
      lead(l.id) over (partition by l.meter_id order by l.id) is null as is_last
    from unnest(v_lines) l join meter m on m.id = l.meter_id join meter_kind k on k.id = m.kind join wallets w on w.user_id = l.user_id),
  part as (
    select id, 1 as place, row(key_of('prepaid:' || id), prepaid_account, 2, prepaid_micro, 'usage', user_id, meter_id, words, to_at)::movement as moved
    from line where prepaid_micro > 0
    union all
    select id, 2, row(key_of('credit_used:' || id), credit_account, account_id, credit_micro, 'credit_used', user_id, meter_id,
      label || ': paid by credit', to_at)::movement
    from line where credit_micro > 0
    union all
    select id, 3, row(key_of('usage:' || id), account_id, 2, wallet_micro, 'usage', user_id, meter_id, words, to_at)::movement
    from line where wallet_micro > 0
    union all
    select l.id, 4, row(key_of('term:' || l.meter_id), l.prepaid_account, 2, a.balance_micro, 'term', l.user_id, l.meter_id,
      l.label || ': upfront term ended', l.to_at)::movement
    from line l join ledger_account a on a.id = l.prepaid_account
    where l.is_last and l.paid_until <= l.to_at and a.balance_micro > 0)
  select array_agg(moved order by id, place) into v_movements from part;
  perform ledger_append(v_movements);

  update meter m set metered_to = l.to_at, remainder = l.remainder_after,
    credit_micro = case when m.paid_until <= l.to_at then 0 else m.credit_micro - l.prepaid_credit end
  from (
    select distinct on (meter_id) meter_id, to_at, remainder_after, sum(prepaid_credit_micro) over (partition by meter_id) as prepaid_credit
    from unnest(v_lines) order by meter_id, id desc) l
  where m.id = l.meter_id;
  return v_lines;
end $function$;

-- 0172_snapshots_and_growth.sql
-- Of what comes back the charge that it is a part of: the first of them, where they are many. Null for all else.
CREATE OR REPLACE FUNCTION public.charge_of(t ledger_transfer)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select case t.code
    when 'usage_return' then (
      select min(c.id) from usage_return r join usage_line u on u.meter_id = r.meter_id and u.to_at > r.from_at and u.from_at < r.to_at
        join ledger_transfer c on c.idem = key_of('usage:' || u.id)
      where r.meter_id = t.ref and key_of('usage_return:' || r.id) = t.idem)
    when 'return' then coalesce((
      select c.id from ledger_transfer c where c.user_id = t.user_id and c.ref = t.ref and c.code = 'growth' and key_of('growth_back:' || c.id) = t.idem), (
      select max(c.id) from meter m join meter_kind k on k.id = m.kind and k.renews_ms is not null
        join ledger_transfer c on c.user_id = t.user_id and c.ref = t.ref and c.code = 'renewal' and c.id < t.id where m.id = t.ref),
      (select c.id from ledger_transfer c where c.idem = key_of('deploy:' || t.ref)))
  end
$function$;

-- 0055_what_is_deleted_stays_ended.sql
-- The meter ends at `p_at` as far as is known, after everything due at that time was settled (so it may turn out to have
-- ended before: then the line says when). One that lapsed is over. A last look confirms the end: see `end_meter`. Returns
-- its last line.
CREATE OR REPLACE FUNCTION public.close_meter(p_meter uuid, p_at timestamp with time zone, p_cause text)
 RETURNS SETOF settled_line
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_user uuid;
begin
  select user_id into strict v_user from meter where id = p_meter;
  return query select * from settle_wallets(array[v_user], p_at, p_meter);
  perform stop_meters(array[p_meter], p_cause);
  perform end_lapses(array[p_meter], p_cause);
  perform refresh_wallet_due(v_user, p_at);
end $function$;

-- 0095_credit_pays.sql
-- Empties a wallet for good: to what former customers are owed, or to what was earned. Returns how much. The wallet's
-- lock is held and no instance of it is left; no last look changes what was charged any more.
CREATE OR REPLACE FUNCTION public.close_wallet(p_user_id uuid, p_code text, p_ref uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_account bigint; v_balance bigint;
begin
  select w.account_id, a.balance_micro into strict v_account, v_balance
  from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id;
  perform lapse_credits(array[p_user_id], array['infinity'::timestamptz]);
  update meter set ended_at = null where user_id = p_user_id and ended_at is not null;
  if v_balance > 0 then
    perform ledger_post(key_of(p_code || ':' || p_user_id), v_account, case p_code when 'refund' then 4 when 'forfeit' then 2 end,
      v_balance, p_code, p_user_id, p_ref,
      case p_code when 'refund' then 'Account deleted: balance to be refunded' else 'Account deleted: balance given up' end, p_at);
  end if;
  return v_balance;
end $function$;

-- 0059_nameless_runs_endless_prices.sql
-- What a driver said it holds, against the rows: the instances of its machines, and the run of each that is up (null: it
-- is not). `missed`: runs that were metered at `p_looked_at`, when it was asked, and are not there, and those whose name
-- nobody knows yet. `found`: had been missed, and are there. `strays`: up, while the instance is stopped. `orphans`: no
-- instance of whatever driver stands behind them.
CREATE OR REPLACE FUNCTION public.compare_machines(p_driver text, p_looked_at timestamp with time zone, p_ids uuid[], p_runs jsonb)
 RETURNS TABLE(missed uuid[], found uuid[], strays uuid[], orphans uuid[])
 LANGUAGE sql
 STABLE
AS $function$
  with said as (
    select * from rows from (unnest(p_ids), jsonb_array_elements_text(p_runs)) as s (id, run)),
  own as (
    select id, status, run_id, started_at, due_at from gpu_instances where driver = p_driver and status <> 'terminated'),
  unseen as (select id from meter where is_missed and is_running),
  compared as (
    select array_agg(own.id) filter (
        where own.status = 'running' and own.started_at <= p_looked_at and (said.run = own.run_id) is not true) as missed,
      array_agg(own.id) filter (where own.status = 'running' and said.run = own.run_id and unseen.id is not null) as found,
      array_agg(own.id) filter (where own.status = 'stopped' and said.run is not null and own.due_at is null) as strays,
      array_agg(said.id) filter (where own.id is null) as unknown
    from own full join said on said.id = own.id left join unseen on unseen.id = own.id)
  select coalesce(missed, '{}'), coalesce(found, '{}'), coalesce(strays, '{}'), array(
    select unnest(unknown) except select id from gpu_instances where id = any(unknown) and status <> 'terminated')
  from compared
$function$;

-- 0096_credit_is_given.sql
-- Returns what it holds then. The words stand on the bill.
CREATE OR REPLACE FUNCTION public.correct_wallet(p_user_id uuid, p_amount bigint, p_words text, p_idem uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform get_or_create_wallet(p_user_id);
  perform lock_wallet(p_user_id);
  -- Deleting an account takes the same lock first.
  if exists (select from auth_user where id = p_user_id and deleted_at is not null) then
    raise exception 'the account is deleted' using errcode = 'IN404';
  end if;
  if p_amount > 0 then
    perform credit_wallet(p_user_id, p_amount, p_words, p_idem, p_at);
  else
    -- What was used up to now is charged first.
    perform settle_before(p_user_id, p_at);
    perform debit_wallet(p_user_id, -p_amount, p_words, p_idem, p_at);
    perform refresh_wallet_due(p_user_id, p_at);
  end if;
  insert into event (user_id, type, at) values (p_user_id, 'wallet.updated', p_at);
  return lock_wallet(p_user_id) - wallet_owed(p_user_id, p_at);
end $function$;

-- 0022_refunds_and_sums.sql
-- Whole micro-USD of `p_ms` at a price per hour, with what an earlier charge rounded off.
CREATE OR REPLACE FUNCTION public.cost_micro(p_price bigint, p_ms bigint, p_remainder bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select div(p_price::numeric * p_ms + p_remainder, 3600000)::bigint
$function$;

-- 0150_queue.sql
-- Whether a host that is there has so much at all, however much of it is taken: nobody waits for what cannot come.
CREATE OR REPLACE FUNCTION public.could_be_placed(p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer, p_memory_gb integer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from host h where h.driver = p_driver and h.is_there and (not sells_cards(p_driver)
      or h.has_cards and h.cpu_cores >= p_cpu_cores and h.memory_gb >= p_memory_gb
        and (select count(*) from card c where c.host_id = h.id and c.gpu_type = p_gpu_type and c.is_there) >= p_gpu_count))
$function$;

-- 0087_budgets.sql
-- Adds what was paid, or returned, to the budgets that there are. The wallets are locked.
CREATE OR REPLACE FUNCTION public.count_budgets(p_users uuid[], p_meters uuid[], p_months date[], p_micros bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from budget where user_id = any(p_users)) then return; end if;
  update budget b set spent_micro = b.spent_micro + s.micro
  from (select meter_id, sum(micro)::bigint as micro from unnest(p_meters, p_micros) s(meter_id, micro) group by 1) s where b.meter_id = s.meter_id;
  insert into budget as b (user_id, month, limit_micro, at_limit, spent_micro, set_at, set_after)
  select s.user_id, s.month, o.limit_micro, o.at_limit, s.micro, o.set_at, o.set_after
  from (select user_id, month, sum(micro)::bigint as micro from unnest(p_users, p_months, p_micros) s(user_id, month, micro) group by 1, 2) s
  cross join lateral (
    select * from budget o where o.user_id = s.user_id and o.meter_id is null and o.month <= s.month order by o.month desc limit 1) o
  where o.limit_micro is not null
  on conflict (user_id, meter_id, month) do update set spent_micro = b.spent_micro + excluded.spent_micro;
end $function$;

-- 0070_places.sql
-- The disk of every instance that is pinned counts, whether it runs or not.
-- Its triggers come after `follow_place` by their names, because that locks cards before the host.
CREATE OR REPLACE FUNCTION public.count_disk()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare v_old bigint; v_new bigint; v_old_gb integer := 0; v_new_gb integer := 0;
begin
  if tg_op = 'UPDATE' and old.status <> 'terminated' then v_old := old.host_id; v_old_gb := old.storage_gb; end if;
  if new.status <> 'terminated' then v_new := new.host_id; v_new_gb := new.storage_gb; end if;
  if v_old = v_new then
    update host set disk_gb_taken = disk_gb_taken + v_new_gb - v_old_gb where id = v_new and v_new_gb <> v_old_gb;
  else
    update host set disk_gb_taken = disk_gb_taken - v_old_gb where id = v_old;
    update host set disk_gb_taken = disk_gb_taken + v_new_gb where id = v_new;
  end if;
  return null;
end $function$;

-- 0046_sums_and_pages.sql
-- Counts the facts of these users that no open transaction can precede any more.
CREATE OR REPLACE FUNCTION public.count_facts(p_users uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into fact_counted (user_id) select id from auth_user where id = any(p_users) order by id on conflict do nothing;
  with held as materialized (
    select *, pg_snapshot_xmin(pg_current_snapshot()) as xmin_now from fact_counted
    where user_id = any(p_users) order by user_id for update skip locked),
  added as (
    insert into fact_count as f (user_id, type, count)
    select e.user_id, e.type, count(*) from held h join event e on e.user_id = h.user_id
    where e.xid >= h.before_xid and e.xid < h.xmin_now group by 1, 2 order by 1, 2
    on conflict (user_id, type) do update set count = f.count + excluded.count)
  update fact_counted c set before_xid = h.xmin_now from held h where c.user_id = h.user_id and h.xmin_now > h.before_xid;
end $function$;

-- 0046_sums_and_pages.sql
-- Adds what is new to the sums of these wallets. Two that do it at once take different wallets.
CREATE OR REPLACE FUNCTION public.count_spending(p_users uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into spending_counted (user_id) select user_id from wallets where user_id = any(p_users) order by user_id
  on conflict do nothing;
  with held as materialized (
    select * from spending_counted where user_id = any(p_users) order by user_id for update skip locked),
  spent as materialized (select h.user_id, s.* from held h, spent_after(h.user_id, h.transfer_id) s),
  used as materialized (select h.user_id, u.* from held h, used_after(h.user_id, h.line_id, h.return_id) u),
  added as (
    insert into spending_month as m (user_id, month, spent_micro, used_ms)
    select user_id, month, sum(spent_micro), sum(used_ms) from (
      select user_id, month, spent_micro, 0 as used_ms from spent where spent_micro <> 0
      union all
      select user_id, month, 0, used_ms from used) s
    group by 1, 2 order by 1, 2
    on conflict (user_id, month) do update
    set spent_micro = m.spent_micro + excluded.spent_micro, used_ms = m.used_ms + excluded.used_ms)
  update spending_counted c set transfer_id = greatest(c.transfer_id, l.transfer_id),
    line_id = greatest(c.line_id, l.line_id), return_id = greatest(c.return_id, l.return_id)
  from (
    select user_id, max(transfer_id) as transfer_id, max(line_id) as line_id, max(return_id) as return_id from (
      select user_id, last_id as transfer_id, null::bigint as line_id, null::bigint as return_id from spent
      union all
      select user_id, null, last_line, last_return from used) s
    group by 1) l
  where c.user_id = l.user_id;
end $function$;

-- 0163_volumes_are_sold.sql
-- The disk of a volume or a snapshot is taken until its row goes: nothing is left of it then.
CREATE OR REPLACE FUNCTION public.count_stored_disk()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare v_old jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end; v_new jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  v_from bigint := (v_old ->> 'host_id')::bigint; v_to bigint := (v_new ->> 'host_id')::bigint; v_from_gb integer; v_to_gb integer;
begin
  if tg_table_name = 'network_volumes' then
    v_from_gb := (v_old ->> 'size_gb')::integer; v_to_gb := (v_new ->> 'size_gb')::integer;
  else
    v_from_gb := snapshot_disk_gb((v_old ->> 'used_bytes')::bigint, (v_old ->> 'size_gb')::integer);
    v_to_gb := snapshot_disk_gb((v_new ->> 'used_bytes')::bigint, (v_new ->> 'size_gb')::integer);
  end if;
  if v_from = v_to then
    update host set disk_gb_taken = disk_gb_taken + v_to_gb - v_from_gb where id = v_to and v_to_gb <> v_from_gb;
  else
    update host set disk_gb_taken = disk_gb_taken - v_from_gb where id = v_from;
    update host set disk_gb_taken = disk_gb_taken + v_to_gb where id = v_to;
  end if;
  return null;
end $function$;

-- 0093_credit.sql
-- What credit pays of what is drawn up to `p_until`: no more than there is, and nothing that is drawn after its end. With
-- `p_now` it is a forecast, which covers next months too.
CREATE OR REPLACE FUNCTION public.credit_covers(p_user_id uuid, p_until timestamp with time zone, p_now timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select least(c.balance_micro, (
      select coalesce(div(sum(drawn(m, e.at, p_now) + case when p_now is not null and m.renews_at <= e.at
        then month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric * (div(ms_of(e.at) - ms_of(m.renews_at), k.renews_ms) + 1) else 0 end), 3600000), 0)
      from meter_now m join meter_kind k on k.id = m.kind where m.user_id = p_user_id and m.is_running))
    from wallets w join ledger_account c on c.id = w.credit_account
    cross join lateral (select least(p_until, w.credit_ends_at) as at) e
    where w.user_id = p_user_id), 0)::bigint
$function$;

-- 0096_credit_is_given.sql
CREATE OR REPLACE FUNCTION public.credit_deposit(p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamp with time zone, p_from20 bytea, p_to20 bytea, p_amount bigint, p_minimum bigint, p_confirmations integer, p_at timestamp with time zone, p_review bigint DEFAULT NULL::bigint, p_credit_ends_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_waiting bigint; v_credited bigint := 0; v_gone boolean; d chain_deposit;
begin
  perform lock_wallet(p_user_id);
  -- Deleting an account takes the same lock first, so this is its last word.
  select deleted_at is not null into strict v_gone from auth_user where id = p_user_id;
  insert into chain_deposit
    (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, held_reason, confirmations)
  values (p_id, p_chain, p_txid, p_log_index, p_user_id, p_block_number, p_block_at, p_from20, p_to20, p_amount, 'held',
    case when v_gone then 'account_deleted' when p_amount > p_review then 'review' else 'below_minimum' end, p_confirmations)
  on conflict (chain, txid, log_index) do update
    set state = 'held', held_reason = excluded.held_reason, block_number = excluded.block_number,
      block_at = excluded.block_at, confirmations = excluded.confirmations
    where chain_deposit.state in ('pending', 'orphaned');
  if v_gone then
    perform request_deposit_refunds(p_user_id);
    return 0;
  end if;
  select coalesce(sum(amount_micro), 0) into v_waiting from chain_deposit
  where user_id = p_user_id and state = 'held' and held_reason = 'below_minimum';
  if v_waiting < p_minimum then return 0; end if;
  perform settle_before(p_user_id, p_at);
  for d in
    select * from chain_deposit
    where user_id = p_user_id and state = 'held' and held_reason = 'below_minimum' order by id
  loop
    perform ledger_post(key_of('deposit:' || d.id), 1, v_account, d.amount_micro, 'deposit', p_user_id, d.id,
      format('Deposit of %s USDT', usd(d.amount_micro)), p_at);
    update chain_deposit set state = 'credited', held_reason = null where id = d.id;
    perform grant_credit(p_user_id, d.id, d.amount_micro, p_credit_ends_at, p_at);
    v_credited := v_credited + d.amount_micro;
  end loop;
  perform settle_arrival(p_user_id, p_at);
  return v_credited;
end $function$;

-- 0093_credit.sql
-- What is left of it at `p_at`, beside what it pays of what has accrued. Nothing after its end.
CREATE OR REPLACE FUNCTION public.credit_left(p_user_id uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select c.balance_micro - credit_covers(p_user_id, p_at, null)
    from wallets w join ledger_account c on c.id = w.credit_account where w.user_id = p_user_id and w.credit_ends_at > p_at), 0)::bigint
$function$;

-- 0036_by_kind.sql
CREATE OR REPLACE FUNCTION public.credit_wallet(p_user_id uuid, p_amount bigint, p_description text, p_idem uuid, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare v_account bigint := get_or_create_wallet(p_user_id); v_result text;
begin
  perform settle_before(p_user_id, p_at);
  v_result := ledger_post(p_idem, 3, v_account, p_amount, 'credit', p_user_id, null, p_description, p_at);
  perform settle_arrival(p_user_id, p_at);
  return v_result;
end $function$;

-- 0193_business.sql
CREATE OR REPLACE FUNCTION public.customers_by_month(p_from date, p_to date)
 RETURNS TABLE(month date, user_id uuid, revenue_micro bigint, gpu_ms bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select * from customer_month where month between p_from and p_to
  union all
  select date_trunc('month', n.day)::date, n.user_id, n.revenue_micro, n.gpu_ms from money_counted c cross join lateral
    usage_between(c.transfer_id, 9223372036854775807, c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
  where date_trunc('month', n.day)::date between p_from and p_to and n.user_id is not null
$function$;

-- 0193_business.sql
-- The day that a movement counts in. Usage bears the time at which it ended, and up to midnight that is the next day's first moment.
CREATE OR REPLACE FUNCTION public.day_of(t ledger_transfer)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select ((t.effective_at - case t.code when 'usage' then interval '1 millisecond' else interval '0' end) at time zone 'UTC')::date
$function$;

-- 0062_cheaper_checks.sql
-- A plain charge of a wallet, for operators and benchmarks: no customer call reaches it. Who has no wallet has no funds.
CREATE OR REPLACE FUNCTION public.debit_wallet(p_user_id uuid, p_amount bigint, p_description text, p_idem uuid, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
AS $function$
  select ledger_post(p_idem, (select account_id from wallets where user_id = p_user_id), 2, p_amount, 'debit', p_user_id, null,
    p_description, p_at)
$function$;

-- 0056_groups_and_large_amounts.sql
-- Plain charges of many wallets in one statement, each once per its key. For operators and benchmarks, as `debit_wallet`.
-- Whoever has no wallet is no account that could pay: that undoes all. Returns how many were new.
CREATE OR REPLACE FUNCTION public.debit_wallets(p_users uuid[], p_amounts bigint[], p_descriptions text[], p_idems uuid[], p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
AS $function$
  select ledger_post_many(array_agg(
    row(d.idem, w.account_id, 2, d.amount, 'debit', d.user_id, null, d.description, p_at)::movement order by d.place))
  from unnest(p_users, p_amounts, p_descriptions, p_idems) with ordinality d(user_id, amount, description, idem, place)
  left join wallets w on w.user_id = d.user_id
$function$;

-- 0095_credit_pays.sql
-- Moves what is paid in advance from credit and wallet to the prepaid account of a new meter: an hour, a term, a month, or nothing
-- where its kind says so. With `p_starts` ten minutes of what runs stay in the wallet, and in a budget of the account that
-- stops.
CREATE OR REPLACE FUNCTION public.deploy_charge(p_user_id uuid, p_meter uuid, p_label text, p_price bigint, p_total bigint, p_paid_until timestamp with time zone, p_description text, p_at timestamp with time zone, p_starts boolean DEFAULT false, p_kind text DEFAULT 'instance'::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_prepaid bigint; v_left bigint; v_reserve bigint := 0;
  v_has_budgets boolean; v_limit bigint; v_credit bigint;
begin
  v_left := lock_wallet(p_user_id) - wallet_owed(p_user_id, p_at) + credit_left(p_user_id, p_at) - p_total;
  if p_starts then v_reserve := start_reserve(p_user_id, p_at); end if;
  if v_left < v_reserve then
    -- Too little even for the charge, or only for what runs beside it.
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = case when v_left < 0 then '' else v_reserve::text end;
  end if;
  v_has_budgets := exists (select from budget where user_id = p_user_id);
  if v_has_budgets then
    select limit_micro, limit_micro - spent_micro into v_limit, v_left from budgets_now(p_user_id, p_at)
    where meter_id is null and at_limit = 'stop';
    if v_left < p_total + v_reserve then
      raise exception 'budget exceeded' using errcode = 'IN403',
        detail = jsonb_build_object('limit', v_limit::text, 'left', greatest(0, v_left)::text, 'charge', p_total::text, 'reserve', v_reserve::text);
    end if;
  end if;
  insert into ledger_account (kind, owner) values ('prepaid', p_meter) returning id into v_prepaid;
  v_credit := use_credit(p_user_id, p_meter, p_total, 'deploy:' || p_meter, p_label || ': paid by credit', p_at);
  insert into meter (id, user_id, kind, prepaid_account, label, price_micro, paid_until, opened_at, credit_micro, month_micro)
  values (p_meter, p_user_id, p_kind, v_prepaid, p_label, p_price, p_paid_until, p_at, v_credit,
    (select nullif(p_total, 0) from meter_kind where id = p_kind and renews_ms is not null));
  if p_total <> 0 or (select is_prepaid from meter_kind where id = p_kind) then
    perform ledger_post(key_of('deploy:' || p_meter), v_account, v_prepaid, p_total, 'deploy', p_user_id, p_meter, p_description, p_at);
  end if;
  if v_has_budgets then
    perform count_budgets(array[p_user_id], array[p_meter], array[budget_month(p_at)], array[p_total]);
    perform note_budgets(array[p_user_id], p_at);
  end if;
  perform refresh_wallet_due(p_user_id, p_at);
end $function$;

-- 0047_lapsed_wallets.sql
-- What running meters of these wallets draw on them at `p_at` beyond what is prepaid for each, in micro-USD × ms: up to
-- the end of a month that was paid. With `p_now` it is a forecast: a machine that is looked at then is taken to run on.
CREATE OR REPLACE FUNCTION public.drawn(m meter_now, p_at timestamp with time zone, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select greatest(0, m.price_micro::numeric
    * billable_ms(m.metered_to, least(p_at, m.renews_at, case when p_now is null or m.horizon < p_now then m.horizon end), m.paid_until)
    + m.behind)
$function$;

-- 0048_cheaper_settling.sql
-- When a meter begins to draw: it did not before its prepaid part was used up.
CREATE OR REPLACE FUNCTION public.draws_from(p_price numeric, p_behind numeric, p_began bigint, p_until bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when p_behind < 0 and p_price > 0 then least(p_began + div(-p_behind, p_price) + 1, p_until)::bigint else p_began end
$function$;

-- 0039_rights.sql
-- Those that are still not credited at the solid head were in blocks that lost. Returns whose they were.
CREATE OR REPLACE FUNCTION public.drop_lost_deposits(p_chain text, p_solid_height bigint)
 RETURNS SETOF uuid
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  update chain_deposit set state = 'orphaned'
  where chain = p_chain and state = 'pending' and block_number <= p_solid_height
  returning user_id
$function$;

-- 0048_cheaper_settling.sql
-- The edges of one meter that draws from `p_from` to `p_stop`, in ms and micro-USD × ms. Those before `p_since` make no
-- difference any more and stand there. What was rounded off before counts from the beginning.
CREATE OR REPLACE FUNCTION public.edges_of(p_price numeric, p_behind numeric, p_began bigint, p_from bigint, p_stop bigint, p_since bigint, p_until bigint)
 RETURNS TABLE(at bigint, slope numeric, shift numeric, short_at bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select greatest(p_from, p_since), p_price, least(p_behind, 0) - p_price * p_began, p_from - (p_behind < 0)::int where p_from < p_stop
  union all
  select p_stop, -p_price, p_price * p_stop, null where p_from < p_stop and p_stop < p_until
  union all
  select 0, 0, p_behind, null where p_behind > 0
$function$;

-- 0095_credit_pays.sql
-- Empties the prepaid account of a meter that is over: the rest goes to wallet and credit, what was used or is kept is earned.
-- Returns what came back. The wallet is locked.
CREATE OR REPLACE FUNCTION public.empty_prepaid(p_meter uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare m meter_now; k meter_kind; v_balance bigint; v_rest bigint; v_money bigint;
begin
  select * into strict m from meter_now where id = p_meter;
  select * into strict k from meter_kind where id = m.kind;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  v_rest := rest_of(m, p_at);
  v_money := money_rest_of(m, p_at);
  if v_balance > v_rest then
    perform ledger_post(key_of('term:' || m.id), m.prepaid_account, 2, v_balance - v_rest, 'term', m.user_id, m.id,
      m.label || ': ' || case when m.paid_until is null then 'not returned' else 'upfront term, time held' end, p_at);
  end if;
  if v_rest > 0 then
    perform ledger_post(key_of('return:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
      v_rest, 'return', m.user_id, m.id, m.label || ': ' || k.return_words, p_at);
    perform return_credit(m.user_id, m.id, v_rest - v_money, 'return:' || m.id, m.label || ': returned to credit', p_at);
    if exists (select from budget where user_id = m.user_id) then
      perform count_budgets(array[m.user_id], array[m.id], array[month_of(p)], array[-v_rest])
      from (select p from ledger_transfer p where p.user_id = m.user_id and p.ref = m.id and p.code in ('deploy', 'renewal') order by p.id desc limit 1) p;
    end if;
  end if;
  update meter set credit_micro = 0 where id = p_meter and credit_micro > 0;
  return v_rest;
end $function$;

-- 0192_safety.sql
-- Ends those of a session, or all whose time is over; says in the audit log what was read. Returns how many.
CREATE OR REPLACE FUNCTION public.end_acting(p_session_id uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$;

-- 0087_budgets.sql
-- Budgets cover what was drawn up to the time of each, and not one millisecond more: what draws on them then ends, but for
-- what is paid by the month. `p_dry` ended at the same time for want of money.
CREATE OR REPLACE FUNCTION public.end_budgets(p_users uuid[], p_meters uuid[], p_lasts timestamp with time zone[], p_dry uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare v_own uuid[]; v_others uuid[]; v_over uuid[];
begin
  if p_users is null then return '{}'; end if;
  select coalesce(array_agg(distinct m.id) filter (where u.meter_id is not null), '{}'), array_agg(distinct m.id) into v_own, v_over
  from unnest(p_users, p_meters, p_lasts) u(user_id, meter_id, last_at)
  join meter_now m on m.user_id = u.user_id and m.is_running and m.metered_to = u.last_at and (u.meter_id is null or m.id = u.meter_id)
  where m.renews_at is null and m.horizon > u.last_at and (m.paid_until is null or m.paid_until <= u.last_at) and m.price_micro + m.behind > 0;
  if exists (select from unnest(p_users) u(user_id) where not exists (select from meter m where m.user_id = u.user_id and m.id = any(v_over || p_dry))) then
    raise exception 'a budget that does not cover % is drawn on by nothing', p_lasts;
  end if;
  v_others := array(select unnest(v_over) except select unnest(v_own));
  -- A month of which nothing was spent yet has its row.
  perform count_budgets(p_users, p_meters, array(select budget_month(last) from unnest(p_lasts) last), array_fill(0::bigint, array[cardinality(p_users)]));
  update budget b set told_percent = 100, reached_at = coalesce(b.reached_at, u.last_at)
  from unnest(p_users, p_meters, p_lasts) u(user_id, meter_id, last_at)
  where b.user_id = u.user_id and b.meter_id is not distinct from u.meter_id
    and (u.meter_id is not null or b.month = budget_month(u.last_at));
  perform stop_meters(v_own, 'budget_reached');
  perform stop_meters(v_others, 'account_budget_reached');
  return v_over;
end $function$;

-- 0035_settlement.sql
-- The wallets cover what was drawn up to the time of each, and not one millisecond more: what draws then ends.
CREATE OR REPLACE FUNCTION public.end_drawing(p_users uuid[], p_lasts timestamp with time zone[])
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0086_terms_and_outages.sql
-- Ends what is over by the time of its wallet: terms that something ends with, and what lapsed and whose days of grace have
-- passed. Returns whose the latter were. What comes back to a wallet is there when the settlement asks what it may revive.
CREATE OR REPLACE FUNCTION public.end_graces(p_users uuid[], p_ats timestamp with time zone[], p_at timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0088_budgets_end.sql
-- What becomes of instances whose meters the ledger ends: the balance ran out, a budget is used up, their term is over, or
-- their account goes. Nothing of an instance is destroyed for lack of money; it can start again after a deposit, or with a
-- larger budget. One that stops already to start again, and ran dry before that, only stops. The machine of a deleted one
-- is destroyed by the loop.
CREATE OR REPLACE FUNCTION public.end_instances(p_ids uuid[], p_times timestamp with time zone[], p_cause text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0035_settlement.sql
-- What lapsed is over: nothing revives it.
CREATE OR REPLACE FUNCTION public.end_lapses(p_meters uuid[], p_cause text)
 RETURNS void
 LANGUAGE sql
AS $function$
  with ended as (
    update meter m set lapsed_at = null from meter n
    where m.id = any(p_meters) and n.id = m.id and n.lapsed_at is not null
    returning m.id, m.user_id, m.kind, n.lapsed_at as at)
  insert into meter_span (meter_id, user_id, kind, what, at, cause) select id, user_id, kind, 'close', at, p_cause from ended order by id
$function$;

-- 0095_credit_pays.sql
-- A look found that the run ended at `p_end`, never before it was last seen. What was not charged up to then is charged,
-- and what was charged beyond it returns to the wallet. Returns the last line, and one with a negative amount for what
-- returned. Nothing when the end of the run is settled already.
CREATE OR REPLACE FUNCTION public.end_meter(p_meter uuid, p_end timestamp with time zone, p_at timestamp with time zone)
 RETURNS SETOF settled_line
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter_now; v_to timestamptz; v_end timestamptz; v_excess numeric; v_back bigint; v_credit bigint; v_id bigint;
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
      -- Of what was paid for that time the money comes back first.
      select greatest(0, v_back - coalesce(sum(amount_micro - prepaid_credit_micro - credit_micro), 0)) into v_credit
      from usage_line where meter_id = m.id and to_at > v_end and from_at < v_to;
      insert into usage_return
        (meter_id, user_id, from_at, to_at, price_micro, amount_micro, remainder_before, remainder_after, credit_micro)
      values (m.id, m.user_id, v_end, v_to, m.price_micro, v_back, m.remainder, v_back * 3600000 - v_excess, v_credit)
      returning id into v_id;
      if v_back > 0 then
        perform ledger_post(key_of('usage_return:' || v_id), 2, (select account_id from wallets where user_id = m.user_id),
          v_back, 'usage_return', m.user_id, m.id, format('%s: usage returned, %s s after its machine %s, at $%s per hour', m.label,
            to_char(extract(epoch from v_to - v_end), 'FM999999990.000'),
            case when v_end > m.last_seen then 'had ended' else 'was last seen' end, usd(m.price_micro)), p_at);
        perform return_credit(m.user_id, m.id, v_credit, 'usage_return:' || v_id, m.label || ': returned to credit', p_at);
        perform count_budgets(array[m.user_id], array[m.id], array[budget_month(p_at)], array[-v_back]);
        return next (m.id, v_end, v_to, -v_back, 0, -v_back, null)::settled_line;
      end if;
      update meter set remainder = v_back * 3600000 - v_excess where id = p_meter;
    end if;
    if v_end < v_to or m.metered_to is not null then
      insert into meter_span (meter_id, user_id, kind, what, at, cause) values (m.id, m.user_id, m.kind, 'close', v_end, 'last_look');
    end if;
  end if;
  update meter set metered_to = null, ended_at = null, renews_at = null where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
end $function$;

-- 0036_by_kind.sql
-- Ends all that an account pays for, before the account itself goes: charged up to `p_at`, what is left of what was
-- prepaid returns, and the nouns are told.
CREATE OR REPLACE FUNCTION public.end_meters(p_user_id uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_meters uuid[]; v_meter uuid;
begin
  perform settle_wallets(array[p_user_id], p_at);
  select array_agg(id order by id) into v_meters from meter where user_id = p_user_id;
  perform stop_meters(v_meters, 'account_deleted');
  perform end_lapses(v_meters, 'account_deleted');
  foreach v_meter in array coalesce(v_meters, '{}') loop perform empty_prepaid(v_meter, p_at); end loop;
  perform tell_kinds(v_meters, array_fill(p_at, array[coalesce(cardinality(v_meters), 0)]), 'account_deleted', p_at);
  perform refresh_wallet_due(p_user_id, p_at);
end $function$;

-- 0172_snapshots_and_growth.sql
-- Those of an account that is deleted are destroyed seven days later, as its screen says. A restore may still read one.
CREATE OR REPLACE FUNCTION public.end_snapshots(p_ids uuid[], p_times timestamp with time zone[], p_cause text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from volume_snapshots where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'lapsed', 'budget_reached', 'account_budget_reached') then
    update volume_snapshots s set lapsed_at = e.time, updated_at = p_at
    from unnest(p_ids, p_times) e(id, time) where s.id = e.id and s.status <> 'deleting';
  elsif p_cause = 'revived' then
    update volume_snapshots set lapsed_at = null, updated_at = p_at where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'grace_over' then
    update volume_snapshots set status = 'deleting', attempts = 0, due_at = p_at, updated_at = p_at where id = any(p_ids);
  elsif p_cause = 'account_deleted' then
    update volume_snapshots set status = 'deleting', attempts = 0, due_at = p_at + interval '7 days', updated_at = p_at
    where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'erased' then
    update volume_snapshots set name = 'deleted', volume_name = 'deleted', status_message = null where id = any(p_ids);
  else
    raise exception 'a snapshot does not know %', p_cause;
  end if;
end $function$;

-- 0191_people.sql
-- A suspension is a ban that has a reason. Whoever sets or lifts the ban by another way, such as the auth service's own
-- call, replaces the suspension by that.
CREATE OR REPLACE FUNCTION public.end_suspension()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from suspension where user_id = new.id;
  return null;
end $function$;

-- 0086_terms_and_outages.sql
-- Closes what ends with its term, which is over at the time of its wallet, and tells of it.
CREATE OR REPLACE FUNCTION public.end_terms(p_users uuid[], p_ats timestamp with time zone[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0163_volumes_are_sold.sql
-- Those of an account that is deleted are destroyed seven days later, as its screen says.
CREATE OR REPLACE FUNCTION public.end_volumes(p_ids uuid[], p_times timestamp with time zone[], p_cause text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from network_volumes where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'lapsed', 'budget_reached', 'account_budget_reached') then
    update network_volumes v set lapsed_at = e.time, due_at = p_at, updated_at = p_at
    from unnest(p_ids, p_times) e(id, time) where v.id = e.id and v.status <> 'deleting';
  elsif p_cause = 'revived' then
    update network_volumes set lapsed_at = null, due_at = p_at, updated_at = p_at where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'grace_over' then
    update network_volumes set status = 'deleting', attempts = 0, due_at = p_at, updated_at = p_at where id = any(p_ids);
  elsif p_cause = 'account_deleted' then
    update network_volumes set status = 'deleting', attempts = 0, due_at = p_at + interval '7 days', updated_at = p_at
    where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'erased' then
    update network_volumes set name = 'deleted', status_message = null where id = any(p_ids);
  else
    raise exception 'a volume does not know %', p_cause;
  end if;
end $function$;

-- 0091_withdrawals.sql
-- Ends one that is not paid, and puts its money back. True where it was not over before. Only an operator ends one that is
-- being sent.
CREATE OR REPLACE FUNCTION public.end_withdrawal(p_id uuid, p_state text, p_reason text, p_words text, p_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare w withdrawal;
begin
  perform lock_wallet((select user_id from withdrawal where id = p_id));
  update withdrawal set state = p_state, reason = p_reason
  where id = p_id and (state = 'waiting' or (state = 'sending' and p_state = 'refused')) returning * into w;
  if not found then return false; end if;
  perform release_funds(w.user_id, 'withdrawal', w.amount_micro, p_words, key_of('withdrawal_back:' || w.id), p_at);
  perform tell_withdrawal(w.id, p_state, p_at);
  return true;
end $function$;

-- 0150_queue.sql
-- Waits, where the wallet covers what it will cost: what a deploy would be refused for now is refused here. `p_total`: of a
-- deploy. Raises IN429 where too many of this user wait.
CREATE OR REPLACE FUNCTION public.enter_queue(p_id uuid, p_instance uuid, p_user_id uuid, p_price bigint, p_total bigint, p_starts boolean, p_budget jsonb, p_micro bigint, p_most integer, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform lock_wallet(p_user_id);
  if (select count(*) from instance_queue where user_id = p_user_id) >= p_most then
    raise exception 'too many wait' using errcode = 'IN429';
  end if;
  if p_total is not null then
    -- Made, and taken back at once.
    begin
      perform deploy_charge(p_user_id, p_instance, 'queued', p_price, p_total, null, 'queued', p_at, p_starts);
      raise exception 'covered' using errcode = 'IN200';
    exception when sqlstate 'IN200' then null;
    end;
  end if;
  if p_micro > 0 then
    perform hold_funds(p_user_id, 'queue', p_micro, 'Set aside while an instance waits for a place', key_of('queue:' || p_id), p_at);
  end if;
  insert into instance_queue (id, instance_id, user_id, total_micro, starts, budget, held_micro, queued_at)
  values (p_id, p_instance, p_user_id, p_total, p_starts, p_budget, p_micro, p_at);
end $function$;

-- 0036_by_kind.sql
-- Takes everything personal out of an account and leaves the row that its transfers name. Tables that would go with the
-- row are emptied of it, and each column of the row that may be empty is, so what is added later is not forgotten.
CREATE OR REPLACE FUNCTION public.erase_user(p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_table record; v_columns text;
begin
  delete from mail where ltrim(recipient, '+') in (
    select value from auth_user u, jsonb_each_text(to_jsonb(u))
    where u.id = p_user_id and key in ('email', 'new_email', 'phone', 'new_phone') and value <> '');
  for v_table in
    select c.conrelid::regclass as name, a.attname as owner
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid = 'auth_user'::regclass and c.confdeltype = 'c' and cardinality(c.conkey) = 1
    order by c.oid
  loop
    execute format('delete from %s where %I = $1', v_table.name, v_table.owner) using p_user_id;
  end loop;
  delete from terminal_ticket where user_id = p_user_id;
  delete from idempotency where caller = p_user_id;
  delete from event where user_id = p_user_id;

  perform tell_kinds(m.meters, m.times, 'erased', now())
  from (select array_agg(id order by id) as meters, array_agg(now() order by id) as times from meter where user_id = p_user_id) m;
  update meter set label = 'deleted' where user_id = p_user_id;
  perform set_config('ingot.erasing', p_user_id::text, true);
  update ledger_transfer t set description = k.noun || ': ' || regexp_replace(t.description, '^.*: ', '', 's')
  from meter m join meter_kind k on k.id = m.kind where t.user_id = p_user_id and m.id = t.ref;
  perform set_config('ingot.erasing', '', true);
  update chain_deposit set held_reason = 'account_deleted' where user_id = p_user_id and state = 'held';
  perform request_deposit_refunds(p_user_id);

  select string_agg(format('%I = null', attname), ', ') into v_columns from pg_attribute
  where attrelid = 'auth_user'::regclass and attnum > 0 and not attisdropped and not attnotnull and attgenerated = '';
  execute format('update auth_user set %s where id = $1', v_columns) using p_user_id;
  update auth_user set deleted_at = now(), banned_until = 'infinity', app_metadata = '{}', user_metadata = '{}', updated_at = now()
  where id = p_user_id;
end $function$;

-- 0194_machines.sql
-- What was gone from `p_from` to `p_to`, for a cause outside of the machines, does not count towards the terms of these
-- meters: they end so much later. Nothing is extended twice for the same time, nor where the term was over when the
-- outage began.
CREATE OR REPLACE FUNCTION public.extend_terms(p_meters uuid[], p_from timestamp with time zone, p_to timestamp with time zone, p_cause text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
        case p_cause when 'host_gone' then 'Its host was gone' when 'maintenance' then 'Its host was maintained' else 'Its machine was lost' end,
        to_char(r.from_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), to_char(r.to_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
        to_char((r.paid_until + (r.to_at - r.from_at)) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))), p_at);
  end loop;
  perform refresh_wallets_due(v_users, p_at);
end $function$;

-- 0046_sums_and_pages.sql
-- A user's facts that were not counted yet, by type.
CREATE OR REPLACE FUNCTION public.facts_after(p_user_id uuid, p_xid xid8)
 RETURNS TABLE(type text, count bigint)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select type, count(*) from event where user_id = p_user_id and xid >= p_xid group by 1
$function$;

-- 0194_machines.sql
-- Finds the free cards of a host again. Its pools and its row are locked.
CREATE OR REPLACE FUNCTION public.find_free_cards(p_host bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into card_pool (host_id, gpu_type, driver, free_cards)
  select h.id, c.gpu_type, h.driver, coalesce(array_agg(c.uuid order by c.uuid) filter (where h.is_there and h.cordoned_at is null and c.is_there and o.uuid is null), '{}')
  from host h join card c on c.host_id = h.id left join card_hold o on o.uuid = c.uuid where h.id = p_host and c.gpu_type is not null group by h.id, c.gpu_type
  on conflict (host_id, gpu_type) do update set free_cards = excluded.free_cards where card_pool.free_cards <> excluded.free_cards;
  update card_pool p set free_cards = '{}' where host_id = p_host and free > 0
    and not exists (select from card c where c.host_id = p_host and c.gpu_type = p.gpu_type);
$function$;

-- 0070_places.sql
-- An instance that runs nothing any more has no place, unless it is paid in advance. One that has stopped and is still to be
-- asked (`due_at`) may run: its driver has not confirmed the stop.
CREATE OR REPLACE FUNCTION public.follow_instance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.status = 'stopped' and new.paid_until > business_now() then
    update allocation set held_until = new.paid_until where instance_id = new.id;
  else
    perform release_place(new.id, case new.status when 'terminated' then 'deleted' else 'stopped' end, new.updated_at);
  end if;
  return null;
end $function$;

-- 0120_ports.sql
-- What it was reached through goes with it.
CREATE OR REPLACE FUNCTION public.forget_ports()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from instance_port where instance_id = new.id;
  return null;
end $function$;

-- 0141_schedules.sql
-- They go with their instance. Whoever deletes one holds its wallet, as whoever carries a schedule out.
CREATE OR REPLACE FUNCTION public.forget_schedules()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from instance_schedule where instance_id = new.id;
  return new;
end $function$;

-- 0101_instance_ssh.sql
-- What it was reached with goes with it.
CREATE OR REPLACE FUNCTION public.forget_ssh_password()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.ssh_password_sealed := null;
  return new;
end $function$;

-- 0003_ledger.sql
-- The wallet and its account, made on demand. Returns the account.
CREATE OR REPLACE FUNCTION public.get_or_create_wallet(p_user_id uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_account bigint;
begin
  select account_id into v_account from wallets where user_id = p_user_id;
  if found then return v_account; end if;
  insert into ledger_account (kind, owner) values ('wallet', p_user_id) on conflict (kind, owner) do nothing;
  select id into strict v_account from ledger_account where kind = 'wallet' and owner = p_user_id;
  insert into wallets (user_id, account_id) values (p_user_id, v_account) on conflict (user_id) do nothing;
  return v_account;
end $function$;

-- 0070_places.sql
-- Whatever removes an allocation gives back what it had. Whoever gives or takes cards locks their pool first, then the host.
CREATE OR REPLACE FUNCTION public.give_up_place()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.cards <> '{}' then perform from card_pool where host_id = old.host_id order by gpu_type for no key update; end if;
  update host set machines_taken = machines_taken - 1, cpu_cores_taken = cpu_cores_taken - old.cpu_cores,
    memory_gb_taken = memory_gb_taken - old.memory_gb,
    is_over = is_over and (machines_taken - 1 > machines or cpu_cores_taken - old.cpu_cores > cpu_cores or memory_gb_taken - old.memory_gb > memory_gb)
  where id = old.host_id;
  if old.cards <> '{}' then
    delete from card_hold where uuid = any(old.cards) and instance_id = old.instance_id;
    perform find_free_cards(old.host_id);
  end if;
  return null;
end $function$;

-- 0036_by_kind.sql
-- As `balanceThresholds.good` in packages/contracts/src/wallet.ts.
CREATE OR REPLACE FUNCTION public.good_balance()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$ select 100000000::bigint $function$;

-- 0040_catalog.sql
-- The GPUs that have a price at `p_at`, on sale or not, with that price.
CREATE OR REPLACE FUNCTION public.gpus_at(p_at timestamp with time zone)
 RETURNS TABLE(name text, is_on_sale boolean, memory_gb integer, vcpus integer, ram_gb integer, hourly_micro bigint, three_months_micro bigint, year_micro bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select g.name, g.is_on_sale, g.memory_gb, g.vcpus, g.ram_gb, p.hourly_micro, p.three_months_micro, p.year_micro
  from gpu_type g cross join lateral (
    select * from gpu_price where gpu_type = g.name and holds_from <= p_at order by holds_from desc limit 1
  ) p order by g.position, g.name
$function$;

-- 0093_credit.sql
-- Once for an account, after a deposit that is large enough, while the operator gives it (`p_ends_at`).
CREATE OR REPLACE FUNCTION public.grant_credit(p_user_id uuid, p_deposit uuid, p_amount bigint, p_ends_at timestamp with time zone, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_account bigint;
begin
  if p_ends_at is null or p_amount < 10000000 then return; end if;
  insert into ledger_account (kind, owner) values ('credit', p_user_id) on conflict (kind, owner) do nothing returning id into v_account;
  if v_account is null then return; end if;
  update wallets set credit_account = v_account, credit_ends_at = date_trunc('milliseconds', p_ends_at) where user_id = p_user_id;
  perform ledger_post(key_of('credit_grant:' || p_user_id), 5, v_account, 10000000, 'credit_grant', p_user_id, p_deposit,
    'Credit for the first deposit', p_at);
  insert into event (user_id, type, data, at)
  values (p_user_id, 'credit.granted', jsonb_build_object('message', format('$10.00 of credit, used before the balance, until %s UTC', to_char(p_ends_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI'))), p_at);
end $function$;

-- 0194_machines.sql
-- Extends the terms of what was on hosts that are back. Less than a minute is no outage: a server that starts has not
-- heard of anybody yet. One server at a time.
CREATE OR REPLACE FUNCTION public.handle_outages(p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare r record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outages that are over', 0)) then return; end if;
  for r in select * from host_outage where to_at is not null and handled_at is null order by id limit 20 loop
    update host_outage set handled_at = p_at where id = r.id;
    continue when r.to_at < r.from_at + interval '1 minute';
    perform extend_terms(array(
      select id from gpu_instances
      where host_id = r.host_id and paid_until > r.from_at and status <> 'terminated' and desired <> 'deleted'),
      r.from_at, r.to_at, case when r.is_maintenance then 'maintenance' else 'host_gone' end, p_at);
  end loop;
end $function$;

-- 0096_credit_is_given.sql
-- Puts part of a wallet aside, and back. For operators; no customer call reaches them.
CREATE OR REPLACE FUNCTION public.hold_funds(p_user_id uuid, p_kind text, p_amount bigint, p_description text, p_idem uuid, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare v_account bigint; v_result text;
begin
  if lock_wallet(p_user_id) - wallet_owed(p_user_id, p_at) < p_amount
    and not exists (select 1 from ledger_transfer where idem = p_idem) then
    raise exception 'insufficient funds' using errcode = 'IN402';
  end if;
  insert into ledger_account (kind, owner) values (p_kind, p_user_id) on conflict (kind, owner) do nothing;
  select id into strict v_account from ledger_account where kind = p_kind and owner = p_user_id;
  v_result := ledger_post(p_idem, (select account_id from wallets where user_id = p_user_id), v_account, p_amount, 'hold',
    p_user_id, null, p_description, p_at);
  perform refresh_wallet_due(p_user_id, p_at);
  return v_result;
end $function$;

-- 0033_kinds_and_looks.sql
-- Beyond it nothing is charged until the machine was looked at again.
CREATE OR REPLACE FUNCTION public.horizon_of(m meter)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(last_seen_of(m) + (select s.grace_ms from look_source s where s.id = m.source) * interval '1 millisecond', 'infinity')
$function$;

-- 0194_machines.sql
-- A host of this driver with room for a disk, the emptiest first, or IN410. Whoever asks then writes the row that takes it.
CREATE OR REPLACE FUNCTION public.host_for_disk(p_driver text, p_gb integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare v_host bigint;
begin
  select h.id into v_host from host h
  where h.driver = p_driver and h.is_there and not h.is_over and h.cordoned_at is null and (h.disk_gb is null or h.disk_gb_taken + p_gb <= h.disk_gb)
    and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
  order by h.disk_gb - h.disk_gb_taken desc nulls first, h.id limit 1 for no key update of h;
  if v_host is null then raise exception 'no host of % has % GB', p_driver, p_gb using errcode = 'IN410', detail = 'disk'; end if;
  return v_host;
end $function$;

-- 0089_invoices.sql
-- The lines of what these movements say, in the order of a bill. What comes back of something that an invoice charged
-- already names it. Charges of one thing at one price in one month are one line. Without names where an account is erased.
CREATE OR REPLACE FUNCTION public.invoice_lines(p_user_id uuid, p_transfers bigint[], p_is_nameless boolean)
 RETURNS SETOF invoice_line
 LANGUAGE sql
 STABLE
AS $function$
  with moved as materialized (
    select t.*, month_of(t) as month, charge_of(t) as charge_id, case when t.to_account = w.account_id then -t.amount_micro else t.amount_micro end as charge
    from wallets w join ledger_transfer t on t.user_id = w.user_id and t.id = any(p_transfers)
    where w.user_id = p_user_id),
  line as (
    select t.id, t.code, t.ref, t.charge, t.month, coalesce(case when p_is_nameless then k.noun else m.label end, t.description) as label,
      case t.code when 'usage' then k.usage_words when 'usage_return' then 'usage returned' when 'debit' then ''
        else regexp_replace(t.description, '^.*: ', '', 's') end as words,
      i.gpu_count || ' × ' || i.gpu_type || ', ' || i.region as detail,
      coalesce(u.from_at, r.from_at, t.effective_at) as from_at,
      coalesce(u.to_at, r.to_at, case t.code when 'renewal' then t.effective_at + k.renews_ms * interval '1 millisecond'
        when 'deploy' then coalesce(m.paid_until, t.effective_at + coalesce(k.renews_ms, 0) * interval '1 millisecond') else t.effective_at end) as to_at,
      coalesce(u.price_micro, r.price_micro) as price_micro,
      invoice_of(p_user_id, t.charge_id) as corrects
    from moved t left join meter m on m.id = t.ref left join meter_kind k on k.id = m.kind
    left join usage_line u on t.code = 'usage' and u.meter_id = t.ref and u.to_at = t.effective_at
    left join usage_return r on t.code = 'usage_return' and r.meter_id = t.ref and key_of('usage_return:' || r.id) = t.idem
    left join gpu_instances i on i.id = m.id)
  select null::uuid, (row_number() over (order by min(from_at), min(id)))::integer, code, ref, min(label), words, min(detail),
    min(from_at), max(to_at), price_micro, sum(charge)::bigint, count(*)::integer, corrects
  from line
  group by code, ref, words, price_micro, corrects, month, case when code not in ('usage', 'usage_return') then id end
$function$;

-- 0089_invoices.sql
-- On which invoice a movement was charged, where it was.
CREATE OR REPLACE FUNCTION public.invoice_of(p_user_id uuid, p_transfer bigint)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  select i.id from ledger_transfer t join invoice_month m on m.user_id = p_user_id and m.month >= month_of(t) and m.transfer_id >= t.id
  left join invoice i on i.user_id = m.user_id and i.month = m.month and i.kind = 'invoice'
  where t.id = p_transfer order by m.month limit 1
$function$;

-- 0172_snapshots_and_growth.sql
CREATE OR REPLACE FUNCTION public.is_invoiced(p_code ledger_code)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select p_code in ('deploy', 'renewal', 'growth', 'usage', 'debit', 'return', 'usage_return')
$function$;

-- 0038_who_did_it.sql
CREATE OR REPLACE FUNCTION public.is_staff_now()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select actor_now() like 'staff:%'
$function$;

-- 0089_invoices.sql
-- The same for many: those of them that nobody holds. Returns whose were looked through.
CREATE OR REPLACE FUNCTION public.issue_due_invoices(p_users uuid[], p_customers bytea[], p_month date, p_at timestamp with time zone, p_prefix text, p_seller jsonb)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_users uuid[]; v_user uuid;
begin
  select array_agg(user_id order by id) into v_users from (
    select w.user_id, a.id from wallets w join ledger_account a on a.id = w.account_id
    where w.user_id = any(p_users) order by a.id for no key update of a skip locked) w;
  foreach v_user in array coalesce(v_users, '{}') loop
    perform issue_invoices(v_user, p_month, p_at, p_prefix, p_seller, p_customers[array_position(p_users, v_user)]);
  end loop;
  return coalesce(v_users, '{}');
end $function$;

-- 0089_invoices.sql
-- Closes the months of a wallet up to `p_month`, each that has something on it with an invoice, a credit note or both.
-- What ran in them and is not charged yet is charged first. What is closed stays closed: called again it does
-- nothing. A month that is not over is refused, unless the account is (`p_is_last`). Returns what was written.
CREATE OR REPLACE FUNCTION public.issue_invoices(p_user_id uuid, p_month date, p_at timestamp with time zone, p_prefix text, p_seller jsonb, p_customer bytea, p_is_last boolean DEFAULT false)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  v_closed date; v_month date; v_last invoice_month; v_transfers bigint[]; v_to bigint; v_open bigint;
  v_lines invoice_line[]; v_kind text; v_serial bigint; v_exact bigint; v_id uuid;
begin
  if not p_is_last and p_at < (p_month + interval '1 month') at time zone 'UTC' then
    raise exception '% is not over', p_month using errcode = 'IN409';
  end if;
  perform lock_wallet(p_user_id);
  if exists (
    select from meter where user_id = p_user_id and is_running and metered_to < (p_month + interval '1 month') at time zone 'UTC') then
    perform settle_wallets(array[p_user_id], p_at);
  end if;
  select month into v_closed from invoicing where user_id = p_user_id for no key update;
  if v_closed is null or v_closed >= p_month then return; end if;
  select max(id) into v_to from ledger_transfer where user_id = p_user_id;

  for v_month in
    select distinct n.month from not_invoiced(p_user_id) n where n.month <= p_month and is_invoiced(n.code) order by 1
  loop
    v_last := null;
    select * into v_last from invoice_month where user_id = p_user_id order by month desc limit 1;
    select array_agg(n.transfer_id) filter (where is_invoiced(n.code) and n.month <= v_month),
      coalesce(min(n.transfer_id) filter (where n.month > v_month), v_to + 1)
    into v_transfers, v_open from not_invoiced(p_user_id) n;
    select array_agg(l order by l.place) into v_lines from invoice_lines(p_user_id, v_transfers, p_is_last) l;

    insert into invoice_month
    select p_user_id, v_month, v_to, v_open, coalesce(v_last.closing_micro, 0), paid_in, charged, other,
      coalesce(v_last.closing_micro, 0) + paid_in - charged + other
    from (
      select coalesce(sum(n.change_micro) filter (where n.code = 'deposit'), 0)::bigint as paid_in,
        coalesce(-sum(n.change_micro) filter (where is_invoiced(n.code)), 0)::bigint as charged,
        coalesce(sum(n.change_micro) filter (where n.code <> 'deposit' and not is_invoiced(n.code)), 0)::bigint as other
      from not_invoiced(p_user_id) n where n.month <= v_month) s;

    foreach v_kind in array array['invoice', 'credit_note'] loop
      select sum(l.amount_micro)::bigint into v_exact from unnest(v_lines) l where (l.corrects is not null) = (v_kind = 'credit_note');
      continue when v_exact is null;
      v_id := key_of('invoice:' || p_user_id || ':' || v_month || ':' || v_kind);
      update invoice_counter set last_serial = last_serial + 1 returning last_serial into v_serial;
      insert into invoice (id, serial, number, user_id, month, kind, exact_micro, total_micro, tax_micro, seller, customer_sealed, issued_at)
      values (v_id, v_serial, p_prefix || '-' || to_char(p_at at time zone 'UTC', 'YYYY') || '-' || lpad(v_serial::text, greatest(6, length(v_serial::text)), '0'),
        p_user_id, v_month, v_kind, v_exact, to_cent(v_exact), tax_in(to_cent(v_exact), coalesce((p_seller->>'tax_rate')::integer, 0)),
        p_seller, p_customer, p_at);
      insert into invoice_line
      select v_id, row_number() over (order by l.place), l.code, l.meter_id, l.label, l.words, l.detail, l.from_at, l.to_at,
        l.price_micro, l.amount_micro, l.movements, l.corrects
      from unnest(v_lines) l where (l.corrects is not null) = (v_kind = 'credit_note');
      return next v_id;
    end loop;
  end loop;
  update invoicing set month = p_month, transfer_id = coalesce(v_to, 0) where user_id = p_user_id;
end $function$;

-- 0040_catalog.sql
-- Pages and forms begin with a GPU: selling nothing is said by the regions.
CREATE OR REPLACE FUNCTION public.keep_gpu_on_sale()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from gpus_at(business_now()) where is_on_sale) then
    raise exception 'one GPU with a price stays on sale; to sell nothing, take the regions off sale';
  end if;
  return null;
end $function$;

-- 0070_places.sql
CREATE OR REPLACE FUNCTION public.keep_placement(p_instance uuid, p_outcome text, p_reason text, p_at timestamp with time zone, p_host bigint, p_cards text[], p_message text DEFAULT NULL::text, p_waited_ms integer DEFAULT 0)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into placement (instance_id, at, outcome, reason, message, waited_ms, host_id, cards)
  values (p_instance, p_at, p_outcome, p_reason, left(p_message, 500), p_waited_ms, p_host, p_cards);
  delete from placement where instance_id = p_instance
    and id <= (select id from placement where instance_id = p_instance order by id desc offset 100 limit 1);
$function$;

-- 0003_ledger.sql
-- An idempotency key from words: the same words, the same key (a UUID of version 8 over MD5).
CREATE OR REPLACE FUNCTION public.key_of(p_words text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select overlay(overlay(md5(p_words) placing '8' from 13 for 1) placing '8' from 17 for 1)::uuid
$function$;

-- 0049_facts_of_kinds.sql
-- The types of facts that kinds of meter have: the activity log shows them, and they are kept. `p_type`: that one alone;
-- `p_subject`: those about it.
CREATE OR REPLACE FUNCTION public.kind_events(p_type text DEFAULT NULL::text, p_subject text DEFAULT NULL::text)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(array_agg(distinct type order by type), '{}')
  from meter_kind k cross join unnest(array[k.charged_event, k.closed_event, k.lapsed_event, k.renewed_event, k.revived_event]) type
  where type is not null and (p_type is null or type = p_type) and (p_subject is null or split_part(type, '.', 1) = p_subject)
$function$;

-- 0093_credit.sql
-- Credit that was not used until its end is no more, and what comes back after it neither. The wallets are locked.
CREATE OR REPLACE FUNCTION public.lapse_credits(p_users uuid[], p_ats timestamp with time zone[])
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare r record; v_users uuid[] := '{}';
begin
  for r in
    select w.user_id, w.credit_account, c.balance_micro, u.at,
      (select max(id) from ledger_transfer where user_id = w.user_id and to_account = w.credit_account) as last_id
    from unnest(p_users, p_ats) u(user_id, at) join wallets w on w.user_id = u.user_id and w.credit_ends_at <= u.at
    join ledger_account c on c.id = w.credit_account where c.balance_micro > 0 order by w.user_id
  loop
    perform ledger_post(key_of('credit_lapse:' || r.last_id), r.credit_account, 5, r.balance_micro, 'credit_lapse', r.user_id, null,
      'Credit: its time is over', r.at);
    insert into event (user_id, type, data, at) values (r.user_id, 'credit.lapsed', jsonb_build_object('message', format('$%s of credit was not used until its end', amount_text(r.balance_micro))), r.at);
    v_users := v_users || r.user_id;
  end loop;
  return v_users;
end $function$;

-- 0033_kinds_and_looks.sql
-- The last look that found the run, by name or by its source.
CREATE OR REPLACE FUNCTION public.last_seen_of(m meter)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select case when m.is_missed then m.seen_at
    else greatest(m.seen_at, (select s.observed_at from look_source s where s.id = m.source)) end
$function$;

-- 0199_spent_lately.sql
-- No movement that took effect before the end of a day (UTC) has a greater number.
CREATE OR REPLACE FUNCTION public.last_transfer_of(p_day date)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select greatest((select max(last_id) from money_day where day <= p_day), (
    select max(t.id) from money_counted c join ledger_transfer t on t.id > c.transfer_id and day_of(t) <= p_day))
$function$;

-- 0199_spent_lately.sql
CREATE OR REPLACE FUNCTION public.lately_behind(p_from date)
 RETURNS TABLE(user_id uuid, revenue_micro bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select user_id, sum(revenue_micro)::bigint from (
    select d.user_id, -d.revenue_micro as revenue_micro from money_counted c join customer_day d on d.day >= c.lately_from and d.day < p_from
    union all
    select n.user_id, n.revenue_micro from money_counted c cross join lateral
      usage_between(c.transfer_id, 9223372036854775807, c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
    where n.day >= p_from and n.user_id is not null) s
  group by user_id
$function$;

-- 0150_queue.sql
-- Waits no longer: what was set aside is back. Returns how much; null where it did not wait.
CREATE OR REPLACE FUNCTION public.leave_queue(p_instance uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare q instance_queue;
begin
  perform lock_wallet((select user_id from instance_queue where instance_id = p_instance));
  delete from instance_queue where instance_id = p_instance returning * into q;
  if not found then return null; end if;
  if q.held_micro > 0 then
    perform release_funds(q.user_id, 'queue', q.held_micro, 'Back: an instance left the queue', key_of('queue_back:' || q.id), p_at);
  end if;
  return q.held_micro;
end $function$;

-- 0048_cheaper_settling.sql
-- Appends movements in their order, each with the balances that it leaves. The live accounts are locked, the keys are
-- new, and no account falls below zero: its own check says so.
CREATE OR REPLACE FUNCTION public.ledger_append(p_movements movement[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if cardinality(p_movements) is null then return; end if;
  with move as materialized (
    select * from unnest(p_movements)
      with ordinality m(idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at, place)),
  side as (
    select *, from_account as account, -amount_micro as change, true as is_from from move
    union all
    select *, to_account, amount_micro, false from move),
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
end $function$;

-- 0045_debits.sql
-- Moves money, once per `p_idem`: 'posted', or 'replayed' when the same movement was posted before. The same key for
-- another movement raises IN409; too little in the paying account raises IN402. Raising undoes the caller's transaction.
-- A balance is locked and changed by one statement, since a movement is new nearly always; a replay changes it back.
CREATE OR REPLACE FUNCTION public.ledger_post(p_idem uuid, p_from bigint, p_to bigint, p_amount bigint, p_code text, p_user uuid, p_ref uuid, p_description text, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_from bigint; v_to bigint; v_old ledger_transfer;
begin
  -- System accounts (below 100) carry no balance and are never locked. Live ones are locked in id order.
  if p_from >= 100 and p_to >= 100 then
    perform 1 from ledger_account where id in (p_from, p_to) order by id for no key update;
  end if;
  if p_from >= 100 then
    update ledger_account set balance_micro = balance_micro - p_amount
    where id = p_from and balance_micro >= p_amount returning balance_micro into v_from;
  end if;

  if v_from is not null or p_from < 100 then
    if p_to >= 100 then
      update ledger_account set balance_micro = balance_micro + p_amount where id = p_to
      returning balance_micro into strict v_to;
    end if;
    insert into ledger_transfer
      (idem, from_account, to_account, amount_micro, code, user_id, ref, description, from_after_micro, to_after_micro, effective_at)
    values (p_idem, p_from, p_to, p_amount, p_code, p_user, p_ref, p_description, v_from, v_to, p_at)
    on conflict (idem) do nothing;
    if found then return 'posted'; end if;
    if v_from is not null then update ledger_account set balance_micro = v_from + p_amount where id = p_from; end if;
    if v_to is not null then update ledger_account set balance_micro = v_to - p_amount where id = p_to; end if;
  end if;

  select * into v_old from ledger_transfer where idem = p_idem;
  if not found then raise exception 'insufficient funds' using errcode = 'IN402'; end if;
  if (v_old.from_account, v_old.to_account, v_old.amount_micro) is distinct from (p_from, p_to, p_amount) then
    raise exception 'transfer key % was used for another movement', p_idem using errcode = 'IN409';
  end if;
  return 'replayed';
end $function$;

-- 0056_groups_and_large_amounts.sql
-- Moves money many times in one statement, each movement once per key: what was posted before is left out, the same key
-- for another movement, posted or in this group, raises IN409, too little in a paying account raises IN402. Raising undoes
-- all. Returns how many were new.
CREATE OR REPLACE FUNCTION public.ledger_post_many(p_movements movement[])
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare v_new movement[]; v_used uuid; v_table text;
begin
  perform 1 from ledger_account where id in (
    select unnest(array[from_account, to_account]) from unnest(p_movements)) and id >= 100
  order by id for no key update;
  select idem into v_used from (
    select idem, from_account, to_account, amount_micro from unnest(p_movements)
    union
    select t.idem, t.from_account, t.to_account, t.amount_micro from unnest(p_movements) m join ledger_transfer t on t.idem = m.idem) each
  group by idem having count(*) > 1 limit 1;
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
  get stacked diagnostics v_table = table_name;
  if v_table <> 'ledger_account' then raise; end if;
  raise exception 'insufficient funds' using errcode = 'IN402';
end $function$;

-- 0048_cheaper_settling.sql
-- Whole micro-USD that are left of what is prepaid, of where a meter stands (`behind` and what it used since).
CREATE OR REPLACE FUNCTION public.left_of(p_stands numeric)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select div(greatest(0, -p_stands) + 3599999, 3600000)::bigint
$function$;

-- 0083_review.sql
-- The deposit that is to be decided about, under the lock of its wallet: who decides at the same time waits for it here.
CREATE OR REPLACE FUNCTION public.lock_deposit(p_id uuid)
 RETURNS chain_deposit
 LANGUAGE plpgsql
AS $function$
declare d chain_deposit;
begin
  select * into d from chain_deposit where id = p_id;
  if not found then raise exception 'there is no deposit %', p_id using errcode = 'IN404'; end if;
  perform lock_wallet(d.user_id);
  select * into d from chain_deposit where id = p_id for no key update;
  return d;
end $function$;

-- 0194_machines.sql
-- Whoever cordons a host or opens it locks its pools, then its row, as all that give or take cards do.
CREATE OR REPLACE FUNCTION public.lock_host(p_host bigint)
 RETURNS SETOF host
 LANGUAGE plpgsql
AS $function$
begin
  perform from card_pool where host_id = p_host order by gpu_type for no key update;
  return query select * from host where id = p_host for no key update;
end $function$;

-- 0003_ledger.sql
-- Takes the wallet's lock, the first lock of every movement (before the instance's row), and returns its balance.
CREATE OR REPLACE FUNCTION public.lock_wallet(p_user_id uuid)
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select a.balance_micro from ledger_account a
  where a.id = (select account_id from wallets where user_id = p_user_id) for no key update
$function$;

-- 0172_snapshots_and_growth.sql
-- Less is stored than was paid for: its month, which has not begun, costs so much, and the difference returns. How much.
CREATE OR REPLACE FUNCTION public.lower_month(p_meter uuid, p_month bigint, p_price bigint, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter; v_back bigint; v_credit bigint;
begin
  select * into strict m from meter where id = p_meter;
  perform lock_wallet(m.user_id);
  select * into strict m from meter where id = p_meter;
  if exists (select from meter_span where meter_id = p_meter) then raise exception 'the month of meter % has begun', p_meter; end if;
  v_back := m.month_micro - p_month;
  if v_back <= 0 then return 0; end if;
  select greatest(0, m.credit_micro - (a.balance_micro - v_back)) into v_credit from ledger_account a where a.id = m.prepaid_account;
  perform ledger_post(key_of('lower_month:' || m.id || ':' || p_month), m.prepaid_account, (select account_id from wallets where user_id = m.user_id), v_back, 'return',
    m.user_id, m.id, m.label || ': less is stored than was paid for', p_at);
  perform return_credit(m.user_id, m.id, v_credit, 'lowered:' || (select id from ledger_transfer where idem = key_of('lower_month:' || m.id || ':' || p_month)),
    m.label || ': returned to credit', p_at);
  perform count_budgets(array[m.user_id], array[m.id], array[budget_month(m.opened_at)], array[-v_back]);
  update meter set month_micro = p_month, price_micro = p_price, credit_micro = credit_micro - v_credit where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
  return v_back;
end $function$;

-- 0002_auth.sql
-- Every account has a profile from its first moment on.
CREATE OR REPLACE FUNCTION public.make_profile()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into profiles (user_id, first_name, last_name)
  values (new.id, left(coalesce(new.user_metadata->>'first_name', ''), 120), left(coalesce(new.user_metadata->>'last_name', ''), 120));
  return new;
end $function$;

-- 0056_groups_and_large_amounts.sql
-- The last millisecond at which the line does not exceed `p_most`; null when it never does. No time is later than
-- a bigint.
CREATE OR REPLACE FUNCTION public.meets(p_edges edge[], p_most numeric)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select min(case
    when drawn > p_most then short_at
    when slope > 0 and (next is null or at + div(p_most - drawn, slope) < next)
      then least(at + div(p_most - drawn, slope), 9223372036854775807) end)::bigint
  from (
    select at, short_at, lead(at) over upto as next, sum(slope) over upto as slope, sum(shift) over upto + sum(slope) over upto * at as drawn
    from unnest(p_edges) window upto as (order by at)) piece
$function$;

-- 0199_spent_lately.sql
CREATE OR REPLACE FUNCTION public.money_between(p_after bigint, p_to bigint)
 RETURNS TABLE(day date, code ledger_code, from_kind text, to_kind text, amount_micro bigint, movements bigint, last_id bigint)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select day_of(t), t.code, f.kind, o.kind, sum(t.amount_micro)::bigint, count(*), max(t.id)
  from ledger_transfer t
  cross join lateral (select kind from ledger_account where id = t.from_account limit 1) f
  cross join lateral (select kind from ledger_account where id = t.to_account limit 1) o
  where t.id > p_after and t.id <= p_to group by 1, 2, 3, 4
$function$;

-- 0199_spent_lately.sql
CREATE OR REPLACE FUNCTION public.money_by_day()
 RETURNS TABLE(day date, code ledger_code, from_kind text, to_kind text, amount_micro bigint, movements bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select day, code, from_kind, to_kind, amount_micro, movements from money_day
  union all
  select n.day, n.code, n.from_kind, n.to_kind, n.amount_micro, n.movements from money_counted c cross join lateral money_between(c.transfer_id, 9223372036854775807) n
$function$;

-- 0093_credit.sql
-- What comes back of a prepaid account as money: the rest less its credit.
CREATE OR REPLACE FUNCTION public.money_rest_of(m meter_now, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select r.micro - greatest(0, m.credit_micro - (a.balance_micro - r.micro))
  from ledger_account a cross join lateral (select rest_of(m, p_at) as micro offset 0) r where a.id = m.prepaid_account
$function$;

-- 0161_months.sql
-- What a month of a meter costs: as it was agreed, else its hours. Null for what is not paid by the month.
CREATE OR REPLACE FUNCTION public.month_cost(p_month bigint, p_price bigint, p_renews_ms bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when p_renews_ms is not null then coalesce(p_month, cost_micro(p_price, p_renews_ms, 0)) end
$function$;

-- 0087_budgets.sql
-- The first moment of the next month.
CREATE OR REPLACE FUNCTION public.month_end(p_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (date_trunc('month', p_at at time zone 'UTC') + interval '1 month') at time zone 'UTC'
$function$;

-- 0060_months_of_usage.sql
-- The month (UTC) that a movement counts in. Usage bears the time at which it ended, and up to the end of a month that is
-- the first moment of the next.
CREATE OR REPLACE FUNCTION public.month_of(t ledger_transfer)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select date_trunc('month', (t.effective_at - case t.code when 'usage' then interval '1 millisecond' else interval '0' end)
    at time zone 'UTC')::date
$function$;

-- 0048_cheaper_settling.sql
-- The months in advance of a meter, no more of them than the limit could cover for all meters together.
CREATE OR REPLACE FUNCTION public.months_of(p_month numeric, p_renews bigint, p_renews_ms bigint, p_until bigint, p_all_months numeric, p_most numeric)
 RETURNS TABLE(at bigint, slope numeric, shift numeric, short_at bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select n, 0::numeric, p_month, n - 1
  from generate_series(p_renews, least(p_until, p_renews + (div(p_most, nullif(p_all_months, 0)) + 1)::bigint * p_renews_ms), p_renews_ms) n
$function$;

-- 0048_cheaper_settling.sql
-- The most that a wallet covers: a limit is a row, an account and what it holds. What is rounded off is rounded once.
CREATE OR REPLACE FUNCTION public.most_of(p_balance bigint)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select p_balance * 3600000::numeric + 3599999
$function$;

-- 0048_cheaper_settling.sql
CREATE OR REPLACE FUNCTION public.ms_of(p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select round(date_part('epoch', p_at) * 1000)::bigint
$function$;

-- 0038_who_did_it.sql
-- The names of an object without its values.
CREATE OR REPLACE FUNCTION public.names_alone(p_values jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(jsonb_object_agg(name, null::text), '{}') from jsonb_object_keys(p_values) name
$function$;

-- 0101_instance_ssh.sql
-- Eight letters and digits that nobody mixes up, the first one a letter.
CREATE OR REPLACE FUNCTION public.new_ssh_user()
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare v_bytes bytea; v_name text;
begin
  loop
    v_bytes := sha256(uuid_send(gen_random_uuid()));
    v_name := substr('abcdefghijkmnpqrstuvwxyz', 1 + get_byte(v_bytes, 0) % 24, 1);
    for i in 1..7 loop
      v_name := v_name || substr('abcdefghijkmnpqrstuvwxyz23456789', 1 + get_byte(v_bytes, i) % 32, 1);
    end loop;
    exit when not exists (select from gpu_instances where ssh_user = v_name);
  end loop;
  return v_name;
end $function$;

-- 0046_sums_and_pages.sql
-- The next users with something new in a table, looking through `p_rows` of its rows; null when there is nothing, or
-- another process is at it.
CREATE OR REPLACE FUNCTION public.next_to_count(p_source text, p_rows integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
AS $function$
declare v_from bigint; v_to bigint; v_users uuid[];
begin
  select seen_id into v_from from roll_up where source = p_source for update skip locked;
  if not found then return null; end if;
  select max(id), array_agg(distinct user_id) into v_to, v_users from (
    (select id, user_id from ledger_transfer where p_source = 'ledger_transfer' and id > v_from order by id limit p_rows)
    union all
    (select id, user_id from usage_line where p_source = 'usage_line' and id > v_from order by id limit p_rows)
    union all
    (select id, user_id from event where p_source = 'event' and id > v_from order by id limit p_rows)) s;
  if v_to is null then return null; end if;
  update roll_up set seen_id = v_to where source = p_source;
  return v_users;
end $function$;

-- 0089_invoices.sql
-- Movements of a wallet that are on no invoice yet, and the month that each will be in.
CREATE OR REPLACE FUNCTION public.not_invoiced(p_user_id uuid)
 RETURNS TABLE(month date, transfer_id bigint, code ledger_code, change_micro bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select greatest(month_of(t), (i.month + interval '1 month')::date), t.id, t.code,
    case when t.to_account = w.account_id then t.amount_micro else -t.amount_micro end
  from wallets w join invoicing i on i.user_id = w.user_id
  left join lateral (
    select m.* from invoice_month m where m.user_id = w.user_id order by m.month desc limit 1) last on true
  join ledger_transfer t on t.user_id = w.user_id and t.id >= coalesce(last.open_from, 0)
    and w.account_id in (t.from_account, t.to_account)
  where w.user_id = p_user_id and (last.month is null or t.id > last.transfer_id or month_of(t) > last.month)
$function$;

-- 0192_safety.sql
-- Counts one call that reads as that customer. False where the session may not: its time is over, the customer has
-- become staff, or their account has ended.
CREATE OR REPLACE FUNCTION public.note_acting_read(p_session_id uuid, p_admin_id uuid, p_user_id uuid, p_operation text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform from acting a join auth_user u on u.id = a.user_id
  where a.session_id = p_session_id and a.admin_id = p_admin_id and a.user_id = p_user_id and a.until > now()
    and u.deleted_at is null and not exists (select from user_roles r where r.user_id = a.user_id)
  for key share of a;
  if not found then return false; end if;
  insert into acting_read as r (session_id, operation, count) values (p_session_id, p_operation, 1)
  on conflict (session_id, operation) do update set count = r.count + 1;
  return true;
end $function$;

-- 0096_credit_is_given.sql
-- Looks at wallets that something draws on, or soon will: told is the fall below `good_balance`, once, until the balance
-- has risen; a day apart from any other warning, so it may wait for the next look. One that does not last a day is told by
-- `note_runways` alone. The wallets are locked.
CREATE OR REPLACE FUNCTION public.note_balances(p_users uuid[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_users uuid[]; v_balances bigint[];
begin
  perform plan_once();
  with changed as materialized (
    select w.user_id, n.balance, n.balance >= good_balance() as is_good
    from unnest(p_users) u(user_id) join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
    left join balance_watch b on b.user_id = w.user_id
    cross join lateral (
      select sum(m.price_micro * 24
        + case when m.renews_at < p_at + interval '24 hours' then coalesce(month_cost(m.month_micro, m.price_micro, k.renews_ms), 0) else 0 end) as micro
      from meter m join meter_kind k on k.id = m.kind
      where m.user_id = w.user_id and m.is_running and (m.paid_until is null or m.paid_until < p_at + interval '24 hours')) day
    cross join lateral (select a.balance_micro - wallet_owed(w.user_id, p_at) as balance offset 0) n
    where day.micro > 0 and (a.balance_micro >= good_balance()) <> coalesce(b.was_good, false)
      and (n.balance >= good_balance() or n.balance > day.micro and not was_warned(w.user_id, 'mail'))),
  watched as (
    insert into balance_watch as b (user_id, was_good) select user_id, is_good from changed
    on conflict (user_id) do update set was_good = excluded.was_good where b.was_good <> excluded.was_good
    returning user_id)
  select array_agg(c.user_id), array_agg(c.balance) into v_users, v_balances
  from changed c join watched w on w.user_id = c.user_id where not c.is_good;
  perform queue_notice(user_id, 'balance_low', 'mail', jsonb_build_object('at', p_at, 'balance', usd(balance)))
  from unnest(v_users, v_balances) low(user_id, balance);
end $function$;

-- 0087_budgets.sql
-- Tells which of 50, 80 and 100 % of their budgets users have used, each once: of this month, and of the one before it.
CREATE OR REPLACE FUNCTION public.note_budgets(p_users uuid[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare r record;
begin
  for r in
    select b.user_id, b.meter_id, b.month, n.percent, jsonb_build_object('at', p_at, 'percent', n.percent, 'limit', usd(b.limit_micro),
      'stops', b.at_limit = 'stop', 'name', m.label, 'month', to_char(b.month, 'YYYY-MM')) as item
    from budget b left join meter m on m.id = b.meter_id
    cross join lateral (
      select b.spent_micro + coalesce(div(sum(drawn(n, p_at)), 3600000), 0) as micro from meter_now n
      where n.user_id = b.user_id and n.is_running and n.renews_at is null and (n.id = b.meter_id or b.month = budget_month(p_at))) spent
    cross join lateral (
      select max(percent) as percent from unnest(array[50, 80, 100]) percent
      where percent > b.told_percent and spent.micro >= share_of(b.limit_micro, percent)) n
    where b.user_id = any(p_users) and (b.month is null or b.month >= budget_month(p_at) - interval '1 month') and n.percent is not null
    order by b.user_id, b.meter_id, b.month
  loop
    perform queue_notice(r.user_id, 'budget_used', channel, r.item) from unnest(array['mail', 'sms']) channel;
    update budget set told_percent = r.percent, reached_at = case r.percent when 100 then coalesce(reached_at, p_at) else reached_at end
    where user_id = r.user_id and meter_id is not distinct from r.meter_id and month is not distinct from r.month;
  end loop;
end $function$;

-- 0084_lag_and_sweeps.sql
CREATE OR REPLACE FUNCTION public.note_chain_balance(p_chain text, p_address20 bytea, p_block_number bigint, p_held bigint)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  insert into chain_balance (chain, address20, block_number, held_micro, checked_at)
  values (p_chain, p_address20, p_block_number, p_held, now())
  on conflict (chain, address20) do update
    set block_number = excluded.block_number, held_micro = excluded.held_micro, checked_at = excluded.checked_at
$function$;

-- 0086_terms_and_outages.sql
-- Tells on the days 1, 3 and 6 of a grace how long it lasts, each once, and only the last of them where several are due.
-- One server at a time.
CREATE OR REPLACE FUNCTION public.note_graces(p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare r record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('graces that end', 0)) then return; end if;
  for r in
    select m.id, m.user_id, m.label, k.noun, m.lapsed_at, m.lapsed_at + k.grace_days * interval '1 day' as ends_at, d.day,
      month_cost(m.month_micro, m.price_micro, k.renews_ms) as month
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
end $function$;

-- 0140_idleness.sql
-- What somebody can still prevent does not wait with others of its kind: a mail goes once a minute at most, a text, which
-- costs money, once a quarter of an hour.
CREATE OR REPLACE FUNCTION public.note_idle_soon(p_user_id uuid, p_item jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into notice as n (user_id, kind, channel, items, queued_at, due_at)
  select p_user_id, 'idle_soon', channel, jsonb_build_array(p_item), now(), now() from unnest(array['mail', 'sms']) channel order by channel
  on conflict (user_id, kind, channel) do update set queued_at = now(),
    items = case when jsonb_array_length(n.items) < 20 then n.items || excluded.items else n.items end,
    due_at = coalesce(n.due_at, greatest(now(), n.sent_at + case n.channel when 'mail' then interval '1 minute' else interval '15 minutes' end))
$function$;

-- 0071_placing.sql
-- What a driver tells of its hosts, all of them: one that it leaves out is not placed on until it names it again. What is
-- taken stays taken. A card that another host has is left there. At rest this writes one row. `p_hosts`: [{name, machines,
-- cpu_cores, memory_gb, disk_gb, cards: null | [{uuid, model, memory_bytes}]}].
CREATE OR REPLACE FUNCTION public.note_inventory(p_driver text, p_hosts jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_changed bigint[]; v_host bigint; v_name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('inventory of ' || p_driver, 0));
  for v_name in
    select h ->> 'name' from jsonb_array_elements(p_hosts) h except select name from host where driver = p_driver order by 1
  loop
    insert into host (driver, name, is_there, machines, cpu_cores, memory_gb, has_cards)
    values (p_driver, v_name, false, 2147483647, 2147483647, 2147483647, false) returning id into v_host;
    if jsonb_array_length(p_hosts) = 1 and not exists (select from host where driver = p_driver and id <> v_host) then
      perform adopt_instances(p_driver, v_host);
    end if;
  end loop;
  with told as (select * from cards_told(p_hosts))
  select array_agg(h.id order by h.id) into v_changed
  from host h left join jsonb_array_elements(p_hosts) t on t ->> 'name' = h.name
  where h.driver = p_driver and (
    h.is_there <> (t is not null)
    or t is not null and (h.machines, h.cpu_cores, h.memory_gb, h.disk_gb, h.has_cards) is distinct from
      ((t ->> 'machines')::integer, (t ->> 'cpu_cores')::integer, (t ->> 'memory_gb')::integer, (t ->> 'disk_gb')::integer, jsonb_typeof(t -> 'cards') = 'array')
    or exists (select from card c where c.host_id = h.id and c.is_there
      and not exists (select from told where told.host = h.name and told.uuid = c.uuid))
    or exists (select from told left join card c on c.uuid = told.uuid where told.host = h.name
      and (c.uuid is null or case when c.host_id = h.id
        then not c.is_there or (c.model, c.memory_bytes, c.gpu_type) is distinct from (told.model, told.memory_bytes, told.gpu_type)
        else not c.is_there and not exists (select from card_hold o where o.uuid = c.uuid) end)));
  if v_changed is not null then
    perform from card_pool where host_id = any(v_changed) order by host_id, gpu_type for no key update;
    perform from host where id = any(v_changed) order by id for no key update;
    update host h set is_there = true, machines = (t ->> 'machines')::integer, cpu_cores = (t ->> 'cpu_cores')::integer,
      memory_gb = (t ->> 'memory_gb')::integer, disk_gb = (t ->> 'disk_gb')::integer, has_cards = jsonb_typeof(t -> 'cards') = 'array',
      is_over = machines_taken > (t ->> 'machines')::integer or cpu_cores_taken > (t ->> 'cpu_cores')::integer or memory_gb_taken > (t ->> 'memory_gb')::integer
    from jsonb_array_elements(p_hosts) t where h.id = any(v_changed) and t ->> 'name' = h.name;
    update host h set is_there = false where h.id = any(v_changed) and h.is_there
      and not exists (select from jsonb_array_elements(p_hosts) t where t ->> 'name' = h.name);
    insert into card as c (uuid, host_id, model, memory_bytes, gpu_type)
    select told.uuid, h.id, told.model, told.memory_bytes, told.gpu_type
    from cards_told(p_hosts) told join host h on h.driver = p_driver and h.name = told.host where h.id = any(v_changed)
    on conflict (uuid) do update set host_id = excluded.host_id, model = excluded.model, memory_bytes = excluded.memory_bytes,
      gpu_type = excluded.gpu_type, is_there = true
    where c.host_id = excluded.host_id or not c.is_there and not exists (select from card_hold o where o.uuid = c.uuid);
    update card c set is_there = false from host h
    where h.id = c.host_id and h.id = any(v_changed) and c.is_there
      and not exists (select from cards_told(p_hosts) told where told.host = h.name and told.uuid = c.uuid);
    foreach v_host in array v_changed loop
      perform find_free_cards(v_host);
    end loop;
  end if;
  insert into driver_inventory (driver, seen_at) values (p_driver, now())
  on conflict (driver) do update set seen_at = greatest(driver_inventory.seen_at, excluded.seen_at);
end $function$;

-- 0065_looks_and_settlements.sql
-- A look at everything of a source, asked for at `p_looked_at` and answered at `p_at`. Runs of `p_missed` were not there:
-- the look before stands for them. Those of `p_found` had been missed and are there. Where the horizon had passed, the
-- wallets are settled, so that the gap is charged; also where it is about to pass: one that is settled a moment later, and
-- knows nothing of this look yet, waits for it.
CREATE OR REPLACE FUNCTION public.note_looks(p_source text, p_looked_at timestamp with time zone, p_missed uuid[], p_found uuid[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$;

-- 0194_machines.sql
-- An outage begins when its host was last heard of, or when it is drained: nobody can use there what they have paid in
-- advance. It ends when the host is back and open. Terms are extended later: a host's row is the last that is locked.
CREATE OR REPLACE FUNCTION public.note_outage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.is_there and new.drained_at is null then
    update host_outage set to_at = business_now() where host_id = new.id and to_at is null;
  elsif new.drained_at is not null then
    insert into host_outage (host_id, from_at, is_maintenance) values (new.id, least(business_now(), new.drained_at), true)
    on conflict (host_id) where to_at is null do update set is_maintenance = true;
  else
    insert into host_outage (host_id, from_at)
    select new.id, least(business_now(), i.seen_at + c.offset_ms * interval '1 ms')
    from business_clock c left join driver_inventory i on i.driver = new.driver
    on conflict do nothing;
  end if;
  return null;
end $function$;

-- 0041_rounds.sql
-- Writes what a round found to differ. With `p_is_all` every other run of the driver was seen at `p_looked_at`, when its
-- own clock said `p_driver_ms`; without, more is to come of the same round. No wallet is charged. An answer that came later
-- than that of a later round says nothing any more.
CREATE OR REPLACE FUNCTION public.note_round(p_driver text, p_looked_at timestamp with time zone, p_driver_ms double precision, p_missed uuid[], p_found uuid[], p_strays uuid[], p_is_all boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_missed uuid[];
begin
  if p_looked_at <= (select observed_at from look_source where id = p_driver) then return; end if;
  -- A command may have ended a run meanwhile, or begun another.
  v_missed := array(
    select id from gpu_instances where id = any(p_missed) and status = 'running' and started_at <= p_looked_at
    order by id for no key update);
  insert into missed_run (instance_id, due_at) select unnest(v_missed), p_at on conflict do nothing;
  delete from missed_run where instance_id = any(p_found);
  update gpu_instances set due_at = p_at where id = any(p_strays) and status = 'stopped' and due_at is null;

  perform note_looks(p_driver, case when p_is_all then p_looked_at else '-infinity' end, v_missed, p_found, p_at);
  if p_is_all then
    insert into driver_look values (p_driver, p_looked_at, p_driver_ms) on conflict do nothing;
    -- No end of a run waits for so long to be known.
    delete from driver_look where driver = p_driver and looked_at < p_at - interval '30 days';
  end if;
end $function$;

-- 0085_runway_warnings.sql
-- What the runways of wallets are at `p_at` (null: longer than any threshold): a fall below one is told, by mail and text,
-- a rise only kept. Of several at once, and of those that are a sixtieth of their time away, the most urgent is told. What
-- ended before is told by what it ended. The wallets are locked.
CREATE OR REPLACE FUNCTION public.note_runways(p_users uuid[], p_lasts timestamp with time zone[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  with stands as materialized (
    select u.user_id, u.last_at, b.warned_transfer, coalesce(n.ms < b.under_ms, n.ms is not null) as is_fall,
      case when coalesce(n.ms < b.under_ms, n.ms is not null) then s.ms else n.ms end as under_ms
    from unnest(p_users, p_lasts) u(user_id, last_at) left join balance_watch b on b.user_id = u.user_id
    cross join lateral (select runway_under(u.last_at, p_at, b.under_ms) as ms offset 0) n
    cross join lateral (
      select min(t.ms) as ms from runway_thresholds() t where u.last_at < p_at + t.ms * 61 / 60 * interval '1 ms') s
    where n.ms is distinct from b.under_ms and (u.last_at < p_at) is not true),
  told as materialized (
    select s.user_id, t.kind, jsonb_build_object('at', p_at, 'balance', usd(greatest(0, n.balance)), 'empty_at', s.last_at,
      'day', usd(n.day), 'ends', e.ends, 'more', e.more, 'is_month', e.is_month) as item
    from stands s join runway_thresholds() t on t.ms = s.under_ms
    join wallets w on w.user_id = s.user_id join ledger_account a on a.id = w.account_id
    cross join lateral (
      select a.balance_micro - x.accrued as balance, wallet_accrued(s.user_id, p_at + interval '24 hours', p_at) - x.accrued
        + coalesce((select sum(month_cost(m.month_micro, m.price_micro, k.renews_ms))::bigint from meter m join meter_kind k on k.id = m.kind
          where m.user_id = s.user_id and m.is_running and m.renews_at <= p_at + interval '24 hours'), 0) as day
      from (select wallet_accrued(s.user_id, p_at) as accrued offset 0) x) n
    -- A month that is not covered ends its meter alone.
    cross join lateral (
      select jsonb_agg(jsonb_build_object('name', d.label, 'noun', d.noun) order by d.id) filter (where d.place <= 3) as ends,
        greatest(0, count(*) - 3) as more, coalesce(bool_or(d.is_month), false) as is_month
      from (
        select o.*, row_number() over (order by o.id) as place
        from (
          select m.id, m.label, k.noun, x.is_month, bool_or(x.is_month) over () as is_any_month,
            m.behind + m.price_micro::numeric * billable_ms(m.metered_to, least(s.last_at + interval '1 ms', m.renews_at), m.paid_until) > 0 as draws
          from meter_now m join meter_kind k on k.id = m.kind
          cross join lateral (select coalesce(k.renews_ms is not null and m.renews_at = s.last_at + interval '1 ms', false) as is_month) x
          where m.user_id = s.user_id and m.is_running) o
        where case when o.is_any_month then o.is_month else o.draws end) d) e
    where s.is_fall and not (
      exists (select from notice o where o.user_id = s.user_id and o.kind = t.kind and o.channel = 'mail' and o.queued_at > now() - t.pause)
      and not exists (select from ledger_transfer r
        where r.user_id = s.user_id and r.id > s.warned_transfer and r.code in ('deposit', 'credit', 'release')))),
  watched as (
    insert into balance_watch as b (user_id, was_good, under_ms, warned_transfer)
    select s.user_id, false, s.under_ms,
      case when t.user_id is not null then coalesce((select max(id) from ledger_transfer r where r.user_id = s.user_id), 0) end
    from stands s left join told t on t.user_id = s.user_id
    on conflict (user_id) do update set under_ms = excluded.under_ms,
      was_good = b.was_good and excluded.warned_transfer is null,
      warned_transfer = coalesce(excluded.warned_transfer, b.warned_transfer))
  -- The last says it all, and none of them waits.
  insert into notice as n (user_id, kind, channel, items, queued_at, due_at)
  select user_id, kind, channel, jsonb_build_array(item), now(), now() from told cross join unnest(array['mail', 'sms']) channel
  order by user_id, kind, channel
  on conflict (user_id, kind, channel) do update set items = excluded.items, queued_at = now(), due_at = now();
end $function$;

-- 0071_placing.sql
-- Nothing is placed any more on the hosts of drivers that are silent for long.
CREATE OR REPLACE FUNCTION public.note_silence()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_host bigint;
begin
  for v_host in
    select h.id from host h join driver_inventory i on i.driver = h.driver where h.is_there and i.seen_at <= silent_since() order by h.id
  loop
    perform from card_pool where host_id = v_host order by gpu_type for no key update;
    -- It may have spoken meanwhile.
    update host h set is_there = false where id = v_host
      and exists (select from driver_inventory i where i.driver = h.driver and i.seen_at <= silent_since());
    perform find_free_cards(v_host);
  end loop;
end $function$;

-- 0086_terms_and_outages.sql
-- Tells of terms that end within seven days, within one, and of those that ended and cost by the hour from then on: each
-- once, and only the last of them where several are due. One server at a time.
CREATE OR REPLACE FUNCTION public.note_terms(p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0140_idleness.sql
-- In the transaction of the fact, so that none is missed and none is told twice.
CREATE OR REPLACE FUNCTION public.notice_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform queue_notice(new.user_id,
    case new.type when 'instance.start_failed' then 'start_failed' when 'instance.auto_stopped' then 'idle_stopped' else new.data ->> 'reason' end,
    channel, jsonb_build_object('at', new.at, 'name', new.data ->> 'name', 'message', new.data ->> 'message'))
  from unnest(case new.type when 'instance.auto_stopped' then array['mail', 'sms'] else array['mail'] end) channel;
  -- A warning of it that still waits for its turn comes too late.
  if new.type = 'instance.auto_stopped' then
    update notice n set items = k.items, due_at = case when jsonb_array_length(k.items) > 0 then n.due_at end
    from notice o cross join lateral (
      select coalesce(jsonb_agg(item order by place), '[]') as items
      from jsonb_array_elements(o.items) with ordinality as each (item, place) where item ->> 'id' <> new.subject_id::text) k
    where n.id = o.id and o.user_id = new.user_id and o.kind = 'idle_soon' and o.due_at > now();
  end if;
  return null;
end $function$;

-- 0013_accounts.sql
-- What is set aside and not settled, by kind: while there is any, the account must stay.
CREATE OR REPLACE FUNCTION public.open_holds(p_user_id uuid)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(array_agg(kind order by kind), '{}') from ledger_account
  where owner = p_user_id and kind in ('hold', 'withdrawal') and balance_micro > 0
$function$;

-- 0086_terms_and_outages.sql
-- The meter starts: from here on every millisecond is charged once. Not before its last charge ended, should the clock
-- have been set back since. What is looked at is looked at by `p_source`; a month that was paid begins.
CREATE OR REPLACE FUNCTION public.open_meter(p_meter uuid, p_at timestamp with time zone, p_source text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
end $function$;

-- 0033_kinds_and_looks.sql
-- The operation of the call that writes; null outside of one.
CREATE OR REPLACE FUNCTION public.operation_now()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select nullif(current_setting('ingot.operation', true), '')
$function$;

-- 0172_snapshots_and_growth.sql
-- Pays for the rest of a month what its meter will cost more. IN402 and IN403 as for a deploy. Returns the transfer, null for
-- nothing.
CREATE OR REPLACE FUNCTION public.pay_growth(p_meter uuid, p_key uuid, p_cost bigint, p_words text, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter; v_left bigint; v_limit bigint; v_credit bigint; v_account bigint; v_has_budgets boolean;
begin
  select * into strict m from meter where id = p_meter;
  v_left := lock_wallet(m.user_id) - wallet_owed(m.user_id, p_at) + credit_left(m.user_id, p_at) - p_cost;
  if v_left < 0 then raise exception 'insufficient funds' using errcode = 'IN402', detail = ''; end if;
  v_has_budgets := exists (select from budget where user_id = m.user_id);
  if v_has_budgets then
    select limit_micro, limit_micro - spent_micro into v_limit, v_left from budgets_now(m.user_id, p_at)
    where meter_id is null and at_limit = 'stop';
    if v_left < p_cost then
      raise exception 'budget exceeded' using errcode = 'IN403',
        detail = jsonb_build_object('limit', v_limit::text, 'left', greatest(0, v_left)::text, 'charge', p_cost::text, 'reserve', '0');
    end if;
  end if;
  if p_cost = 0 then return null; end if;
  v_account := get_or_create_wallet(m.user_id);
  v_credit := use_credit(m.user_id, p_meter, p_cost, 'growth:' || p_key, m.label || ': paid by credit', p_at);
  perform ledger_post(key_of('growth:' || p_key), v_account, m.prepaid_account, p_cost, 'growth', m.user_id, p_meter, p_words, p_at);
  update meter set credit_micro = credit_micro + v_credit where id = p_meter;
  if v_has_budgets then
    perform count_budgets(array[m.user_id], array[p_meter], array[budget_month(p_at)], array[p_cost]);
    perform note_budgets(array[m.user_id], p_at);
  end if;
  perform refresh_wallet_due(m.user_id, p_at);
  return (select id from ledger_transfer where idem = key_of('growth:' || p_key));
end $function$;

-- 0095_credit_pays.sql
-- Pays the next month of meters whose month is over or, with `p_lapsed`, of those that lapsed: then the month begins when
-- they did. What came first goes first. A month that the wallet does not cover ends that meter alone; one that lapsed
-- stays lapsed. Returns those that ended, and those that were paid.
CREATE OR REPLACE FUNCTION public.pay_months(p_users uuid[], p_ats timestamp with time zone[], p_lapsed boolean, OUT ended uuid[], OUT paid uuid[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare r record; v_user uuid; v_left bigint; v_credit bigint; v_began timestamptz[]; v_users uuid[]; v_months date[]; v_costs bigint[];
begin
  for r in
    select m.id, m.user_id, m.label, m.prepaid_account, m.metered_to, m.lapsed_at, coalesce(m.lapsed_at, m.renews_at) as began, u.at, w.account_id,
      a.balance_micro, k.renews_ms, k.renewal_words, case when p_lapsed then k.revived_event else k.renewed_event end as event,
      month_cost(m.month_micro, m.price_micro, k.renews_ms) as cost
    from unnest(p_users, p_ats) u(user_id, at)
    join meter m on m.user_id = u.user_id and (m.renews_at is not null or m.lapsed_at is not null)
      and case when p_lapsed then m.lapsed_at is not null else m.renews_at <= u.at end
    join meter_kind k on k.id = m.kind and k.renews_ms is not null
    join wallets w on w.user_id = m.user_id join ledger_account a on a.id = w.account_id
    order by m.user_id, m.id
  loop
    if r.user_id is distinct from v_user then
      v_user := r.user_id;
      v_left := r.balance_micro - wallet_owed(v_user, r.at) + credit_left(v_user, r.at);
    end if;
    if r.cost > v_left then
      if not p_lapsed then ended := ended || r.id; end if;
      continue;
    end if;
    v_left := v_left - r.cost;
    paid := paid || r.id;
    v_began := v_began || r.began;
    v_users := v_users || r.user_id;
    v_months := v_months || budget_month(r.at);
    v_costs := v_costs || r.cost;
    v_credit := use_credit(r.user_id, r.id, r.cost, 'month:' || r.id || ':' || ms_of(r.began), r.label || ': paid by credit', r.at);
    if r.cost > 0 then
      perform ledger_post(key_of('month:' || r.id || ':' || ms_of(r.began)), r.account_id, r.prepaid_account, r.cost, 'renewal', r.user_id, r.id,
        r.label || ': ' || r.renewal_words, r.at);
    end if;
    update meter set metered_to = coalesce(metered_to, lapsed_at), lapsed_at = null, credit_micro = credit_micro + v_credit, renews_at = r.began + r.renews_ms * interval '1 millisecond'
    where id = r.id;
    insert into meter_span (meter_id, user_id, kind, what, at, cause)
    select id, user_id, kind, 'open', r.began, 'revived' from meter where id = r.id and p_lapsed;
    insert into event (user_id, type, subject_id, data, at)
    select r.user_id, r.event, r.id, jsonb_build_object('name', r.label, 'charged', usd(r.cost)), r.at where r.event is not null;
  end loop;
  if paid is not null then perform count_budgets(v_users, paid, v_months, v_costs); end if;
  perform stop_meters(ended, 'balance_empty');
  if p_lapsed then perform tell_kinds(paid, v_began, 'revived', p_ats[1]); end if;
end $function$;

-- 0150_queue.sql
-- `place_instance` for whoever has this turn, or none: refused as taken while somebody before could use the place.
CREATE OR REPLACE FUNCTION public.place_in_turn(p_instance uuid, p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer, p_memory_gb integer, p_disk_gb integer, p_host bigint, p_held_until timestamp with time zone, p_turn bigint, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare v_had boolean := p_host is not null and exists (select from allocation where instance_id = p_instance); v_host bigint;
begin
  select p.v_host into v_host from place_instance(p_instance, p_driver, p_gpu_type, p_gpu_count, p_cpu_cores, p_memory_gb, p_disk_gb, p_host,
    p_held_until, p_at) p;
  if not v_had and waits_before(v_host, p_gpu_type, p_gpu_count, p_turn) then
    raise exception 'others wait for it' using errcode = 'IN410', detail = 'taken';
  end if;
  return v_host;
end $function$;

-- 0194_machines.sql
-- Takes a place for an instance, of one that is not started only until `p_held_until`, and answers where (`p_disk_gb` is 0 of
-- one whose disk is there), or raises IN410 with the reason as its detail. An instance that has a
-- place keeps it, until its host is drained. The best fit is the host with the fewest free cards that are enough, so whole hosts stay whole for those
-- who need them. A host that somebody else is just taking from is passed over, never waited for: two who wait for each
-- other's would be a deadlock. What fits but was passed over is tried again a little later. The host's row is the last
-- that a command locks.
CREATE OR REPLACE FUNCTION public.place_instance(p_instance uuid, p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer, p_memory_gb integer, p_disk_gb integer, p_host bigint, p_held_until timestamp with time zone, p_at timestamp with time zone, OUT v_host bigint, OUT v_cards text[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare v_former text[] := '{}'; v_why text; v_from timestamptz; v_tries integer := 0; v_ms integer := 0;
begin
  -- Whoever has a place has a host.
  if p_host is not null then
    update allocation a set held_until = p_held_until where a.instance_id = p_instance returning a.host_id, a.cards into v_host, v_cards;
    if found then
      if exists (select from host h where h.id = v_host and h.drained_at is not null) then
        raise exception 'host % is drained', v_host using errcode = 'IN410', detail = 'cordoned';
      end if;
      if not exists (select from card c where c.uuid = any(v_cards) and not c.is_there) then
        perform keep_placement(p_instance, 'kept', null, p_at, v_host, v_cards);
        return;
      end if;
      perform release_place(p_instance, 'card_gone', p_at);
    end if;
    select cards into v_former from placement where instance_id = p_instance and outcome = 'placed' order by id desc limit 1;
  end if;
  loop
    -- Mostly the fullest host with enough cards has enough of everything else, and no other is looked at.
    if p_host is null then
      with fit as (
        select p.host_id, p.free_cards from card_pool p
        where p.driver = p_driver and p.gpu_type = p_gpu_type and p.free >= p_gpu_count
        order by p.free, p.host_id limit 1 for no key update skip locked),
      taken as (
        update host h set machines_taken = machines_taken + 1, cpu_cores_taken = cpu_cores_taken + p_cpu_cores,
          memory_gb_taken = memory_gb_taken + p_memory_gb from fit
        where h.id = fit.host_id and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
          and h.memory_gb_taken + p_memory_gb <= h.memory_gb and (h.disk_gb is null or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
        returning h.id, fit.free_cards[1:p_gpu_count] as cards),
      pool as (
        update card_pool p set free_cards = p.free_cards[p_gpu_count + 1:] from taken
        where p.host_id = taken.id and p.gpu_type = p_gpu_type),
      held as (insert into card_hold select unnest(cards), p_instance from taken),
      allocated as (
        insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, waited_ms, placed_at)
        select p_instance, id, cards, p_cpu_cores, p_memory_gb, p_held_until, v_ms, p_at from taken)
      select id, cards from taken into v_host, v_cards;
      exit when v_host is not null;
    end if;
    with fit as (
      select p.host_id, array(
        select u from unnest(p.free_cards) with ordinality f(u, n) order by (u = any(v_former)) is true desc, n) as free_cards
      from card_pool p join host h on h.id = p.host_id
      where p.driver = p_driver and p.gpu_type = p_gpu_type and p.free >= p_gpu_count and (p_host is null or p.host_id = p_host)
        and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
        and h.memory_gb_taken + p_memory_gb <= h.memory_gb and (h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
        and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
      order by p.free, p.host_id limit 1 for no key update of p skip locked),
    taken as (
      update host h set machines_taken = machines_taken + 1, cpu_cores_taken = cpu_cores_taken + p_cpu_cores,
        memory_gb_taken = memory_gb_taken + p_memory_gb from fit
      where h.id = fit.host_id and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
        and h.memory_gb_taken + p_memory_gb <= h.memory_gb and (h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
      returning h.id, fit.free_cards[1:p_gpu_count] as cards, fit.free_cards[p_gpu_count + 1:] as others),
    pool as (
      update card_pool p set free_cards = taken.others from taken
      where p.host_id = taken.id and p.gpu_type = p_gpu_type),
    held as (insert into card_hold select unnest(cards), p_instance from taken),
    allocated as (
      insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, waited_ms, placed_at)
      select p_instance, id, cards, p_cpu_cores, p_memory_gb, p_held_until, v_ms, p_at from taken)
    select id, cards from taken into v_host, v_cards;
    exit when v_host is not null;
    -- A driver that has cards sells nothing else.
    with fit as (
      select h.id from host h
      where h.driver = p_driver and (p_host is null or h.id = p_host) and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines
        and (h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
        and not exists (select from host o where o.driver = p_driver and o.has_cards)
        and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
      order by h.machines - h.machines_taken, h.id limit 1 for no key update of h skip locked),
    taken as (update host h set machines_taken = machines_taken + 1 from fit where h.id = fit.id returning h.id),
    allocated as (
      insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, waited_ms, placed_at)
      select p_instance, id, '{}', 0, 0, p_held_until, v_ms, p_at from taken)
    select id, '{}' from taken into v_host, v_cards;
    exit when v_host is not null;
    v_why := why_no_place(p_driver, p_gpu_type, p_gpu_count, p_cpu_cores, p_memory_gb, p_disk_gb, p_host);
    v_from := coalesce(v_from, clock_timestamp());
    v_ms := extract(epoch from clock_timestamp() - v_from) * 1000;
    if v_why <> 'passed over' or v_ms > 10000 then
      raise exception 'no place is free' using errcode = 'IN410', detail = case v_why when 'passed over' then 'taken' else v_why end;
    end if;
    v_tries := v_tries + 1;
    perform pg_sleep(random() * least(2 + v_tries, 20) / 1000.0);
  end loop;
end $function$;

-- 0034_spans_and_runway.sql
-- Whatever number of wallets a statement gets, its plan goes by their keys: it is made once for a connection, and not
-- again for each call or by the length of a list.
CREATE OR REPLACE FUNCTION public.plan_once()
 RETURNS void
 LANGUAGE sql
AS $function$
  select set_config('plan_cache_mode', 'force_generic_plan', true)
$function$;

-- 0039_rights.sql
-- A transfer that is on the chain and not final: shown to its owner, never credited. True when what is shown changed.
CREATE OR REPLACE FUNCTION public.preview_deposit(p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamp with time zone, p_from20 bytea, p_to20 bytea, p_amount bigint, p_confirmations integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into chain_deposit as d
    (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, confirmations)
  values (p_id, p_chain, p_txid, p_log_index, p_user_id, p_block_number, p_block_at, p_from20, p_to20, p_amount, 'pending',
    p_confirmations)
  on conflict (chain, txid, log_index) do update
    set state = 'pending', block_number = excluded.block_number, confirmations = excluded.confirmations
    where d.state in ('pending', 'orphaned') and (d.confirmations, d.block_number, d.state)
      is distinct from (excluded.confirmations, excluded.block_number, 'pending');
  return found;
end $function$;

-- 0085_runway_warnings.sql
-- Adds to what is to be told. What comes within a quarter of an hour of the last message waits, and goes in one.
CREATE OR REPLACE FUNCTION public.queue_notice(p_user_id uuid, p_kind text, p_channel text, p_item jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into notice as n (user_id, kind, channel, items, queued_at, due_at)
  values (p_user_id, p_kind, p_channel, jsonb_build_array(p_item), now(), now())
  on conflict (user_id, kind, channel) do update set queued_at = now(),
    items = case when jsonb_array_length(n.items) < 20 then n.items || excluded.items else n.items end,
    due_at = coalesce(n.due_at, greatest(now(), n.sent_at + interval '15 minutes'))
$function$;

-- 0150_queue.sql
-- The first is 1. Those count that wait for the same: the same type of card where the driver has cards, else the driver.
CREATE OR REPLACE FUNCTION public.queue_position(q instance_queue)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  select count(*)::integer from gpu_instances own, instance_queue o join gpu_instances i on i.id = o.instance_id
  where own.id = q.instance_id and o.turn <= q.turn and i.driver = own.driver
    and (i.gpu_type = own.gpu_type or not sells_cards(own.driver))
$function$;

-- 0096_credit_is_given.sql
-- A wallet as its owner reads it: the balance less what has accrued, what runs costs per hour and draws on it per hour,
-- the last time that all of it is covered within `p_days` (null: longer, or nothing runs), and what a start must leave. A
-- machine that was not looked at for longer than its horizon counts as drawing nothing until it is. Meters with nothing
-- prepaid draw in proportion to their prices, so those with the same times are one; any other begins to draw when what is
-- prepaid for it ends, and stands alone. `offset 0` keeps what is used more than once from being worked out as often. The
-- edges are those of `edges_of`, the reserve is that of `reserve_of`.
CREATE OR REPLACE FUNCTION public.read_wallet(p_user_id uuid, p_at timestamp with time zone, p_days integer)
 RETURNS TABLE(account_id bigint, balance_micro bigint, spending_micro bigint, drawing_micro bigint, empty_at timestamp with time zone, reserve_micro bigint, credit_micro bigint, credit_ends_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  with alike as (
    select sum(m.price_micro)::bigint as price, sum(m.remainder)::bigint as remainder, sum((m.price_micro + 5) / 6)::bigint as ten_minutes,
      sum(month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric) as month,
      m.prepaid_micro, m.metered_to, m.paid_until, m.renews_at, m.horizon, m.kind
    from meter_now m join meter_kind k on k.id = m.kind where m.user_id = p_user_id and m.is_running
    group by m.metered_to, m.horizon, m.kind, m.paid_until, m.renews_at, m.prepaid_micro, case when m.prepaid_micro > 0 then m.id end),
  span as materialized (
    select m.price as price_micro, t.price, t.behind, began, draws_from(t.price, t.behind, began, until) as draws, renews, k.renews_ms,
      least(until, case when m.horizon < p_at then ms_of(m.horizon) end, renews) as ends, until,
      t.price * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), m.paid_until) + t.behind as used,
      m.horizon >= p_at and not in_term as counts, in_term, m.ten_minutes, m.month
    from alike m join meter_kind k on k.id = m.kind cross join lateral (
      select coalesce(m.paid_until > p_at, false) as in_term, m.price::numeric as price, ms_of(m.renews_at) as renews,
        m.remainder - m.prepaid_micro * 3600000::numeric as behind,
        ms_of(greatest(m.metered_to, m.paid_until)) as began, ms_of(p_at + p_days * interval '1 day') as until offset 0) t),
  total as (
    select coalesce(div(sum(greatest(0, used)), 3600000), 0)::bigint as accrued, coalesce(sum(price_micro) filter (where counts), 0)::bigint as spending,
      coalesce(sum(price_micro) filter (where counts and used >= 0), 0)::bigint as drawing,
      coalesce(sum(greatest(0, ten_minutes - left_of(used))) filter (where not in_term), 0)::bigint as reserve, sum(month) as all_months
    from span)
  select w.account_id, greatest(0, a.balance_micro - t.accrued + case when w.credit_account is null then 0 else credit_covers(p_user_id, p_at, null) end), t.spending, t.drawing,
    case when t.spending > 0 and e.ms < until then greatest(p_at, at_ms(e.ms)) end,
    t.reserve + starting_reserve(p_user_id, p_at), case when w.credit_account is null then 0 else credit_left(p_user_id, p_at) end, w.credit_ends_at
  from wallets w join ledger_account a on a.id = w.account_id cross join total t
  cross join lateral (select ms_of(p_at + p_days * interval '1 day') as until,
    most_of(a.balance_micro + case when w.credit_account is null then 0 else credit_covers(p_user_id, p_at + p_days * interval '1 day', p_at) end) as most) u
  cross join lateral (
    select meets(array(
      select row(e.at, sum(e.slope), sum(e.shift), min(e.short_at))::edge
      from (
        select greatest(draws, ms_of(p_at)) as at, price as slope, least(behind, 0) - price * began as shift, draws - (behind < 0)::int as short_at
        from span where draws < ends
        union all
        select ends, -price, price * ends, null from span where draws < ends and ends < until
        union all
        select 0, 0, behind, null from span where behind > 0
        union all
        select m.* from span s
        cross join lateral months_of(s.month, s.renews, s.renews_ms, s.until, t.all_months, u.most) m
        where s.renews is not null) e
      group by e.at), u.most) as ms offset 0) e
  where w.user_id = p_user_id
$function$;

-- 0084_lag_and_sweeps.sql
-- True when it was not known before.
CREATE OR REPLACE FUNCTION public.record_sweep(p_chain text, p_txid bytea, p_log_index integer, p_block_number bigint, p_block_at timestamp with time zone, p_from20 bytea, p_to20 bytea, p_amount bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into chain_sweep (chain, txid, log_index, block_number, block_at, from20, to20, amount_micro)
  values (p_chain, p_txid, p_log_index, p_block_number, p_block_at, p_from20, p_to20, p_amount)
  on conflict do nothing;
  return found;
end $function$;

-- 0084_lag_and_sweeps.sql
-- What an address must hold after a block: every final transfer to it, whatever became of it here, less every one from it.
CREATE OR REPLACE FUNCTION public.recorded_balance(p_chain text, p_address20 bytea, p_block_number bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select (coalesce((select sum(amount_micro) from chain_deposit
      where chain = p_chain and to20 = p_address20 and block_number <= p_block_number and state in ('credited', 'held', 'rejected')), 0)
    - coalesce((select sum(amount_micro) from chain_sweep
      where chain = p_chain and from20 = p_address20 and block_number <= p_block_number), 0))::bigint
$function$;

-- 0034_spans_and_runway.sql
CREATE OR REPLACE FUNCTION public.refresh_wallet_due(p_user_id uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  select refresh_wallets_due(array[p_user_id], p_at)
$function$;

-- 0094_credit_settles.sql
-- Sets the timers of wallets: the earliest of exhaustion, of what warns of it, of the end of a budget or what is to be told
-- of one, a meter that wants settling for its own sake (an hour has passed, its prepaid part, term or month ends, where
-- there are budgets the calendar month) and the end of a grace, or of credit. A meter that was charged up to its horizon waits for a look,
-- not for a time. Null while nothing is to come. What the runways crossed is told.
CREATE OR REPLACE FUNCTION public.refresh_wallets_due(p_users uuid[], p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
      from meter m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.lapsed_at is not null), (
      select w.credit_ends_at from wallets w join ledger_account c on c.id = w.credit_account
      where w.user_id = u.user_id and c.balance_micro > 0)) as at
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
end $function$;

-- 0069_installation_and_progress.sql
-- Append-only, with one exception: while an account is erased, the words of its own transfers (they hold the names its
-- owner gave to instances) may be replaced, and nothing else of them. (Here of tables too that know of no user.)
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'ledger_transfer'
    and current_setting('ingot.erasing', true) = to_jsonb(old) ->> 'user_id'
    and to_jsonb(new) - 'description' = to_jsonb(old) - 'description' then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'IN001';
end $function$;

-- 0194_machines.sql
-- A volume that is made where another one is (a copy, a restored snapshot) goes there or nowhere, and so does an instance
-- that gets a volume before it was ever started.
CREATE OR REPLACE FUNCTION public.refuse_cordoned()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from host where id = new.host_id and cordoned_at is null for no key update;
  if not found then raise exception 'host % takes nothing new', new.host_id using errcode = 'IN410', detail = 'cordoned'; end if;
  return new;
end $function$;

-- 0013_accounts.sql
-- Nobody signs in to, or gets a key of, an account that is being deleted: the lock waits for the deletion, then sees it.
CREATE OR REPLACE FUNCTION public.refuse_deleted_user()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform 1 from auth_user where id = new.user_id and deleted_at is null for key share;
  if not found then raise exception 'user % was deleted', new.user_id using errcode = 'foreign_key_violation'; end if;
  return new;
end $function$;

-- 0070_places.sql
-- Disks may take more than there is where a host has lost space, but none is added then.
CREATE OR REPLACE FUNCTION public.refuse_oversold_disk()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'host % has no room for more disks', new.name using errcode = 'IN410', detail = 'disk';
end $function$;

-- 0040_catalog.sql
-- What anybody was shown or charged can be found again: a price that holds is never changed, and none begins in the past.
CREATE OR REPLACE FUNCTION public.refuse_past_price()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' and old.holds_from <= business_now() then
    raise exception 'the price of % holds since % and is not changed; set another from now on', old.gpu_type, old.holds_from;
  end if;
  if tg_op = 'DELETE' then return old; end if;
  if new.holds_from < business_now() then raise exception 'a price cannot hold from % on: that has passed', new.holds_from; end if;
  return new;
end $function$;

-- 0091_withdrawals.sql
-- An operator refuses it, with the reason that its owner reads.
CREATE OR REPLACE FUNCTION public.refuse_withdrawal(p_id uuid, p_reason text, p_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  select end_withdrawal(p_id, 'refused', p_reason, 'Withdrawal refused', p_at)
$function$;

-- 0083_review.sql
-- Such a deposit is never credited. What is to be done with it is for the operator to agree with whoever sent it.
CREATE OR REPLACE FUNCTION public.reject_deposit(p_id uuid, p_reason text, p_at timestamp with time zone DEFAULT business_now())
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare d chain_deposit := lock_deposit(p_id);
begin
  if d.state = 'rejected' then return false; end if;
  if (d.state, d.held_reason) is distinct from ('held', 'review') then
    raise exception 'deposit % is not held for review: it is %', p_id, concat_ws(', ', d.state, d.held_reason) using errcode = 'IN409';
  end if;
  update chain_deposit set state = 'rejected', held_reason = null, reviewed_at = now(), review_note = p_reason where id = d.id;
  insert into event (user_id, type, at) values (d.user_id, 'deposit.updated', p_at);
  return true;
end $function$;

-- 0036_by_kind.sql
CREATE OR REPLACE FUNCTION public.release_funds(p_user_id uuid, p_kind text, p_amount bigint, p_description text, p_idem uuid, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare v_result text;
begin
  perform lock_wallet(p_user_id);
  perform settle_before(p_user_id, p_at);
  v_result := ledger_post(p_idem, (select id from ledger_account where kind = p_kind and owner = p_user_id),
    (select account_id from wallets where user_id = p_user_id), p_amount, 'release', p_user_id, null, p_description, p_at);
  perform settle_arrival(p_user_id, p_at);
  return v_result;
end $function$;

-- 0071_placing.sql
-- Releases what was held for a time that is over. One server at a time.
CREATE OR REPLACE FUNCTION public.release_lapsed(p_at timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare v_id uuid; v_count integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('places that lapse', 0)) then return 0; end if;
  for v_id in
    select instance_id from allocation where held_until <= p_at order by host_id, instance_id limit 500 for update skip locked
  loop
    perform release_place(v_id, 'term_ended', p_at);
    v_count := v_count + 1;
  end loop;
  return v_count;
end $function$;

-- 0070_places.sql
CREATE OR REPLACE FUNCTION public.release_place(p_instance uuid, p_reason text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare v_was allocation;
begin
  delete from allocation where instance_id = p_instance returning * into v_was;
  if found then
    perform keep_placement(p_instance, 'placed', null, v_was.placed_at, v_was.host_id, v_was.cards, null, v_was.waited_ms);
    perform keep_placement(p_instance, 'released', p_reason, p_at, v_was.host_id, v_was.cards);
  end if;
end $function$;

-- 0022_refunds_and_sums.sql
-- A request for each deposit that is held for a deleted account, once.
CREATE OR REPLACE FUNCTION public.request_deposit_refunds(p_user_id uuid)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into refund_request (id, user_id, amount_micro, deposit_id, requested_at)
  select gen_random_uuid(), d.user_id, d.amount_micro, d.id, now() from chain_deposit d
  where d.user_id = p_user_id and d.state = 'held' and d.held_reason = 'account_deleted'
  on conflict do nothing
$function$;

-- 0039_rights.sql
-- What the account that ended is owed: as much as `close_wallet` moved under `p_request`.
CREATE OR REPLACE FUNCTION public.request_refund(p_request uuid, p_user_id uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  insert into refund_request (id, user_id, amount_micro, requested_at)
  select p_request, user_id, amount_micro, p_at from ledger_transfer
  where user_id = p_user_id and ref = p_request and code = 'refund'
$function$;

-- 0091_withdrawals.sql
-- Sets it aside. Raises IN402 where it is more than may be taken out, with that as its detail, and IN410 where another is
-- under way or there were too many in a day.
CREATE OR REPLACE FUNCTION public.request_withdrawal(p_id uuid, p_user_id uuid, p_amount bigint, p_address20 bytea, p_cancel_hash bytea, p_words text, p_most_a_day integer, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_may bigint;
begin
  perform lock_wallet(p_user_id);
  -- Deleting an account takes the same lock first.
  if exists (select from auth_user where id = p_user_id and deleted_at is not null) then
    raise exception 'the account is deleted' using errcode = 'IN410', detail = 'deleted';
  end if;
  if exists (select from withdrawal where user_id = p_user_id and state in ('waiting', 'sending')) then
    raise exception 'a withdrawal is under way' using errcode = 'IN410', detail = 'open';
  end if;
  if (select count(*) from withdrawal where user_id = p_user_id and asked_at > p_at - interval '1 day') >= p_most_a_day then
    raise exception 'too many withdrawals' using errcode = 'IN410', detail = 'too_many';
  end if;
  v_may := withdrawable(p_user_id, p_at);
  if v_may < p_amount then
    raise exception 'insufficient funds' using errcode = 'IN402', detail = v_may::text;
  end if;
  perform hold_funds(p_user_id, 'withdrawal', p_amount, p_words, key_of('withdrawal:' || p_id), p_at);
  insert into withdrawal (id, user_id, amount_micro, address20, cancel_hash, asked_at)
  values (p_id, p_user_id, p_amount, p_address20, p_cancel_hash, p_at);
  perform tell_withdrawal(p_id, 'requested', p_at);
end $function$;

-- 0048_cheaper_settling.sql
-- Ten minutes of a price beyond what is left of what is prepaid.
CREATE OR REPLACE FUNCTION public.reserve_of(p_price bigint, p_stands numeric)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select greatest(0, (p_price + 5) / 6 - left_of(p_stands))
$function$;

-- 0086_terms_and_outages.sql
-- What comes back of a prepaid account: what usage leaves of it; of an upfront total what exceeds the hourly price of the
-- time held since the deploy, outages left out, nothing once the term is over; nothing of kinds that return none.
CREATE OR REPLACE FUNCTION public.rest_of(m meter_now, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when (select k.returns from meter_kind k where k.id = m.kind) = 'none' or p_at >= m.paid_until then 0
    when m.paid_until is null and m.metered_to is null then a.balance_micro
    when m.paid_until is null then least(a.balance_micro,
      left_of(m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), null) + m.behind))
    else greatest(0, a.balance_micro - cost_micro(m.price_micro,
      greatest(0, billable_ms(m.opened_at, p_at, null) - (select extended_ms from meter e where e.id = m.id)), 0)) end::bigint
  from ledger_account a where a.id = m.prepaid_account
$function$;

-- 0093_credit.sql
-- What came back to the wallet for a meter and was credit goes on to where it came from. The wallet is locked.
CREATE OR REPLACE FUNCTION public.return_credit(p_user_id uuid, p_meter uuid, p_amount bigint, p_idem text, p_words text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if p_amount = 0 then return; end if;
  perform ledger_post(key_of('credit_back:' || p_idem), w.account_id, w.credit_account, p_amount, 'credit_back', p_user_id, p_meter, p_words, p_at)
  from wallets w where w.user_id = p_user_id;
  perform lapse_credits(array[p_user_id], array[p_at]);
end $function$;

-- 0095_credit_pays.sql
-- It never ran: what was paid for it goes back whole, and it is billed by the hour from now on. Returns how much.
CREATE OR REPLACE FUNCTION public.return_first_start(p_meter uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter; v_balance bigint;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  select * into strict m from meter where id = p_meter;
  if exists (select from meter_span where meter_id = p_meter) then return 0; end if;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  if v_balance = 0 then return 0; end if;
  perform ledger_post(key_of('first_start:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
    v_balance, 'return', m.user_id, m.id, m.label || ': its first start failed, the charge is returned', p_at);
  perform return_credit(m.user_id, m.id, m.credit_micro, 'first_start:' || m.id, m.label || ': returned to credit', p_at);
  perform count_budgets(array[m.user_id], array[m.id], array[budget_month(m.opened_at)], array[-v_balance]);
  update meter set paid_until = null, ends_with_term = false, credit_micro = 0 where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
  return v_balance;
end $function$;

-- 0172_snapshots_and_growth.sql
-- It could not be made so large: all of what was paid for that returns. How much.
CREATE OR REPLACE FUNCTION public.return_growth(p_meter uuid, p_transfer bigint, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter; t ledger_transfer; v_back bigint; v_credit bigint;
begin
  select * into strict m from meter where id = p_meter;
  perform lock_wallet(m.user_id);
  perform settle_before(m.user_id, p_at);
  select * into strict m from meter where id = p_meter;
  select * into t from ledger_transfer where id = p_transfer and ref = p_meter and code = 'growth';
  if not found or exists (select from ledger_transfer where idem = key_of('growth_back:' || p_transfer)) then return 0; end if;
  -- It was settled for the smaller size all along, so what it paid for the larger one is there.
  select least(t.amount_micro, a.balance_micro) into v_back from ledger_account a where a.id = m.prepaid_account;
  if v_back = 0 then return 0; end if;
  -- Money comes back before credit.
  select greatest(0, m.credit_micro - (a.balance_micro - v_back)) into v_credit from ledger_account a where a.id = m.prepaid_account;
  perform ledger_post(key_of('growth_back:' || t.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id), v_back, 'return',
    m.user_id, p_meter, m.label || ': it was not made larger', p_at);
  perform return_credit(m.user_id, p_meter, v_credit, 'growth_back:' || t.id, m.label || ': returned to credit', p_at);
  update meter set credit_micro = credit_micro - v_credit where id = p_meter;
  perform count_budgets(array[m.user_id], array[p_meter], array[month_of(t)], array[-v_back]);
  perform settle_arrival(m.user_id, p_at);
  return v_back;
end $function$;

-- 0036_by_kind.sql
CREATE OR REPLACE FUNCTION public.return_prepaid(p_meter uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_user uuid; v_rest bigint;
begin
  select user_id into strict v_user from meter where id = p_meter;
  perform lock_wallet(v_user);
  v_rest := empty_prepaid(p_meter, p_at);
  perform settle_arrival(v_user, p_at);
  return v_rest;
end $function$;

-- 0096_credit_is_given.sql
-- Its owner asks for what lapsed, and pays for its month: a settlement revives what the wallet covers, so this asks for one
-- and says whether it was enough.
CREATE OR REPLACE FUNCTION public.revive_meter(p_meter uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  perform settle_before((select user_id from meter where id = p_meter), p_at);
  select * into strict m from meter where id = p_meter;
  if m.lapsed_at is not null then
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = (select month_cost(m.month_micro, m.price_micro, renews_ms)::text from meter_kind where id = m.kind);
  elsif not m.is_running then
    raise exception 'meter % is over', p_meter using errcode = 'IN409';
  end if;
end $function$;

-- 0002_auth.sql
-- A time as the wire's string, for rows that SQL itself turns into JSON.
CREATE OR REPLACE FUNCTION public.rfc3339(p_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;

-- 0046_sums_and_pages.sql
CREATE OR REPLACE FUNCTION public.roll_up_facts(p_rows integer DEFAULT 20000)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare v_users uuid[] := next_to_count('event', p_rows);
begin
  perform count_facts(v_users);
  return v_users is not null;
end $function$;

-- 0199_spent_lately.sql
-- One step of the counting; false when there is nothing to count, another process is at it, or something that could write
-- a smaller number has not ended (migration 0197 says how that is known).
CREATE OR REPLACE FUNCTION public.roll_up_money(p_rows bigint DEFAULT 20000)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare c money_counted; n money_counted; v_from date := (business_now() at time zone 'UTC')::date - 29;
begin
  select * into c from money_counted for update skip locked;
  if not found then return false; end if;
  if c.lately_from < v_from then
    insert into customer_lately as l
    select user_id, -sum(revenue_micro) from customer_day where day >= c.lately_from and day < v_from group by 1
    on conflict (user_id) do update set revenue_micro = l.revenue_micro + excluded.revenue_micro;
    delete from customer_lately where revenue_micro = 0;
    update money_counted set lately_from = v_from;
    return true;
  end if;
  if c.before_xid = '0' then
    update money_counted set before_xid = pg_current_xact_id();
    return true;
  end if;
  if pg_snapshot_xmin(pg_current_snapshot()) < c.before_xid then return false; end if;
  n := c;
  n.transfer_id := least(c.sure_transfer_id, c.transfer_id + p_rows);
  n.line_id := least(c.sure_line_id, c.line_id + p_rows);
  n.return_id := least(c.sure_return_id, c.return_id + p_rows);
  if n = c then
    n.sure_transfer_id := coalesce((select max(id) from ledger_transfer), 0);
    n.sure_line_id := coalesce((select max(id) from usage_line), 0);
    n.sure_return_id := coalesce((select max(id) from usage_return), 0);
    n.before_xid := '0';
    if (n.sure_transfer_id, n.sure_line_id, n.sure_return_id) = (c.transfer_id, c.line_id, c.return_id) then return false; end if;
  else
    insert into money_day as d select * from money_between(c.transfer_id, n.transfer_id)
    on conflict (day, code, from_kind, to_kind) do update
    set amount_micro = d.amount_micro + excluded.amount_micro, movements = d.movements + excluded.movements,
      last_id = greatest(d.last_id, excluded.last_id);
    with part as materialized (
      select * from usage_between(c.transfer_id, n.transfer_id, c.line_id, n.line_id, c.return_id, n.return_id)),
    by_day as (
      insert into usage_day as d
      select day, kind, gpu_type, region, sum(revenue_micro), sum(used_ms), sum(gpu_ms) from part group by 1, 2, 3, 4
      on conflict (day, kind, gpu_type, region) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro,
        used_ms = d.used_ms + excluded.used_ms, gpu_ms = d.gpu_ms + excluded.gpu_ms),
    by_customer as (
      insert into customer_day as d
      select day, user_id, sum(revenue_micro) from part where user_id is not null group by 1, 2 having sum(revenue_micro) <> 0
      on conflict (day, user_id) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro),
    lately as (
      insert into customer_lately as d
      select user_id, sum(revenue_micro) from part where user_id is not null and day >= c.lately_from group by 1 having sum(revenue_micro) <> 0
      on conflict (user_id) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro)
    insert into customer_month as d
    select date_trunc('month', day)::date, user_id, sum(revenue_micro), sum(gpu_ms) from part where user_id is not null group by 1, 2
    on conflict (month, user_id) do update
    set revenue_micro = d.revenue_micro + excluded.revenue_micro, gpu_ms = d.gpu_ms + excluded.gpu_ms;
  end if;
  update money_counted set transfer_id = n.transfer_id, line_id = n.line_id, return_id = n.return_id,
    sure_transfer_id = n.sure_transfer_id, sure_line_id = n.sure_line_id, sure_return_id = n.sure_return_id, before_xid = n.before_xid;
  return true;
end $function$;

-- 0046_sums_and_pages.sql
-- One step of the counting; false when everything was looked through.
CREATE OR REPLACE FUNCTION public.roll_up_spending(p_rows integer DEFAULT 20000)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
declare
  v_movers uuid[] := next_to_count('ledger_transfer', p_rows); v_runners uuid[] := next_to_count('usage_line', p_rows);
begin
  perform count_spending(v_movers || v_runners);
  return v_movers is not null or v_runners is not null;
end $function$;

-- 0085_runway_warnings.sql
-- `ms`: told when balance and what is prepaid end within so long. `pause`: in real time; the same is not told again sooner,
-- unless money came in.
CREATE OR REPLACE FUNCTION public.runway_thresholds()
 RETURNS TABLE(ms bigint, kind text, pause interval)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  values (86400000::bigint, 'balance_ending', interval '1 day'), (3600000, 'balance_hour', interval '1 hour'),
    (600000, 'balance_minutes', interval '1 hour')
$function$;

-- 0085_runway_warnings.sql
-- The smallest threshold that a runway is below. The one that it was below, it is until it is a sixtieth of it above.
CREATE OR REPLACE FUNCTION public.runway_under(p_last timestamp with time zone, p_at timestamp with time zone, p_was bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select min(ms) from runway_thresholds() where p_last < p_at + case when ms = p_was then ms * 61 / 60 else ms end * interval '1 ms'
$function$;

-- 0091_withdrawals.sql
-- When something changed that lets somebody else in: an address, a password, a factor, another way to sign in.
CREATE OR REPLACE FUNCTION public.security_changed_at(p_user_id uuid)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select max(at) from audit_log
  where user_id = p_user_id and (subject_kind in ('factor', 'identity')
    or (subject_kind = 'account' and (before || after) ?| array['email', 'phone', 'password']))
$function$;

-- 0035_settlement.sql
-- A look at `p_seen`, answered at `p_at`, found the machine in the run that is metered: its horizon moves. Had it passed,
-- the gap is charged, and the wallet has its timer again. Returns whether the meter runs on.
CREATE OR REPLACE FUNCTION public.see_meter(p_meter uuid, p_seen timestamp with time zone, p_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare m meter_now;
begin
  select * into m from meter_now n where n.id = p_meter and n.metered_to is not null;
  if p_seen > m.last_seen then
    perform lock_wallet(m.user_id);
    update meter set seen_at = p_seen where id = p_meter and metered_to is not null;
    if m.horizon <= greatest(p_at, m.metered_to) then perform settle_wallets(array[m.user_id], p_at); end if;
  end if;
  return exists (select from meter where id = p_meter and metered_to is not null);
end $function$;

-- 0150_queue.sql
CREATE OR REPLACE FUNCTION public.sells_cards(p_driver text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select from host where driver = p_driver and has_cards)
$function$;

-- 0087_budgets.sql
-- Sets the budget of an account (no meter) or of a meter, or removes it (no limit). What it does not cover ends at once. The
-- same again changes nothing.
CREATE OR REPLACE FUNCTION public.set_budget(p_user_id uuid, p_meter uuid, p_limit bigint, p_at_limit text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  v_month date; v_runs boolean; v_spent bigint; v_now budget; v_after bigint;
begin
  perform get_or_create_wallet(p_user_id), lock_wallet(p_user_id);
  p_at := date_trunc('milliseconds', p_at);
  if p_meter is not null and not exists (
    select from meter m join meter_kind k on k.id = m.kind where m.id = p_meter and m.user_id = p_user_id and k.renews_ms is null) then
    raise exception 'meter % is not of user %, or is paid by the month', p_meter, p_user_id;
  end if;
  select * into v_now from budgets_in(array[p_user_id], array[budget_month(p_at)]) b where b.meter_id is not distinct from p_meter;
  if (v_now.limit_micro, v_now.at_limit) is not distinct from (p_limit, p_at_limit) or (v_now.limit_micro is null and p_limit is null) then return; end if;
  v_runs := exists (select from meter where user_id = p_user_id and is_running and (p_meter is null or id = p_meter));
  if v_runs then perform settle_wallets(array[p_user_id], p_at); end if;
  if p_meter is null then v_month := budget_month(p_at); end if;
  if p_limit is null and p_meter is not null then
    delete from budget where meter_id = p_meter;
  else
    select spent_micro into v_spent from budget
    where user_id = p_user_id and meter_id is not distinct from p_meter and month is not distinct from v_month and limit_micro is not null;
    if not found then
      select coalesce(sum(micro), 0) into v_spent from budget_movement
      where user_id = p_user_id and case when p_meter is null then month = v_month else meter_id = p_meter end;
    end if;
    select coalesce(max(id), 0) into v_after from ledger_transfer where user_id = p_user_id;
    insert into budget as b (user_id, meter_id, month, limit_micro, at_limit, spent_micro, told_percent, reached_at, set_at, set_after)
    select p_user_id, p_meter, v_month, p_limit, p_at_limit, case when p_limit is not null then v_spent else 0 end, coalesce(told, 0),
      case told when 100 then p_at end, p_at, v_after
    from (select max(percent) as told from unnest(array[50, 80, 100]) percent where v_spent >= share_of(p_limit, percent)) t
    on conflict (user_id, meter_id, month) do update set limit_micro = excluded.limit_micro, at_limit = excluded.at_limit,
      spent_micro = excluded.spent_micro, told_percent = excluded.told_percent, reached_at = excluded.reached_at, set_at = excluded.set_at,
      set_after = excluded.set_after;
  end if;
  insert into event (user_id, type, at) values (p_user_id, 'wallet.updated', p_at);
  -- Whatever it does not cover drew on it in this millisecond.
  if v_runs and p_at_limit = 'stop' and p_limit is not null then
    perform settle_wallets(array[p_user_id], p_at + interval '1 millisecond');
  else
    perform refresh_wallet_due(p_user_id, p_at);
  end if;
end $function$;

-- 0193_business.sql
-- A price from `p_holds_from` on (business clock; null: from now), in dollars for one GPU. One that does not hold yet is
-- replaced by another for the same time.
CREATE OR REPLACE FUNCTION public.set_gpu_price(p_gpu_type text, p_holds_from timestamp with time zone, p_hourly numeric, p_three_months numeric, p_year numeric)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from gpu_type where name = p_gpu_type) then raise exception 'there is no GPU type %', p_gpu_type; end if;
  if greatest(scale(p_hourly), scale(p_three_months), scale(p_year)) > 6 then raise exception 'a price has at most 6 decimals'; end if;
  insert into gpu_price (gpu_type, holds_from, hourly_micro, three_months_micro, year_micro, set_by, set_at, reason)
  values (p_gpu_type, coalesce(p_holds_from, business_now()), p_hourly * 1000000, p_three_months * 1000000, p_year * 1000000,
    actor_now(), now(), nullif(current_setting('ingot.reason', true), ''))
  on conflict (gpu_type, holds_from) do update set hourly_micro = excluded.hourly_micro,
    three_months_micro = excluded.three_months_micro, year_micro = excluded.year_micro,
    set_by = excluded.set_by, set_at = excluded.set_at, reason = excluded.reason;
end $function$;

-- 0039_rights.sql
-- What it is called on the bill from now on.
CREATE OR REPLACE FUNCTION public.set_meter_label(p_meter uuid, p_label text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  update meter set label = p_label where id = p_meter
$function$;

-- 0061_nothing_in_advance.sql
-- While nothing of it runs, and the last look has said when it ended: what ran is charged at one price, and returned at it.
CREATE OR REPLACE FUNCTION public.set_meter_price(p_meter uuid, p_price bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update meter set price_micro = p_price, month_micro = null where id = p_meter and metered_to is null and ended_at is null;
  if not found then raise exception 'the price of meter % stands while it runs', p_meter; end if;
end $function$;

-- 0172_snapshots_and_growth.sql
-- What a month costs from now on, and its hour. What ran until now is charged at what it was.
CREATE OR REPLACE FUNCTION public.set_month(p_meter uuid, p_month bigint, p_price bigint, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_user uuid;
begin
  select m.user_id into strict v_user from meter m join meter_kind k on k.id = m.kind and k.renews_ms is not null where m.id = p_meter;
  perform lock_wallet(v_user);
  perform settle_before(v_user, p_at);
  update meter set month_micro = p_month, price_micro = p_price where id = p_meter;
  perform refresh_wallet_due(v_user, p_at);
end $function$;

-- 0086_terms_and_outages.sql
-- The meter closes at the end of its term, or goes on. Nothing can be chosen once the term is over.
CREATE OR REPLACE FUNCTION public.set_term_end(p_meter uuid, p_stops boolean, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_user uuid;
begin
  select user_id into strict v_user from meter where id = p_meter;
  perform lock_wallet(v_user);
  update meter set ends_with_term = p_stops, renews_at = case when p_stops and metered_to is not null then paid_until end
  where id = p_meter and paid_until > p_at and (metered_to < paid_until) is not false;
  if not found then raise exception 'the term of meter % is over', p_meter; end if;
  perform refresh_wallet_due(v_user, p_at);
end $function$;

-- 0035_settlement.sql
-- After money came in: where a meter lapsed the wallet is settled, since it may cover its month again.
CREATE OR REPLACE FUNCTION public.settle_arrival(p_user_id uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from meter where user_id = p_user_id and lapsed_at is not null) then
    perform settle_wallets(array[p_user_id], p_at);
  else
    perform refresh_wallet_due(p_user_id, p_at);
  end if;
end $function$;

-- 0094_credit_settles.sql
-- Before money comes in: what the wallet does not cover ends now as it would have ended had its timer not been late.
CREATE OR REPLACE FUNCTION public.settle_before(p_user_id uuid, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from meter where user_id = p_user_id and (is_running or lapsed_at is not null))
    or exists (select from wallets where user_id = p_user_id and credit_ends_at <= p_at) then
    perform settle_wallets(array[p_user_id], p_at);
  end if;
end $function$;

-- 0035_settlement.sql
-- Settles those of the wallets that are due and that nobody holds. Returns how many were.
CREATE OR REPLACE FUNCTION public.settle_due(p_users uuid[], p_at timestamp with time zone)
 RETURNS uuid[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_users uuid[];
begin
  select array_agg(user_id) into v_users from (
    select w.user_id from wallets w join ledger_account a on a.id = w.account_id
    where w.user_id = any(p_users) and w.due_at <= p_at order by a.id for no key update of a skip locked) w;
  if v_users is not null then perform settle_wallets(v_users, p_at); end if;
  return coalesce(v_users, '{}');
end $function$;

-- 0172_snapshots_and_growth.sql
-- Charges what is due up to now, and says when its month ends: null, where none runs. What is asked of a meter by the month
-- is worked out of that.
CREATE OR REPLACE FUNCTION public.settle_month(p_meter uuid, p_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare v_user uuid := (select user_id from meter where id = p_meter);
begin
  perform lock_wallet(v_user);
  perform settle_before(v_user, p_at);
  return (select renews_at from meter where id = p_meter);
end $function$;

-- 0091_withdrawals.sql
-- A final transfer out of what the operator holds, as it was recorded: pays the request that waits for exactly this amount at this address, of
-- several the one that is being sent, then the oldest. What is found again changes nothing. Returns whose request it paid,
-- nothing where it paid none. Where to write to a former customer is erased with it, and returned for the last time.
CREATE OR REPLACE FUNCTION public.settle_payout(p_chain text, p_txid bytea, p_log_index integer, p_at timestamp with time zone)
 RETURNS TABLE(request_id uuid, user_id uuid, contact_sealed bytea)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare s chain_sweep; v_id uuid; v_user uuid; r refund_request;
begin
  select * into strict s from chain_sweep c where (c.chain, c.txid, c.log_index) = (p_chain, p_txid, p_log_index);
  select w.id, w.user_id into v_id, v_user from withdrawal w
  where w.address20 = s.to20 and w.amount_micro = s.amount_micro and w.state in ('waiting', 'sending')
  order by w.state, w.asked_at, w.id limit 1;
  if exists (select from withdrawal w where (w.chain, w.txid, w.log_index) = (p_chain, p_txid, p_log_index))
    or exists (select from refund_request f where (f.chain, f.txid, f.log_index) = (p_chain, p_txid, p_log_index)) then return;
  end if;
  if v_id is not null then
    perform lock_wallet(v_user);
    update withdrawal w set state = 'paid', chain = p_chain, txid = p_txid, log_index = p_log_index
    where w.id = v_id and w.state in ('waiting', 'sending');
    -- Its owner cancelled it just now: the transfer paid nothing that is owed any more.
    if not found then return; end if;
    perform ledger_post(key_of('payout:' || v_id), (select a.id from ledger_account a where a.kind = 'withdrawal' and a.owner = v_user), 1,
      s.amount_micro, 'payout', v_user, v_id, 'Withdrawal paid', p_at);
    perform tell_withdrawal(v_id, 'paid', p_at);
    return query select v_id, v_user, null::bytea;
    return;
  end if;
  select * into r from refund_request f
  where f.address20 = s.to20 and f.amount_micro = s.amount_micro and f.status = 'open'
  order by f.is_sending desc, f.requested_at, f.id limit 1 for no key update;
  if not found then return; end if;
  update refund_request f set status = 'paid', contact_sealed = null, chain = p_chain, txid = p_txid, log_index = p_log_index where f.id = r.id;
  -- What was held for a deleted account never came into the ledger.
  if r.deposit_id is null then
    perform ledger_post(key_of('payout:' || r.id), 4, 1, s.amount_micro, 'payout', r.user_id, r.id, 'Refund paid', p_at);
  end if;
  return query select r.id, r.user_id, r.contact_sealed;
end $function$;

-- 0094_credit_settles.sql
-- Brings wallets up to `p_at`. Each goes from event to event: the last time that its balance, or a budget, covers, the end
-- of a month or of a grace of one of its meters, of its credit, where there are budgets the end of a calendar month (UTC), `p_at`. All its
-- meters are charged up to there. At the end of the money those that draw on the wallet close or lapse, as their kind says;
-- a month that the wallet does not cover ends that meter alone, and all others run on. What draws on a budget that is used
-- up closes. What ran on past that is not charged, and no meter is charged beyond its horizon. What lapsed is revived
-- where the wallet covers its month again.
--
-- Lines, movements, spans, facts, notices and timers are written here, and the nouns are told. The meter `p_own` is one
-- that the caller ends: its last line is returned, and the caller tells of it.
CREATE OR REPLACE FUNCTION public.settle_wallets(p_users uuid[], p_at timestamp with time zone, p_own uuid DEFAULT NULL::uuid)
 RETURNS SETOF settled_line
 LANGUAGE plpgsql
AS $function$
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
    from (select user_id, min(until_at) as until_at from (
      select m.user_id, least(p_at, min(m.renews_at), min(g.at), case when m.user_id = any(v_budgets) then (
          select min(month_end(n.metered_to)) from meter_now n where n.user_id = m.user_id and n.is_running and n.metered_to < n.horizon) end) as until_at
      from meter m join meter_kind k on k.id = m.kind
      cross join lateral (select m.lapsed_at + k.grace_days * interval '1 day' as at) g
      where m.user_id = any(v_open) and (m.is_running or m.lapsed_at is not null)
      group by m.user_id having least(min(m.metered_to), p_at) < p_at or min(m.renews_at) <= p_at or min(g.at) <= p_at
      union all
      select w.user_id, w.credit_ends_at from wallets w join ledger_account c on c.id = w.credit_account
      where w.user_id = any(v_open) and w.credit_ends_at <= p_at and c.balance_micro > 0) e group by user_id) n;
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
    v_changed := v_changed || lapse_credits(v_on, v_on_lasts);
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
end $function$;

-- 0087_budgets.sql
-- The amount at which so many hundredths of a budget are used.
CREATE OR REPLACE FUNCTION public.share_of(p_limit bigint, p_percent integer)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (p_limit * p_percent + 99) / 100
$function$;

-- 0040_catalog.sql
-- Every process reads the catalogue again. NOTIFY makes commits wait for each other, which so rare a change may.
CREATE OR REPLACE FUNCTION public.signal_catalog()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('ingot', '["",["catalog"]]');
  return null;
end $function$;

-- 0070_places.sql
CREATE OR REPLACE FUNCTION public.silent_since()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$ select now() - interval '2 minutes' $function$;

-- 0014_site.sql
CREATE OR REPLACE FUNCTION public.site_measure(p_at timestamp with time zone, p_ok boolean)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into site_status_day as d (day, ok_minutes, measured_minutes, last_minute, last_ok)
  values ((p_at at time zone 'UTC')::date, p_ok::int, 1, date_trunc('minute', p_at), p_ok)
  on conflict (day) do update set
    measured_minutes = d.measured_minutes + (excluded.last_minute > d.last_minute)::int,
    ok_minutes = d.ok_minutes + case
      when excluded.last_minute > d.last_minute then excluded.ok_minutes
      when d.last_ok and not excluded.last_ok then -1
      else 0 end,
    last_ok = excluded.last_ok and (d.last_ok or excluded.last_minute > d.last_minute),
    last_minute = excluded.last_minute
  where excluded.last_minute >= d.last_minute
$function$;

-- 0182_cvs.sql
-- Drops what no longer has a use: old days, hashes of yesterday, addresses that nobody confirmed, CVs that nobody applied with.
CREATE OR REPLACE FUNCTION public.site_sweep(p_days integer)
 RETURNS void
 LANGUAGE sql
AS $function$
  delete from site_status_day where day < (now() at time zone 'UTC')::date - p_days;
  delete from site_sent where sent_at < now() - interval '1 day';
  delete from site_subscription s where s.confirmed_at is null and s.ended_at is null
    and not exists (select from site_token t where t.subscription_id = s.id and t.expires_at > now());
  delete from site_token where expires_at < now() - interval '1 day';
  delete from site_cv where expires_at < now();
$function$;

-- 0163_volumes_are_sold.sql
-- What is stored of a snapshot takes whole gigabytes of its host; one that is being made, all that its volume could hold.
CREATE OR REPLACE FUNCTION public.snapshot_disk_gb(p_used bigint, p_size integer)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(ceil(p_used / 1073741824.0)::integer, p_size)
$function$;

-- 0096_credit_is_given.sql
-- What a wallet spent by month in the movements after `p_transfer`, less usage that was returned. Nothing is known of how
-- many they are when the statement is planned; they are the last of an index, so it is taken whatever is guessed.
CREATE OR REPLACE FUNCTION public.spent_after(p_user_id uuid, p_transfer bigint)
 RETURNS TABLE(month date, spent_micro bigint, last_id bigint)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  select month_of(t),
    coalesce(sum(t.amount_micro) filter (where t.from_account = w.account_id and t.code not in ('hold', 'credit_back')), 0)::bigint
      - coalesce(sum(t.amount_micro) filter (where t.to_account = w.account_id and t.code = 'usage_return'), 0)::bigint,
    max(t.id)
  from wallets w join ledger_transfer t on t.user_id = w.user_id
  where w.user_id = p_user_id and t.id > p_transfer group by 1
$function$;

-- 0048_cheaper_settling.sql
CREATE OR REPLACE FUNCTION public.start_reserve(p_user_id uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select starting_reserve(p_user_id, p_at) + coalesce(sum(reserve_of(m.price_micro,
    m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), m.paid_until) + m.behind)), 0)::bigint
  from meter_now m where m.user_id = p_user_id and m.is_running and not coalesce(m.paid_until > p_at, false)
$function$;

-- 0048_cheaper_settling.sql
-- What a start leaves in the wallet: ten minutes of everything that runs, or was asked to, beyond what is prepaid for it.
CREATE OR REPLACE FUNCTION public.starting_reserve(p_user_id uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(sum(reserve_of(m.price_micro, m.behind)), 0)::bigint
  from gpu_instances i join meter_now m on m.id = i.id
  where i.user_id = p_user_id and i.status <> 'terminated' and i.status in ('starting', 'stopping') and i.desired = 'running'
    and not m.is_running and not coalesce(m.paid_until > p_at, false)
$function$;

-- 0035_settlement.sql
-- Meters that run end where they were charged up to. At the end of the money (`balance_empty`) those lapse whose kind
-- does. One that was looked at keeps what stood for it then: later looks at its source say nothing of that run.
CREATE OR REPLACE FUNCTION public.stop_meters(p_meters uuid[], p_cause text)
 RETURNS void
 LANGUAGE sql
AS $function$
  with stopped as (
    update meter m set metered_to = null, renews_at = null, is_missed = n.source is not null, seen_at = n.last_seen,
      ended_at = case when k.is_looked_at then n.metered_to end,
      lapsed_at = case when p_cause = 'balance_empty' and k.at_end = 'lapse' then n.metered_to end
    from meter_now n join meter_kind k on k.id = n.kind
    where m.id = any(p_meters) and n.id = m.id and n.metered_to is not null
    returning m.id, m.user_id, m.kind, n.metered_to as at, case when m.lapsed_at is null then p_cause else 'lapsed' end as cause)
  insert into meter_span (meter_id, user_id, kind, what, at, cause) select id, user_id, kind, 'close', at, cause from stopped order by id
$function$;

-- 0044_retention.sql
-- Deletes up to `p_limit` answers that were stored under an Idempotency-Key before `p_before`. Returns how many.
CREATE OR REPLACE FUNCTION public.sweep_answers(p_before timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE sql
AS $function$
  with old as (
    select caller, key from idempotency where created_at < p_before order by created_at limit p_limit for update skip locked
  ), gone as (
    delete from idempotency i using old where i.caller = old.caller and i.key = old.key returning 1
  )
  select count(*)::integer from gone
$function$;

-- 0044_retention.sql
-- Deletes, of the next `p_limit` facts recorded before `p_before`, those whose type is not in `p_kept`. Returns how many
-- it went through; fewer than `p_limit` when it has come to younger ones, or while another process sweeps.
CREATE OR REPLACE FUNCTION public.sweep_facts(p_kept text[], p_before timestamp with time zone, p_limit integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare v_from bigint; v_to bigint; v_count integer; v_xid xid8; v_id bigint;
begin
  select swept_to into v_from from event_sweep for update skip locked;
  if not found then return 0; end if;
  with batch as (select id, recorded_at from event where id > v_from order by id limit p_limit)
  select max(id), count(*) into v_to, v_count from batch
  where id < coalesce((select min(id) from batch where recorded_at >= p_before), 9223372036854775807);
  if v_count = 0 then return 0; end if;
  with gone as (
    delete from event where id > v_from and id <= v_to and type <> all (p_kept) returning xid, id
  )
  select xid, id into v_xid, v_id from gone order by xid desc, id desc limit 1;
  update event_sweep set swept_to = v_to,
    deleted_xid = case when (v_xid, v_id) > (deleted_xid, deleted_id) then v_xid else deleted_xid end,
    deleted_id = case when (v_xid, v_id) > (deleted_xid, deleted_id) then v_id else deleted_id end;
  return v_count;
end $function$;

-- 0150_queue.sql
-- Its turn has come: what was set aside is in the wallet for the charge that follows in this transaction, and nothing else
-- is paid from it. All before is settled without it.
CREATE OR REPLACE FUNCTION public.take_queued(p_instance uuid, p_at timestamp with time zone)
 RETURNS SETOF instance_queue
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare q instance_queue;
begin
  perform lock_wallet((select user_id from instance_queue where instance_id = p_instance));
  delete from instance_queue where instance_id = p_instance returning * into q;
  if not found then return; end if;
  perform settle_before(q.user_id, p_at);
  if q.held_micro > 0 then
    perform ledger_post(key_of('queue_back:' || q.id), (select id from ledger_account where kind = 'queue' and owner = q.user_id),
      (select account_id from wallets where user_id = q.user_id), q.held_micro, 'release', q.user_id, null, 'Back: its place is free', p_at);
    perform refresh_wallet_due(q.user_id, p_at);
  end if;
  return next q;
end $function$;

-- 0091_withdrawals.sql
CREATE OR REPLACE FUNCTION public.take_refund(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  update refund_request set is_sending = true where id = p_id and status = 'open' and address20 is not null;
  return found;
end $function$;

-- 0091_withdrawals.sql
-- An operator takes it in hand, once it may be sent. True where they did; again where they have it already.
CREATE OR REPLACE FUNCTION public.take_withdrawal(p_id uuid, p_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  perform lock_wallet((select user_id from withdrawal where id = p_id));
  update withdrawal w set state = 'sending'
  where id = p_id and (state = 'sending' or (state = 'waiting' and withdrawal_payable_at(w) <= p_at));
  return found;
end $function$;

-- 0089_invoices.sql
-- How much tax is in a total that includes it, to the cent: the rate in hundredths of a percent.
CREATE OR REPLACE FUNCTION public.tax_in(p_total bigint, p_rate integer)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (round(p_total::numeric * p_rate / (10000 + p_rate) / 10000) * 10000)::bigint
$function$;

-- 0035_settlement.sql
-- Tells the nouns of meters what became of them at `p_times`: the function of each kind.
CREATE OR REPLACE FUNCTION public.tell_kinds(p_meters uuid[], p_times timestamp with time zone[], p_cause text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0088_budgets_end.sql
-- Tells of a step of a settlement: what was charged, what ended at the time of its wallet, notices about the latter, and
-- the nouns. Why something ended stands in its span. The line `p_own_line` and the end of `p_own` are left to the caller.
CREATE OR REPLACE FUNCTION public.tell_settled(p_lines usage_line[], p_users uuid[], p_lasts timestamp with time zone[], p_ended uuid[], p_own uuid, p_own_line bigint, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
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
end $function$;

-- 0091_withdrawals.sql
-- What became of it, for the activity log.
CREATE OR REPLACE FUNCTION public.tell_withdrawal(p_id uuid, p_what text, p_at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into event (user_id, type, data, at)
  select user_id, 'withdrawal.' || p_what, jsonb_build_object('message', concat_ws(': ', amount_text(amount_micro) || ' USDT', reason)), p_at
  from withdrawal where id = p_id
$function$;

-- 0089_invoices.sql
-- To the cent, halves to even, as `amountText` in packages/contracts/src/money.ts.
CREATE OR REPLACE FUNCTION public.to_cent(p_micro bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select sign(p_micro)::bigint * ((abs(p_micro) + 5000) / 10000 - case when abs(p_micro) % 20000 = 5000 then 1 else 0 end) * 10000
$function$;

-- 0193_business.sql
-- What was earned in movements between two numbers, and what ran in lines and returns between theirs, by day, customer and
-- what it was. A line that goes over midnight counts in the day in which it ended, as its movement does: lines are of an hour.
CREATE OR REPLACE FUNCTION public.usage_between(p_transfer bigint, p_transfer_to bigint, p_line bigint, p_line_to bigint, p_return bigint, p_return_to bigint)
 RETURNS TABLE(day date, user_id uuid, kind text, gpu_type text, region text, revenue_micro bigint, used_ms bigint, gpu_ms bigint)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  with part as materialized (
    select day_of(t) as day, t.user_id, t.ref as meter_id,
      sum(case when t.to_account = 2 then t.amount_micro else -t.amount_micro end) as micro, 0::numeric as ms
    from ledger_transfer t
    where t.id > p_transfer and t.id <= p_transfer_to and 2 in (t.from_account, t.to_account) group by 1, 2, 3
    union all
    select ((to_at - interval '1 millisecond') at time zone 'UTC')::date, user_id, meter_id, 0, sum(ms_of(to_at) - ms_of(from_at))
    from usage_line where id > p_line and id <= p_line_to group by 1, 2, 3
    union all
    select ((to_at - interval '1 millisecond') at time zone 'UTC')::date, user_id, meter_id, 0, -sum(ms_of(to_at) - ms_of(from_at))
    from usage_return where id > p_return and id <= p_return_to group by 1, 2, 3)
  select p.day, p.user_id, coalesce(m.kind, ''), coalesce(i.gpu_type, ''), coalesce(i.region, v.region, s.region, ''),
    sum(p.micro)::bigint, sum(p.ms)::bigint, sum(p.ms * coalesce(i.gpu_count, 0))::bigint
  from part p
  left join lateral (select kind from meter where id = p.meter_id limit 1) m on true
  left join lateral (select gpu_type, gpu_count, region from gpu_instances where id = p.meter_id limit 1) i on true
  left join lateral (select region from network_volumes where id = p.meter_id limit 1) v on true
  left join lateral (select region from volume_snapshots where id = p.meter_id limit 1) s on true
  group by 1, 2, 3, 4, 5
$function$;

-- 0193_business.sql
CREATE OR REPLACE FUNCTION public.usage_by_day(p_from date, p_to date)
 RETURNS TABLE(day date, kind text, gpu_type text, region text, revenue_micro bigint, used_ms bigint, gpu_ms bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select * from usage_day where day between p_from and p_to
  union all
  select n.day, n.kind, n.gpu_type, n.region, n.revenue_micro, n.used_ms, n.gpu_ms from money_counted c cross join lateral
    usage_between(c.transfer_id, 9223372036854775807, c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
  where n.day between p_from and p_to
$function$;

-- 0035_settlement.sql
-- What was metered, as a fact keeps it.
CREATE OR REPLACE FUNCTION public.usage_data(p_from timestamp with time zone, p_to timestamp with time zone, p_amount bigint, p_prepaid bigint, p_wallet bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('cost', usd(coalesce(p_amount, 0)), 'from_prepaid', usd(coalesce(p_prepaid, 0)),
    'from_wallet', usd(coalesce(p_wallet, 0)), 'seconds', to_char(coalesce(extract(epoch from p_to - p_from), 0), 'FM999999990.000'),
    'duration_minutes', coalesce(round(extract(epoch from p_to - p_from) / 60), 0)::bigint)
$function$;

-- 0056_groups_and_large_amounts.sql
-- Micro-USD as the decimal string of the wire: a quotient of so large numbers would be rounded.
CREATE OR REPLACE FUNCTION public.usd(p_micro bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select (p_micro * 0.000001)::numeric(20, 6)::text
$function$;

-- 0093_credit.sql
-- Pays at most `p_amount` of what the wallet is about to pay for a meter. Returns how much. The wallet is locked.
CREATE OR REPLACE FUNCTION public.use_credit(p_user_id uuid, p_meter uuid, p_amount bigint, p_idem text, p_words text, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare v_used bigint; v_credit bigint; v_wallet bigint;
begin
  select w.credit_account, w.account_id, least(p_amount, c.balance_micro) into v_credit, v_wallet, v_used
  from wallets w join ledger_account c on c.id = w.credit_account where w.user_id = p_user_id and w.credit_ends_at > p_at;
  if coalesce(v_used, 0) = 0 then return 0; end if;
  perform ledger_post(key_of('credit_used:' || p_idem), v_credit, v_wallet, v_used, 'credit_used', p_user_id, p_meter, p_words, p_at);
  return v_used;
end $function$;

-- 0046_sums_and_pages.sql
-- How long a user's meters ran by month in the lines after these, less what was returned. A line that goes over the end
-- of a month counts in each of its months.
CREATE OR REPLACE FUNCTION public.used_after(p_user_id uuid, p_line bigint, p_return bigint)
 RETURNS TABLE(month date, used_ms bigint, last_line bigint, last_return bigint)
 LANGUAGE sql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
  with line as (
    select 1 as sign, id, from_at at time zone 'UTC' as from_at, to_at at time zone 'UTC' as to_at from usage_line
    where user_id = p_user_id and id > p_line
    union all
    select -1, id, from_at at time zone 'UTC', to_at at time zone 'UTC' from usage_return
    where user_id = p_user_id and id > p_return
  ), part as (
    select sign, id, date_trunc('month', from_at) as month, from_at, to_at from line
    where to_at <= date_trunc('month', from_at) + interval '1 month'
    union all
    select sign, id, m.month, greatest(from_at, m.month), least(to_at, m.month + interval '1 month')
    from line, generate_series(date_trunc('month', from_at), to_at - interval '1 microsecond', interval '1 month') m(month)
    where to_at > date_trunc('month', from_at) + interval '1 month'
  )
  select month::date, sum(sign * (extract(epoch from to_at - from_at) * 1000)::bigint)::bigint,
    max(id) filter (where sign = 1), max(id) filter (where sign = -1)
  from part group by 1
$function$;

-- 0150_queue.sql
-- Whether somebody whose turn is before could use a place on this host that has room for so many cards.
CREATE OR REPLACE FUNCTION public.waits_before(p_host bigint, p_gpu_type text, p_gpu_count integer, p_turn bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from instance_queue q join gpu_instances i on i.id = q.instance_id join host h on h.id = p_host
    where q.blocked is null and (p_turn is null or q.turn < p_turn) and i.driver = h.driver
      and (not sells_cards(h.driver) or i.gpu_type = p_gpu_type and i.gpu_count <= p_gpu_count)
      and (i.host_id = h.id or i.host_id is null and (h.disk_gb is null or h.disk_gb_taken + i.storage_gb <= h.disk_gb)))
$function$;

-- 0034_spans_and_runway.sql
-- What a wallet owes for running meters at `p_at` beyond what is prepaid for each: exact sums, rounded down once.
CREATE OR REPLACE FUNCTION public.wallet_accrued(p_user_id uuid, p_at timestamp with time zone, p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(div(sum(drawn(m, p_at, p_now)), 3600000), 0)::bigint
  from meter_now m where m.user_id = p_user_id and m.is_running
$function$;

-- 0093_credit.sql
-- What the wallet itself owes at `p_at`: what has accrued beyond what credit pays of it.
CREATE OR REPLACE FUNCTION public.wallet_owed(p_user_id uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select wallet_accrued(p_user_id, p_at) - credit_covers(p_user_id, p_at, null)
$function$;

-- 0094_credit_settles.sql
-- For each wallet: the last millisecond up to `p_untils` at which it covers what its meters drew. Whoever asks ends the
-- span at the first month in advance. With `p_now` it is a forecast from then on, and covers their next months too.
CREATE OR REPLACE FUNCTION public.wallets_last(p_users uuid[], p_untils timestamp with time zone[], p_now timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS TABLE(user_id uuid, until_at timestamp with time zone, last_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  with wallet as materialized (
    select u.user_id, u.until_at, most_of(a.balance_micro + case when w.credit_account is null then 0 else credit_covers(u.user_id, u.until_at, p_now) end) as most, coalesce(d.drawn, 0) as drawn, coalesce(d.all_months, 0) as all_months
    from unnest(p_users, p_untils) u(user_id, until_at)
    join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
    cross join lateral (
      select sum(drawn(m, u.until_at, p_now)
          + case when p_now is not null and m.renews_at <= u.until_at then month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric
            * (div(ms_of(u.until_at) - ms_of(m.renews_at), k.renews_ms) + 1) else 0 end) as drawn,
        sum(month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric) as all_months
      from meter_now m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.is_running) d)
  select user_id, until_at, until_at from wallet where drawn <= most
  union all
  select w.user_id, w.until_at, least(w.until_at, at_ms(meets(array(
    select row(e.*)::edge
    from (
      select price, behind, began, draws_from(price, behind, began, until) as draws, stop, until, renews, renews_ms, month
      from (
        select m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
          ms_of(least(w.until_at, case when p_now is null or m.horizon < p_now then m.horizon end, m.renews_at)) as stop,
          ms_of(w.until_at) as until, ms_of(m.renews_at) as renews, k.renews_ms,
          month_cost(m.month_micro, m.price_micro, k.renews_ms) * 3600000::numeric as month
        from meter_now m join meter_kind k on k.id = m.kind where m.user_id = w.user_id and m.is_running offset 0) m offset 0) m
    cross join lateral (
      select * from edges_of(price, behind, began, draws, stop, 0, until)
      union all
      select * from months_of(month, renews, renews_ms, until, w.all_months, w.most) where p_now is not null) e), w.most)))
  from wallet w where drawn > most
$function$;

-- 0085_runway_warnings.sql
-- Whether one about the balance waits, or went less than a day ago.
CREATE OR REPLACE FUNCTION public.was_warned(p_user_id uuid, p_channel text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from notice where user_id = p_user_id and channel = p_channel
      and kind in ('balance_low', 'balance_ending', 'balance_hour', 'balance_minutes')
      and (due_at is not null or sent_at > now() - interval '1 day'))
$function$;

-- 0194_machines.sql
-- Why nothing of a driver, or of one host, fits; `passed over` where something does.
CREATE OR REPLACE FUNCTION public.why_no_place(p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer, p_memory_gb integer, p_disk_gb integer, p_host bigint)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  with each as (
    select h.*, h.is_there and i.seen_at > silent_since() as is_heard, not h.has_cards or c.uuid is not null as is_offered,
      h.cordoned_at is null as is_open,
      not h.is_over and h.machines_taken < h.machines and (not h.has_cards or coalesce(p.free, 0) >= p_gpu_count) as is_free,
      not h.has_cards or (h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores and h.memory_gb_taken + p_memory_gb <= h.memory_gb) as has_size,
      h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb as has_disk
    from host h join driver_inventory i on i.driver = h.driver
    left join card_pool p on p.host_id = h.id and p.gpu_type = p_gpu_type
    left join lateral (select uuid from card where host_id = h.id and gpu_type = p_gpu_type and is_there limit 1) c on true
    where h.driver = p_driver and (p_host is null or h.id = p_host)
      and (h.has_cards or not exists (select from host o where o.driver = p_driver and o.has_cards)))
  select case
    when not coalesce(bool_or(is_heard), false) then 'away'
    when not bool_or(is_heard and is_offered) then 'not_offered'
    when not bool_or(is_heard and is_offered and is_open) then 'cordoned'
    when not bool_or(is_heard and is_open and is_free) then 'taken'
    when not bool_or(is_heard and is_open and is_free and has_size) then 'size'
    when not bool_or(is_heard and is_open and is_free and has_size and has_disk) then 'disk'
    else 'passed over' end
  from each
$function$;

-- 0096_credit_is_given.sql
-- What may be taken out: at most what was deposited less what was spent and taken out, which is the balance less what an
-- operator gave. Ten minutes of what runs stay, as with every other charge.
CREATE OR REPLACE FUNCTION public.withdrawable(p_user_id uuid, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_owed(p_user_id, p_at) - start_reserve(p_user_id, p_at) - coalesce((
      select sum(amount_micro) from ledger_transfer where user_id = p_user_id and code = 'credit'), 0))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)::bigint
$function$;

-- 0091_withdrawals.sql
-- When it may be sent: a day after all that somebody who broke in would have had to change. An address that was paid to
-- before is known.
CREATE OR REPLACE FUNCTION public.withdrawal_payable_at(w withdrawal)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select greatest(
    w.asked_at + case when exists (
      select from withdrawal p where p.user_id = w.user_id and p.address20 = w.address20 and p.state = 'paid') then interval '0' else interval '1 day' end,
    security_changed_at(w.user_id) + interval '1 day')
$function$;

CREATE TRIGGER give_up AFTER DELETE ON public.allocation FOR EACH ROW EXECUTE FUNCTION give_up_place();

CREATE TRIGGER audit_ended AFTER UPDATE ON public.api_keys FOR EACH ROW WHEN ((old.is_active AND (NOT new.is_active))) EXECUTE FUNCTION audit_api_key();

CREATE TRIGGER audit_made AFTER INSERT ON public.api_keys FOR EACH ROW EXECUTE FUNCTION audit_api_key();

CREATE TRIGGER refuse_deleted_user BEFORE INSERT ON public.api_keys FOR EACH ROW EXECUTE FUNCTION refuse_deleted_user();

CREATE TRIGGER append_only BEFORE DELETE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER only_emptied BEFORE UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_keeps();

CREATE TRIGGER audit_made AFTER INSERT ON public.auth_factor FOR EACH ROW WHEN ((new.status = 'verified'::text)) EXECUTE FUNCTION audit_factor();

CREATE TRIGGER audit_removed AFTER DELETE ON public.auth_factor FOR EACH ROW WHEN ((old.status = 'verified'::text)) EXECUTE FUNCTION audit_factor();

CREATE TRIGGER audit_verified AFTER UPDATE ON public.auth_factor FOR EACH ROW WHEN (((new.status = 'verified'::text) AND (old.status <> 'verified'::text))) EXECUTE FUNCTION audit_factor();

CREATE TRIGGER audit_linked AFTER INSERT ON public.auth_identity FOR EACH ROW WHEN ((new.provider <> ALL (ARRAY['email'::text, 'phone'::text]))) EXECUTE FUNCTION audit_identity();

CREATE TRIGGER audit_unlinked AFTER DELETE ON public.auth_identity FOR EACH ROW WHEN ((old.provider <> ALL (ARRAY['email'::text, 'phone'::text]))) EXECUTE FUNCTION audit_identity();

CREATE TRIGGER audit AFTER INSERT ON public.auth_recovery_code REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION audit_recovery_codes();

CREATE TRIGGER audit AFTER DELETE ON public.auth_session REFERENCING OLD TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION audit_ended_sessions();

CREATE TRIGGER refuse_deleted_user BEFORE INSERT ON public.auth_session FOR EACH ROW EXECUTE FUNCTION refuse_deleted_user();

CREATE TRIGGER audit_changed AFTER UPDATE ON public.auth_user FOR EACH ROW WHEN ((((((((old.email IS DISTINCT FROM new.email) OR (old.phone IS DISTINCT FROM new.phone)) OR (old.password_hash IS DISTINCT FROM new.password_hash)) OR (old.role IS DISTINCT FROM new.role)) OR (old.banned_until IS DISTINCT FROM new.banned_until)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at)) OR is_staff_now())) EXECUTE FUNCTION audit_user();

CREATE TRIGGER audit_made AFTER INSERT ON public.auth_user FOR EACH ROW WHEN (is_staff_now()) EXECUTE FUNCTION audit_user();

CREATE TRIGGER make_profile AFTER INSERT ON public.auth_user FOR EACH ROW EXECUTE FUNCTION make_profile();

CREATE TRIGGER suspension_replaced AFTER UPDATE ON public.auth_user FOR EACH ROW WHEN ((old.banned_until IS DISTINCT FROM new.banned_until)) EXECUTE FUNCTION end_suspension();

CREATE TRIGGER only_forward BEFORE UPDATE ON public.business_clock FOR EACH ROW EXECUTE FUNCTION business_clock_only_forward();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.chain_sweep FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.chain_sweep FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER notice_event AFTER INSERT ON public.event FOR EACH ROW WHEN (((new.type = ANY (ARRAY['instance.start_failed'::text, 'instance.auto_stopped'::text])) OR ((new.type = 'instance.stopped'::text) AND ((new.data ->> 'reason'::text) = ANY (ARRAY['lost'::text, 'ended'::text]))))) EXECUTE FUNCTION notice_event();

CREATE TRIGGER follow_place AFTER UPDATE ON public.gpu_instances FOR EACH ROW WHEN ((((new.status = 'terminated'::text) AND (old.status <> 'terminated'::text)) OR ((new.status = 'stopped'::text) AND (new.due_at IS NULL) AND ((old.status <> 'stopped'::text) OR (old.due_at IS NOT NULL) OR (old.paid_until IS DISTINCT FROM new.paid_until))))) EXECUTE FUNCTION follow_instance();

CREATE TRIGGER forget_ports AFTER UPDATE OF desired ON public.gpu_instances FOR EACH ROW WHEN (((new.desired = 'deleted'::text) AND (old.desired <> 'deleted'::text))) EXECUTE FUNCTION forget_ports();

CREATE TRIGGER forget_schedules BEFORE UPDATE ON public.gpu_instances FOR EACH ROW WHEN (((new.desired = 'deleted'::text) AND (old.desired <> 'deleted'::text))) EXECUTE FUNCTION forget_schedules();

CREATE TRIGGER forget_ssh_password BEFORE UPDATE ON public.gpu_instances FOR EACH ROW WHEN (((new.desired = 'deleted'::text) AND (new.ssh_password_sealed IS NOT NULL))) EXECUTE FUNCTION forget_ssh_password();

CREATE TRIGGER keep_disk_added AFTER INSERT ON public.gpu_instances FOR EACH ROW WHEN ((new.host_id IS NOT NULL)) EXECUTE FUNCTION count_disk();

CREATE TRIGGER keep_disk_changed AFTER UPDATE ON public.gpu_instances FOR EACH ROW WHEN (((old.host_id IS DISTINCT FROM new.host_id) OR (old.storage_gb <> new.storage_gb) OR ((new.status = 'terminated'::text) <> (old.status = 'terminated'::text)))) EXECUTE FUNCTION count_disk();

CREATE TRIGGER refuse_cordoned BEFORE UPDATE OF host_id ON public.gpu_instances FOR EACH ROW WHEN (((old.host_id IS NULL) AND (new.host_id IS NOT NULL) AND (new.status = 'stopped'::text))) EXECUTE FUNCTION refuse_cordoned();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.gpu_price FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER refuse_past BEFORE INSERT OR DELETE OR UPDATE ON public.gpu_price FOR EACH ROW EXECUTE FUNCTION refuse_past_price();

CREATE TRIGGER signal_change AFTER INSERT OR DELETE OR UPDATE ON public.gpu_price FOR EACH STATEMENT EXECUTE FUNCTION signal_catalog();

CREATE TRIGGER keep_one AFTER DELETE OR UPDATE ON public.gpu_type FOR EACH STATEMENT EXECUTE FUNCTION keep_gpu_on_sale();

CREATE TRIGGER signal_change AFTER INSERT OR DELETE OR UPDATE ON public.gpu_type FOR EACH STATEMENT EXECUTE FUNCTION signal_catalog();

CREATE TRIGGER no_oversold_disk BEFORE UPDATE OF disk_gb_taken ON public.host FOR EACH ROW WHEN (((new.disk_gb_taken > old.disk_gb_taken) AND (new.disk_gb_taken > new.disk_gb))) EXECUTE FUNCTION refuse_oversold_disk();

CREATE TRIGGER note_outage AFTER UPDATE OF is_there, drained_at ON public.host FOR EACH ROW WHEN (((old.is_there <> new.is_there) OR ((old.drained_at IS NULL) <> (new.drained_at IS NULL)))) EXECUTE FUNCTION note_outage();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.installation FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.installation FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER invoice_is_final BEFORE DELETE OR UPDATE ON public.invoice FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER invoice_stays BEFORE TRUNCATE ON public.invoice FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER invoice_line_is_final BEFORE DELETE OR UPDATE ON public.invoice_line FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER invoice_line_stays BEFORE TRUNCATE ON public.invoice_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER invoice_month_is_final BEFORE DELETE OR UPDATE ON public.invoice_month FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER invoice_month_stays BEFORE TRUNCATE ON public.invoice_month FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.ledger_transfer FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.ledger_transfer FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.meter_span FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.meter_span FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER keep_disk_added AFTER INSERT ON public.network_volumes FOR EACH ROW WHEN ((new.host_id IS NOT NULL)) EXECUTE FUNCTION count_stored_disk();

CREATE TRIGGER keep_disk_changed AFTER UPDATE OF host_id, size_gb ON public.network_volumes FOR EACH ROW WHEN (((old.host_id IS DISTINCT FROM new.host_id) OR (old.size_gb IS DISTINCT FROM new.size_gb))) EXECUTE FUNCTION count_stored_disk();

CREATE TRIGGER keep_disk_gone AFTER DELETE ON public.network_volumes FOR EACH ROW WHEN ((old.host_id IS NOT NULL)) EXECUTE FUNCTION count_stored_disk();

CREATE TRIGGER refuse_cordoned BEFORE INSERT ON public.network_volumes FOR EACH ROW WHEN ((new.host_id IS NOT NULL)) EXECUTE FUNCTION refuse_cordoned();

CREATE TRIGGER signal_change AFTER INSERT OR DELETE OR UPDATE ON public.region FOR EACH STATEMENT EXECUTE FUNCTION signal_catalog();

CREATE TRIGGER audit_made AFTER INSERT ON public.ssh_key FOR EACH ROW EXECUTE FUNCTION audit_ssh_key();

CREATE TRIGGER audit_removed AFTER DELETE ON public.ssh_key FOR EACH ROW EXECUTE FUNCTION audit_ssh_key();

CREATE TRIGGER refuse_deleted_user BEFORE INSERT ON public.ssh_key FOR EACH ROW EXECUTE FUNCTION refuse_deleted_user();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.term_extension FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.term_extension FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.usage_line FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.usage_line FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.usage_return FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER append_only_all BEFORE TRUNCATE ON public.usage_return FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit AFTER INSERT OR DELETE OR UPDATE ON public.user_roles FOR EACH ROW EXECUTE FUNCTION audit_role();

CREATE TRIGGER refuse_deleted_user BEFORE INSERT ON public.user_settings FOR EACH ROW EXECUTE FUNCTION refuse_deleted_user();

CREATE TRIGGER keep_disk_added AFTER INSERT ON public.volume_snapshots FOR EACH ROW WHEN ((new.host_id IS NOT NULL)) EXECUTE FUNCTION count_stored_disk();

CREATE TRIGGER keep_disk_changed AFTER UPDATE OF host_id, used_bytes ON public.volume_snapshots FOR EACH ROW WHEN (((old.host_id IS DISTINCT FROM new.host_id) OR (old.used_bytes IS DISTINCT FROM new.used_bytes))) EXECUTE FUNCTION count_stored_disk();

CREATE TRIGGER keep_disk_gone AFTER DELETE ON public.volume_snapshots FOR EACH ROW WHEN ((old.host_id IS NOT NULL)) EXECUTE FUNCTION count_stored_disk();

CREATE TRIGGER wallets_are_invoiced AFTER INSERT ON public.wallets FOR EACH ROW EXECUTE FUNCTION begin_invoicing();
