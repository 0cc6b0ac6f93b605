-- Phones, codes that a person types, spacing of messages, and the devices that an account was used from.

alter table auth_user
  -- Digits alone, without the leading plus.
  add column phone text check (phone ~ '^[1-9][0-9]{1,14}$'),
  add column phone_confirmed_at timestamptz,
  -- Asked for and not yet confirmed.
  add column new_phone text check (new_phone ~ '^[1-9][0-9]{1,14}$'),
  add column phone_change_sent_at timestamptz,
  add column recovery_sent_at timestamptz,
  add column reauthentication_sent_at timestamptz;
create unique index auth_user_phone on auth_user (phone) where phone is not null;
create index auth_user_new_phone on auth_user (new_phone) where new_phone is not null;

-- A code that a person types is short: hashed it could be tried out, so it lies sealed, and `token_hash` matches no link.
alter table auth_otp
  drop constraint auth_otp_kind_check,
  add constraint auth_otp_kind_check check (kind in (
    'signup', 'recovery', 'magiclink', 'invite', 'email_change_current', 'email_change_new',
    'sms', 'phone_change', 'reauthentication')),
  add column code_sealed bytea;

-- When a message was last asked for, per purpose and hash of the address, whether or not it has an account.
create table auth_sending (
  key text primary key,
  sent_at timestamptz not null
);

-- Browser and system families that somebody signed in with. Outlives the sessions, so that only what is new is told.
create table auth_device (
  user_id uuid not null references auth_user on delete cascade,
  device text not null,
  first_seen_at timestamptz not null default now(),
  primary key (user_id, device)
);

-- Messages to phones lie in the development inbox only; their rows are never due.
alter table mail add column kind text not null default 'mail' check (kind in ('mail', 'sms'));

-- Takes the next slot for a message: 0, or the seconds until there is one.
create function auth_claim_sending(p_key text, p_seconds integer) returns integer language plpgsql as $$
declare v_free boolean;
begin
  insert into auth_sending as s (key, sent_at) values (p_key, clock_timestamp())
  on conflict (key) do update set sent_at = clock_timestamp()
  where s.sent_at <= clock_timestamp() - p_seconds * interval '1 second'
  returning true into v_free;
  if v_free then return 0; end if;
  return (select greatest(1, ceil(extract(epoch from sent_at - clock_timestamp()) + p_seconds))::integer
    from auth_sending where key = p_key);
end $$;

-- Drops what no longer limits anybody, and codes that are over. Both halves of a change of address end together.
create or replace function auth_sweep() returns void language sql as $$
  delete from auth_bucket where refilled_at < now() - interval '1 day';
  delete from auth_failure where failed_at < now() - interval '1 day' and (locked_until is null or locked_until < now());
  delete from auth_code where expires_at < now() - interval '1 day';
  delete from auth_otp where expires_at < now() - interval '1 day';
  delete from auth_sending where sent_at < now() - interval '1 day';
$$;
