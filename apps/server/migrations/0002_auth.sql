-- Identity, sessions and roles. The auth service's wire contract lives in apps/server/src/auth.

create table auth_user (
  id uuid primary key,
  role text not null default 'authenticated',
  email text check (email = lower(email) and length(email) <= 255),
  password_hash text,
  email_confirmed_at timestamptz,
  confirmation_sent_at timestamptz,
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

-- One pending code per user and kind; a newer mail replaces the older. Only the hash is stored.
create table auth_otp (
  user_id uuid not null references auth_user on delete cascade,
  kind text not null check (kind in ('signup', 'recovery', 'magiclink', 'invite', 'email_change')),
  token_hash text not null,
  failed_attempts integer not null default 0,
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (user_id, kind)
);
create unique index on auth_otp (token_hash);

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
