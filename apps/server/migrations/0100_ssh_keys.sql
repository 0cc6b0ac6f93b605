-- Public keys of an account, with which each of its instances is reached by SSH. They go with the account.
create table ssh_key (
  user_id uuid not null references auth_user on delete cascade,
  id uuid primary key,
  name text not null check (length(name) between 1 and 80),
  type text not null,
  -- As it is sent when somebody signs in: RFC 4253, section 6.6.
  public_key bytea not null check (octet_length(public_key) <= 2048),
  fingerprint text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  unique (user_id, public_key)
);
create trigger refuse_deleted_user before insert on ssh_key for each row execute function refuse_deleted_user();
