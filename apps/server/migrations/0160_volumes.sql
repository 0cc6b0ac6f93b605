-- Network volumes and their snapshots: rows that outlive machines, each a meter that is paid by the month in advance. What
-- they are called in a bill is the meter's label. A row goes when nothing is left of it in its store.
create table network_volumes (
  id uuid primary key,
  -- An account with a disk can't be erased.
  user_id uuid not null references auth_user on delete restrict,
  name text not null check (length(name) between 1 and 64),
  -- What is paid for.
  size_gb integer not null check (size_gb between 10 and 5000),
  -- What the store made of it; less while it grows, 0 before it is made.
  stored_gb integer not null default 0 check (stored_gb between 0 and size_gb),
  region text not null references region,
  -- Whose store has it: volumes move to no other.
  driver text not null,
  host_id bigint references host,
  -- `in-use` is no status of its own here: an instance says so.
  status text not null default 'creating' check (status in ('creating', 'available', 'deleting')),
  status_message text,
  month_micro bigint not null check (month_micro >= 0),
  -- Its month could not be paid: it is read-only, and deleted after the days of grace of its kind.
  lapsed_at timestamptz,
  -- What the store was last seen to do; `lapsed_at` says what it is to do.
  is_read_only boolean not null default false,
  -- As last measured; null: not yet, or its store does not measure.
  used_bytes bigint check (used_bytes >= 0),
  used_at timestamptz,
  -- It holds what this snapshot did; its row may be gone.
  restored_from uuid,
  driver_ref text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the loop looks at it again (business clock), null when nothing is to be done.
  due_at timestamptz,
  attempts integer not null default 0,
  lock_token uuid,
  lock_expires_at timestamptz
);
create index network_volumes_list on network_volumes (user_id, id desc);
create index network_volumes_due on network_volumes (due_at) where due_at is not null;

create table volume_snapshots (
  id uuid primary key,
  user_id uuid not null references auth_user on delete restrict,
  -- The volume may be gone: a snapshot lives on.
  volume_id uuid not null,
  volume_name text not null,
  name text not null check (length(name) between 1 and 64),
  region text not null references region,
  driver text not null,
  host_id bigint references host,
  status text not null default 'creating' check (status in ('creating', 'available', 'deleting')),
  status_message text,
  -- The smallest volume that it can be restored to.
  size_gb integer not null,
  -- What is stored, and paid for; null until it is.
  used_bytes bigint check (used_bytes >= 0),
  sha256 bytea check (length(sha256) = 32),
  month_micro bigint not null check (month_micro >= 0),
  lapsed_at timestamptz,
  driver_ref text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  due_at timestamptz,
  attempts integer not null default 0,
  lock_token uuid,
  lock_expires_at timestamptz
);
create index volume_snapshots_list on volume_snapshots (volume_id, id desc);
create index volume_snapshots_user on volume_snapshots (user_id, id desc);
create index volume_snapshots_due on volume_snapshots (due_at) where due_at is not null;

-- One volume for an instance is its column; one instance for a volume is this index, which decides races.
alter table gpu_instances add foreign key (network_volume_id) references network_volumes;
create unique index gpu_instances_volume on gpu_instances (network_volume_id) where network_volume_id is not null;

-- What becomes of volumes whose meters the ledger ends. The loop does it: lapsed ones become read-only, revived ones
-- writable again, and those whose grace or account is over are destroyed.
create function end_volumes(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
begin
  perform 1 from network_volumes where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'lapsed', 'budget_reached', 'account_budget_reached') then
    update network_volumes v set lapsed_at = e.time, due_at = p_at, updated_at = p_at
    from unnest(p_ids, p_times) e(id, time) where v.id = e.id and v.status <> 'deleting';
  elsif p_cause = 'revived' then
    update network_volumes set lapsed_at = null, due_at = p_at, updated_at = p_at where id = any(p_ids);
  elsif p_cause in ('grace_over', 'account_deleted') then
    update network_volumes set status = 'deleting', attempts = 0, due_at = p_at, updated_at = p_at where id = any(p_ids);
  elsif p_cause = 'erased' then
    update network_volumes set name = 'deleted', status_message = null where id = any(p_ids);
  else
    raise exception 'a volume does not know %', p_cause;
  end if;
end $$;

create function end_snapshots(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
begin
  perform 1 from volume_snapshots where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'lapsed', 'budget_reached', 'account_budget_reached') then
    update volume_snapshots s set lapsed_at = e.time, updated_at = p_at
    from unnest(p_ids, p_times) e(id, time) where s.id = e.id and s.status <> 'deleting';
  elsif p_cause = 'revived' then
    update volume_snapshots set lapsed_at = null, updated_at = p_at where id = any(p_ids);
  elsif p_cause in ('grace_over', 'account_deleted') then
    update volume_snapshots set status = 'deleting', attempts = 0, due_at = p_at, updated_at = p_at where id = any(p_ids);
  elsif p_cause = 'erased' then
    update volume_snapshots set name = 'deleted', volume_name = 'deleted', status_message = null where id = any(p_ids);
  else
    raise exception 'a snapshot does not know %', p_cause;
  end if;
end $$;

insert into meter_kind (id, noun, is_looked_at, renews_ms, at_end, grace_days, returns, usage_words, renewal_words, return_words,
  charged_event, closed_event, lapsed_event, renewed_event, revived_event, ended_by)
values
  ('volume', 'Network volume', false, 2592000000, 'lapse', 7, 'rest', 'storage', 'next month', 'unused part of the month',
    null, 'volume.ended', 'volume.lapsed', 'volume.renewed', 'volume.revived', 'end_volumes'),
  ('snapshot', 'Snapshot', false, 2592000000, 'lapse', 7, 'rest', 'storage', 'next month', 'unused part of the month',
    null, 'volume.snapshot_ended', 'volume.snapshot_lapsed', 'volume.snapshot_renewed', 'volume.snapshot_revived', 'end_snapshots');
