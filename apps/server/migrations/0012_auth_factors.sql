-- Second factors, what sessions know of their use, and the life of signing keys.

-- A factor is enrolled unverified and becomes verified by its first right code. Recovery codes are a factor as well.
create table auth_factor (
  id uuid primary key,
  user_id uuid not null references auth_user on delete cascade,
  factor_type text not null check (factor_type in ('totp', 'phone', 'recovery_code')),
  status text not null default 'unverified' check (status in ('unverified', 'verified')),
  friendly_name text not null,
  -- The key that the authenticator app shares.
  secret_sealed bytea,
  -- The 30 s step of the last accepted code: neither it nor an older one is accepted again.
  last_step bigint not null default 0,
  -- Digits without `+`.
  phone text,
  -- Wrong codes since the last right one, and until when they make the next try wait.
  failures integer not null default 0,
  locked_until timestamptz,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (user_id, friendly_name),
  check ((factor_type = 'totp') = (secret_sealed is not null)),
  check ((factor_type = 'phone') = (phone is not null))
);
create unique index auth_one_phone_factor on auth_factor (user_id, phone) where phone is not null;
create unique index auth_one_recovery_factor on auth_factor (user_id) where factor_type = 'recovery_code';

-- A challenge is answered once, from the address that asked for it.
create table auth_factor_challenge (
  id uuid primary key,
  factor_id uuid not null references auth_factor on delete cascade,
  ip inet,
  -- The code of an SMS; an authenticator app makes its own.
  code_sealed bytea,
  expires_at timestamptz not null,
  verified_at timestamptz
);
create index on auth_factor_challenge (factor_id);

-- Codes have 79 random bits, so a plain SHA-256 of one tells nothing.
create table auth_recovery_code (
  factor_id uuid not null references auth_factor on delete cascade,
  code_hash text not null,
  used_at timestamptz,
  primary key (factor_id, code_hash)
);

alter table auth_session
  -- Tokens with a smaller counter are from before the second factor and never get at what came after it.
  add column first_counter bigint not null default 0,
  add column last_active_at timestamptz not null default now(),
  -- Set when the user signed in elsewhere and may have one session only.
  add column superseded_at timestamptz;

-- Stand by (neither time set), sign, then only verify. Deleted once the last token signed with it has expired.
alter table auth_signing_key
  add column signs_from timestamptz,
  add column signs_until timestamptz;
update auth_signing_key set signs_from = created_at where signs;
