-- Looks are made by rounds: a driver is asked once for everything it holds, one statement writes what differs from the
-- rows, and one time stands for all the runs that were found. `gpu_instances.due_at` is for commands alone.

-- When the next round at a driver is due, on the business clock.
create table driver_round (
  driver text primary key,
  attempts integer not null default 0,
  due_at timestamptz default now(),
  lock_token uuid,
  lock_expires_at timestamptz
);
create index driver_round_due on driver_round (due_at) where due_at is not null;

-- Every round that was made, and what the driver's own clock said then: by it a run that has died lasted so much longer
-- than its last look.
create table driver_look (
  driver text not null,
  looked_at timestamptz not null,
  driver_ms double precision,
  primary key (driver, looked_at)
);

-- Runs that a round did not find. Each is looked at by itself before anything is said of it.
create table missed_run (
  instance_id uuid primary key references gpu_instances on delete cascade,
  attempts integer not null default 0,
  due_at timestamptz,
  lock_token uuid,
  lock_expires_at timestamptz
);
create index missed_run_due on missed_run (due_at) where due_at is not null;

-- What a round compares, read from the index alone.
create index gpu_instances_of_driver on gpu_instances (driver, id) include (status, run_id, started_at, due_at)
where status <> 'terminated';
create index meter_missed on meter (id) where is_missed and is_running;

-- Earlier versions looked at each running machine when its row fell due.
update gpu_instances set due_at = null where status = 'running' and desired = 'running';
-- A meter that was closed keeps the look that stood for it then.
update meter set is_missed = true where ended_at is not null;

-- What a driver said it holds, against the rows: the instances of its machines, and the run of each that is up (null: it
-- is not). `missed`: runs that were metered at `p_looked_at`, when it was asked, and are not there. `found`: had been
-- missed, and are there. `strays`: up, while the instance is stopped. `orphans`: no instance of whatever driver stands
-- behind them.
create function compare_machines(p_driver text, p_looked_at timestamptz, p_ids uuid[], p_runs jsonb)
returns table (missed uuid[], found uuid[], strays uuid[], orphans uuid[]) language sql stable as $$
  with said as (
    select * from rows from (unnest(p_ids), jsonb_array_elements_text(p_runs)) as s (id, run)),
  own as (
    select id, status, run_id, started_at, due_at from gpu_instances where driver = p_driver and status <> 'terminated'),
  unseen as (select id from meter where is_missed and is_running),
  compared as (
    select array_agg(own.id) filter (
        where own.status = 'running' and own.started_at <= p_looked_at and said.run is distinct from own.run_id) as missed,
      array_agg(own.id) filter (where own.status = 'running' and said.run = own.run_id and unseen.id is not null) as found,
      array_agg(own.id) filter (where own.status = 'stopped' and said.run is not null and own.due_at is null) as strays,
      array_agg(said.id) filter (where own.id is null) as unknown
    from own full join said on said.id = own.id left join unseen on unseen.id = own.id)
  select coalesce(missed, '{}'), coalesce(found, '{}'), coalesce(strays, '{}'), array(
    select unnest(unknown) except select id from gpu_instances where id = any(unknown) and status <> 'terminated')
  from compared
$$;

-- Writes what a round found to differ. With `p_is_all` every other run of the driver was seen at `p_looked_at`, when its
-- own clock said `p_driver_ms`; without, more is to come of the same round. No wallet is charged. An answer that came later
-- than that of a later round says nothing any more.
create function note_round(
  p_driver text, p_looked_at timestamptz, p_driver_ms double precision,
  p_missed uuid[], p_found uuid[], p_strays uuid[], p_is_all boolean, p_at timestamptz
) returns void language plpgsql as $$
declare v_missed uuid[];
begin
  if p_looked_at <= (select observed_at from look_source where id = p_driver) then return; end if;
  -- A command may have ended a run meanwhile, or begun another.
  v_missed := array(
    select id from gpu_instances where id = any(p_missed) and status = 'running' and started_at <= p_looked_at
    order by id for no key update);
  insert into missed_run (instance_id, due_at) select unnest(v_missed), p_at on conflict do nothing;
  delete from missed_run where instance_id = any(p_found);
  update gpu_instances set due_at = p_at where id = any(p_strays) and status = 'stopped' and due_at is null;

  perform note_looks(p_driver, case when p_is_all then p_looked_at else '-infinity' end, v_missed, p_found, p_at);
  if p_is_all then
    insert into driver_look values (p_driver, p_looked_at, p_driver_ms) on conflict do nothing;
    -- No end of a run waits for so long to be known.
    delete from driver_look where driver = p_driver and looked_at < p_at - interval '30 days';
  end if;
end $$;

-- A look at everything of a source, asked for at `p_looked_at` and answered at `p_at`. Runs of `p_missed` were not there:
-- the look before stands for them. Those of `p_found` had been missed and are there. Where the horizon had passed, the
-- wallets are settled, so that the gap is charged: also one that is being settled at this moment, which may not know of
-- this look yet.
create or replace function note_looks(p_source text, p_looked_at timestamptz, p_missed uuid[], p_found uuid[], p_at timestamptz)
returns void language plpgsql as $$
declare s look_source; v_users uuid[];
begin
  insert into look_source (id) values (p_source) on conflict do nothing;
  select * into strict s from look_source where id = p_source for no key update;
  with missed as (
    update meter m set is_missed = true, seen_at = greatest(m.seen_at, s.observed_at)
    where m.id = any(p_missed) and m.source = p_source and m.is_running and not m.is_missed),
  found as (
    update meter m set is_missed = false, seen_at = greatest(m.seen_at, p_looked_at)
    from meter before
    where m.id = any(p_found) and m.source = p_source and m.is_running and m.is_missed and before.id = m.id
    returning m.user_id, before.seen_at + s.grace_ms * interval '1 millisecond' < p_at as is_gap)
  select array_agg(user_id) into v_users from (
    select user_id from found where is_gap
    union
    select m.user_id from meter m
    where s.observed_at + s.grace_ms * interval '1 millisecond' < p_at and p_looked_at > s.observed_at
      and m.source = p_source and m.is_running and not m.is_missed and not m.id = any(p_missed)) gap;
  update wallets w set due_at = least(w.due_at, p_at) from unnest(v_users) u(id) where w.user_id = u.id;
  update look_source set observed_at = greatest(observed_at, p_looked_at) where id = p_source;
end $$;
