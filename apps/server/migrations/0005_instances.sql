create table gpu_templates (
  id uuid primary key,
  name text not null,
  description text not null,
  category text not null,
  docker_image text not null,
  features text[] not null default '{}',
  popular boolean not null default false,
  is_public boolean not null default true,
  created_at timestamptz not null default now()
);

-- The instance as its owner sees it, and what the reconcile loop needs. `desired` is what was asked; the loop moves
-- `status` towards it. `due_at` (business clock) says when to look again, null when nothing is to be done.
create table gpu_instances (
  id uuid primary key,
  user_id uuid not null references auth_user on delete restrict,
  name text not null check (length(name) between 1 and 64),
  gpu_type text not null,
  gpu_count integer not null check (gpu_count in (1, 2, 4, 8)),
  cpu_cores integer not null,
  memory_gb integer not null,
  storage_gb integer not null generated always as (system_storage_gb + data_storage_gb) stored,
  system_storage_gb integer not null check (system_storage_gb > 0),
  data_storage_gb integer not null check (data_storage_gb > 0),
  status text not null check (status in ('running', 'stopped', 'starting', 'stopping', 'terminated')),
  status_reason text check (status_reason in ('balance_empty', 'start_failed', 'lost')),
  status_message text,
  region text not null,
  hardware text not null check (hardware in ('real', 'simulated')),
  shell text not null check (shell in ('real', 'simulated')),
  public_ip text,
  billing_period text not null check (billing_period in ('hourly', '3month', '1year')),
  hourly_cost_micro bigint not null check (hourly_cost_micro >= 0),
  paid_until timestamptz,
  template_id uuid references gpu_templates on delete set null,
  network_volume_id uuid,
  auto_shutdown_enabled boolean not null default false,
  auto_shutdown_minutes integer not null default 60 check (auto_shutdown_minutes between 5 and 480),
  last_activity_at timestamptz,
  started_at timestamptz,
  stopped_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,

  driver text not null,
  driver_ref text,
  desired text not null check (desired in ('running', 'stopped', 'deleted')),
  -- A restart is under way: after stopping it starts again.
  restarting boolean not null default false,
  -- When the driver last confirmed it; a lost machine is charged up to here.
  observed_at timestamptz,
  attempts integer not null default 0,
  due_at timestamptz,
  lock_token uuid,
  lock_expires_at timestamptz
);
create index gpu_instances_list on gpu_instances (user_id, id desc) where status <> 'terminated';
create index gpu_instances_due on gpu_instances (due_at) where due_at is not null;

-- One-time tickets that open a terminal's WebSocket. Only the hash is stored.
create table terminal_ticket (
  hash bytea primary key,
  instance_id uuid not null references gpu_instances on delete cascade,
  user_id uuid not null,
  session_id uuid not null,
  terminal_id text not null,
  expires_at timestamptz not null
);
create index on terminal_ticket (expires_at);
