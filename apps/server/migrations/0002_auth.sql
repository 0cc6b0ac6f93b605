-- Identity, sessions and roles. The auth service's wire contract lives in apps/server/src/auth.

-- A time as the wire's string, for rows that SQL itself turns into JSON.
create function rfc3339(p_at timestamptz) returns text language sql immutable as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create table auth_user (
  id uuid primary key,
  role text not null default 'authenticated',
  email text check (email = lower(email) and length(email) <= 255),
  password_hash text,
  email_confirmed_at timestamptz,
  confirmation_sent_at timestamptz,
  -- Asked for and not yet confirmed.
  new_email text check (new_email = lower(new_email) and length(new_email) <= 255),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  app_metadata jsonb not null default '{}',
  user_metadata jsonb not null default '{}',
  banned_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index auth_user_email on auth_user (email) where email is not null;

create table auth_identity (
  id uuid primary key,
  user_id uuid not null references auth_user on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider, provider_id)
);
create index on auth_identity (user_id);

-- A refresh token is (session id, counter, MAC under refresh_key_sealed): nothing in this row can be presented as one.
create table auth_session (
  id uuid primary key,
  user_id uuid not null references auth_user on delete cascade,
  refresh_key_sealed bytea not null,
  refresh_counter bigint not null default 0,
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2')),
  amr jsonb not null default '[]',
  user_agent text,
  ip inet,
  created_at timestamptz not null default now(),
  refreshed_at timestamptz not null default now()
);
create index on auth_session (user_id);

-- One pending code per user and kind; a newer mail replaces the older. A change of address has two, one per address.
-- `token_hash` is the SHA-256 of what the link carries, so nothing in this row can be presented as a link.
-- The challenge is there when a browser is to exchange the link's outcome itself (PKCE).
create table auth_otp (
  user_id uuid not null references auth_user on delete cascade,
  kind text not null check (kind in ('signup', 'recovery', 'magiclink', 'invite', 'email_change_current', 'email_change_new')),
  token_hash text not null,
  failed_attempts integer not null default 0,
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (user_id, kind),
  check ((code_challenge is null) = (code_challenge_method is null))
);
create unique index on auth_otp (token_hash);

-- What a PKCE link leads to: a code that the browser which holds the verifier exchanges for a session, once.
create table auth_code (
  code_hash text primary key,
  user_id uuid not null references auth_user on delete cascade,
  code_challenge text not null,
  code_challenge_method text not null check (code_challenge_method in ('s256', 'plain')),
  -- How the user proved themselves: the session's `amr`.
  method text not null,
  expires_at timestamptz not null
);
create index on auth_code (user_id);

create table auth_signing_key (
  kid text primary key,
  public_jwk jsonb not null,
  private_jwk_sealed bytea not null,
  signs boolean not null,
  created_at timestamptz not null default now()
);
create unique index auth_one_signing_key on auth_signing_key (signs) where signs;

-- Token buckets: `tokens` as of `refilled_at`.
create table auth_bucket (
  key text primary key,
  tokens double precision not null,
  refilled_at timestamptz not null
);

-- Wrong passwords per address, whether or not it has an account: the answer must not tell.
create table auth_failure (
  key text primary key,
  count integer not null,
  failed_at timestamptz not null,
  locked_until timestamptz
);

create table user_roles (
  user_id uuid not null references auth_user on delete cascade,
  role text not null check (role in ('moderator', 'admin')),
  created_by uuid,
  created_at timestamptz not null default now(),
  primary key (user_id, role)
);

create table profiles (
  user_id uuid primary key references auth_user on delete cascade,
  first_name text not null default '',
  last_name text not null default '',
  company text not null default '',
  role text not null default '',
  use_case text not null default '',
  plan_name text not null default 'Free',
  created_at timestamptz not null default now()
);

-- Every account has a profile from its first moment on.
create function make_profile() returns trigger language plpgsql as $$
begin
  insert into profiles (user_id, first_name, last_name)
  values (new.id, left(coalesce(new.user_metadata->>'first_name', ''), 120), left(coalesce(new.user_metadata->>'last_name', ''), 120));
  return new;
end $$;
create trigger make_profile after insert on auth_user for each row execute function make_profile();

-- Takes one token from a bucket of `p_burst` that refills at `p_per_second`; false when it is empty.
create function auth_take_token(p_key text, p_burst integer, p_per_second double precision) returns boolean
language plpgsql as $$
declare v_tokens double precision;
begin
  insert into auth_bucket as b (key, tokens, refilled_at) values (p_key, p_burst - 1, clock_timestamp())
  on conflict (key) do update set
    tokens = least(p_burst, b.tokens + p_per_second * extract(epoch from clock_timestamp() - b.refilled_at)) - 1,
    refilled_at = clock_timestamp()
  where least(p_burst, b.tokens + p_per_second * extract(epoch from clock_timestamp() - b.refilled_at)) >= 1
  returning tokens into v_tokens;
  return v_tokens is not null;
end $$;

-- Seconds until passwords are tried again for this address; 0: at once.
create function auth_locked_seconds(p_key text) returns integer language sql volatile as $$
  select coalesce((
    select ceil(extract(epoch from locked_until - clock_timestamp()))::integer from auth_failure
    where key = p_key and locked_until > clock_timestamp()), 0)
$$;

-- A wrong password: after `p_free` of them each one doubles the pause, up to `p_max_seconds`. A quiet day forgets them.
create function auth_note_failure(p_key text, p_free integer, p_max_seconds integer) returns void language plpgsql as $$
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
end $$;

-- A right password forgets the wrong ones; while the address is locked even the right one waits. Seconds to wait, or 0.
create function auth_clear_failures(p_key text) returns integer language plpgsql as $$
declare v_seconds integer := auth_locked_seconds(p_key);
begin
  if v_seconds = 0 then delete from auth_failure where key = p_key; end if;
  return v_seconds;
end $$;

-- Drops what no longer limits anybody.
create function auth_sweep() returns void language sql as $$
  delete from auth_bucket where refilled_at < now() - interval '1 day';
  delete from auth_failure where failed_at < now() - interval '1 day' and (locked_until is null or locked_until < now());
  delete from auth_code where expires_at < now() - interval '1 day';
$$;
