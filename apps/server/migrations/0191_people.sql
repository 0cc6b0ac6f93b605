-- Accounts that administrators keep out. Who did it and why stays in the audit log; the row goes when it is over.
create table suspension (
  user_id uuid primary key references auth_user on delete cascade,
  -- The customer reads it as it was written.
  reason text not null check (length(reason) between 1 and 500),
  suspended_at timestamptz not null default now(),
  -- A ban that stood before, and stands again after it.
  banned_before timestamptz,
  -- Until nothing of the account runs.
  due_at timestamptz,
  lock_token uuid,
  lock_expires_at timestamptz
);
create index suspension_due on suspension (due_at) where due_at is not null;

-- A suspension is a ban that has a reason. Whoever sets or lifts the ban by another way, such as the auth service's own
-- call, replaces the suspension by that.
create function end_suspension() returns trigger language plpgsql as $$
begin
  delete from suspension where user_id = new.id;
  return null;
end $$;
create trigger suspension_replaced after update on auth_user for each row
when (old.banned_until is distinct from new.banned_until) execute function end_suspension();

-- Why an instance stands still.
do $$
declare v record;
begin
  for v in
    select conname, pg_get_expr(conbin, conrelid) as expression from pg_constraint
    where conrelid = 'gpu_instances'::regclass and conname = 'gpu_instances_status_reason_check'
  loop
    execute format('alter table gpu_instances drop constraint %I, add constraint %1$I check (%s or status_reason = any (array[''suspended'']))', v.conname, v.expression);
  end loop;
end $$;
