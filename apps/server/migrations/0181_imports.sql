-- Files that the service fetches from an address. What came so far stands beside the path, as an upload's does.
create table file_import (
  id uuid primary key,
  user_id uuid not null references auth_user on delete cascade,
  instance_id uuid references gpu_instances on delete cascade,
  volume_id uuid references network_volumes on delete cascade,
  path text not null check (length(path) between 1 and 4096),
  -- Over a file that is there.
  replaces boolean not null,
  -- Whole, for as long as it is needed: its query may hold a key. Null once it has ended.
  url_sealed bytea,
  -- Without its query.
  url text not null check (length(url) between 1 and 2000),
  -- `placing`: whole; it is being put at its path.
  state text not null default 'waiting' check (state in ('waiting', 'running', 'placing', 'done', 'failed', 'cancelled')),
  message text,
  -- Written.
  received_bytes bigint not null default 0 check (received_bytes >= 0),
  total_bytes bigint check (total_bytes >= 0),
  -- What the other side calls what it sends: the rest is asked for only of the same.
  tag text check (length(tag) <= 1000),
  sha256 text,
  -- Failures since something came last.
  attempts integer not null default 0,
  started_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Its owner wants to see no more of it.
  is_off_list boolean not null default false,
  -- While it runs: now. After its end: when what is left of it goes.
  due_at timestamptz,
  lock_token uuid,
  lock_expires_at timestamptz,
  check (num_nonnulls(instance_id, volume_id) = 1),
  check (url_sealed is not null or state in ('placing', 'done', 'failed', 'cancelled'))
);
create index on file_import (due_at);
create index on file_import (user_id, id) where state in ('waiting', 'running', 'placing');
create index on file_import (instance_id) where instance_id is not null;
create index on file_import (volume_id) where volume_id is not null;
