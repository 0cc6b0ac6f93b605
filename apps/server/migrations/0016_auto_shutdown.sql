-- What the last look at a running instance found, for stopping it when it is idle. Looks are on the real clock: moving
-- the business clock on makes no instance idle. All null until the first look of a run, and again when auto-shutdown
-- is changed.
alter table gpu_instances
  add column looked_at timestamptz,
  -- The last look that found it at work.
  add column busy_at timestamptz,
  -- Processor time of the run; null where the driver cannot tell.
  add column seen_cpu_ms double precision,
  -- `last_activity_at` as it stood.
  add column seen_input_at timestamptz,
  drop constraint gpu_instances_status_reason_check,
  add constraint gpu_instances_status_reason_check
    check (status_reason in ('balance_empty', 'start_failed', 'lost', 'idle'));

-- Its columns do not change with a look, so a look writes no index.
create index gpu_instances_auto_shutdown on gpu_instances (id) where status = 'running' and auto_shutdown_enabled;
