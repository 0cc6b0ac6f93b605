-- Files that come in pieces. What came so far stands beside the path, under the upload's own name, until all of it is there.
create table file_upload (
  id uuid primary key,
  user_id uuid not null references auth_user on delete cascade,
  instance_id uuid references gpu_instances on delete cascade,
  volume_id uuid references network_volumes on delete cascade,
  path text not null check (length(path) between 1 and 4096),
  -- Over a file that is there.
  replaces boolean not null,
  bytes bigint not null check (bytes between 0 and 1000000000000),
  -- Written, and of the checksum that was named.
  received_bytes bigint not null default 0 check (received_bytes between 0 and bytes),
  -- `placing`: whole and held against its checksum; it is being put at its path, by whoever comes first after a kill.
  state text not null default 'open' check (state in ('open', 'placing', 'done', 'failed')),
  message text,
  -- Who writes to it now, for as long as they say that they do: one at a time.
  writer uuid,
  writer_until timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check (num_nonnulls(instance_id, volume_id) = 1),
  check ((writer is null) = (writer_until is null))
);
create index on file_upload (user_id) where state in ('open', 'placing');
create index on file_upload (expires_at);
create index on file_upload (instance_id) where instance_id is not null;
create index on file_upload (volume_id) where volume_id is not null;
