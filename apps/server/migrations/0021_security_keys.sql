-- Security keys and passkeys as second factors, and accounts that nobody has named yet.

alter table auth_factor
  -- Of a security key: its name for the account, what its answers are checked with, how often it has answered (0 where it
  -- does not count), and how browsers reach it.
  add column credential_id bytea check (length(credential_id) between 1 and 1023),
  add column public_key bytea,
  add column sign_count bigint not null default 0,
  add column transports text[] not null default '{}',
  drop constraint auth_factor_factor_type_check,
  add constraint auth_factor_factor_type_check
    check (factor_type in ('totp', 'phone', 'recovery_code', 'webauthn')),
  -- The key comes with the first right answer.
  add check ((factor_type = 'webauthn' and status = 'verified') = (credential_id is not null)),
  add check ((credential_id is null) = (public_key is null));
create unique index auth_one_key on auth_factor (user_id, credential_id) where credential_id is not null;

-- What a security key is to sign. It is no secret.
alter table auth_factor_challenge add column nonce bytea;

-- Signed in without an address, a phone or a provider; false for ever once there is one.
alter table auth_user add column is_anonymous boolean not null default false;
