-- What is not kept for ever. Deleting goes in batches, each a statement of its own that a kill at most undoes.

-- Facts are swept once, in the order of their numbers: up to which one, and the last place in the stream (xid, id) of
-- what was deleted. Who resumes from before that place may have missed something.
create table event_sweep (
  one boolean primary key default true check (one),
  swept_to bigint not null default 0,
  deleted_xid xid8 not null default '0',
  deleted_id bigint not null default 0
);
insert into event_sweep default values;

-- Deletes, of the next `p_limit` facts recorded before `p_before`, those whose type is not in `p_kept`. Returns how many
-- it went through; fewer than `p_limit` when it has come to younger ones, or while another process sweeps.
create function sweep_facts(p_kept text[], p_before timestamptz, p_limit integer) returns integer language plpgsql as $$
declare v_from bigint; v_to bigint; v_count integer; v_xid xid8; v_id bigint;
begin
  select swept_to into v_from from event_sweep for update skip locked;
  if not found then return 0; end if;
  with batch as (select id, recorded_at from event where id > v_from order by id limit p_limit)
  select max(id), count(*) into v_to, v_count from batch
  where id < coalesce((select min(id) from batch where recorded_at >= p_before), 9223372036854775807);
  if v_count = 0 then return 0; end if;
  with gone as (
    delete from event where id > v_from and id <= v_to and type <> all (p_kept) returning xid, id
  )
  select xid, id into v_xid, v_id from gone order by xid desc, id desc limit 1;
  update event_sweep set swept_to = v_to,
    deleted_xid = case when (v_xid, v_id) > (deleted_xid, deleted_id) then v_xid else deleted_xid end,
    deleted_id = case when (v_xid, v_id) > (deleted_xid, deleted_id) then v_id else deleted_id end;
  return v_count;
end $$;

-- Deletes up to `p_limit` answers that were stored under an Idempotency-Key before `p_before`. Returns how many.
create function sweep_answers(p_before timestamptz, p_limit integer) returns integer language sql as $$
  with old as (
    select caller, key from idempotency where created_at < p_before order by created_at limit p_limit for update skip locked
  ), gone as (
    delete from idempotency i using old where i.caller = old.caller and i.key = old.key returning 1
  )
  select count(*)::integer from gone
$$;
