-- What a driver said it holds, against the rows: the instances of its machines, and the run of each that is up (null: it
-- is not). `missed`: runs that were metered at `p_looked_at`, when it was asked, and are not there, and those whose name
-- nobody knows yet. `found`: had been missed, and are there. `strays`: up, while the instance is stopped. `orphans`: no
-- instance of whatever driver stands behind them.
create or replace function compare_machines(p_driver text, p_looked_at timestamptz, p_ids uuid[], p_runs jsonb)
returns table (missed uuid[], found uuid[], strays uuid[], orphans uuid[]) language sql stable as $$
  with said as (
    select * from rows from (unnest(p_ids), jsonb_array_elements_text(p_runs)) as s (id, run)),
  own as (
    select id, status, run_id, started_at, due_at from gpu_instances where driver = p_driver and status <> 'terminated'),
  unseen as (select id from meter where is_missed and is_running),
  compared as (
    select array_agg(own.id) filter (
        where own.status = 'running' and own.started_at <= p_looked_at and (said.run = own.run_id) is not true) as missed,
      array_agg(own.id) filter (where own.status = 'running' and said.run = own.run_id and unseen.id is not null) as found,
      array_agg(own.id) filter (where own.status = 'stopped' and said.run is not null and own.due_at is null) as strays,
      array_agg(said.id) filter (where own.id is null) as unknown
    from own full join said on said.id = own.id left join unseen on unseen.id = own.id)
  select coalesce(missed, '{}'), coalesce(found, '{}'), coalesce(strays, '{}'), array(
    select unnest(unknown) except select id from gpu_instances where id = any(unknown) and status <> 'terminated')
  from compared
$$;

-- A time that is no date, such as infinity, would have every process read the catalogue again without a pause.
delete from gpu_price where holds_from >= '10000-01-01';
alter table gpu_price add constraint a_price_holds_from_a_date check (holds_from < '10000-01-01');
