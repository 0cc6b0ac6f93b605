-- Times at which an instance starts or stops by itself.
create table instance_schedule (
  id uuid primary key,
  instance_id uuid not null references gpu_instances,
  action text not null check (action in ('start', 'stop')),
  -- As a clock in that zone shows it: 07:30.
  time text not null check (time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  -- Monday is 1.
  weekdays integer[] not null check (cardinality(weekdays) between 1 and 7),
  time_zone text not null,
  enabled boolean not null default true,
  -- What became of the last time, and which one that was.
  last_at timestamptz,
  last_outcome text check (last_outcome in ('done', 'nothing_to_do', 'refused', 'missed')),
  last_message text,
  -- The time that waits for an instance that is starting or stopping.
  waiting_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The next time, in business time; null while it is off.
  due_at timestamptz,
  lock_token uuid,
  lock_expires_at timestamptz
);
create index on instance_schedule (instance_id);
create index on instance_schedule (due_at) where due_at is not null;

-- They go with their instance. Whoever deletes one holds its wallet, as whoever carries a schedule out.
create function forget_schedules() returns trigger language plpgsql as $$
begin
  delete from instance_schedule where instance_id = new.id;
  return new;
end $$;
create trigger forget_schedules before update on gpu_instances for each row
when (new.desired = 'deleted' and old.desired <> 'deleted') execute function forget_schedules();
