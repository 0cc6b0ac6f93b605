-- Links to downloads: each of one file or folder, for as long as its session or key stands and its time is not over.
create table file_ticket (
  -- Of the secret in the link.
  hash bytea primary key,
  user_id uuid not null references auth_user on delete cascade,
  instance_id uuid references gpu_instances on delete cascade,
  volume_id uuid references network_volumes on delete cascade,
  path text not null check (length(path) between 1 and 4096),
  session_id uuid,
  key_id uuid,
  expires_at timestamptz not null,
  check (num_nonnulls(instance_id, volume_id) = 1),
  check (num_nonnulls(session_id, key_id) = 1)
);
create index on file_ticket (expires_at);
create index on file_ticket (user_id);
create index on file_ticket (instance_id) where instance_id is not null;
create index on file_ticket (volume_id) where volume_id is not null;
