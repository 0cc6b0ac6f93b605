-- Volumes are sold: their disks count against their host as machines' do, and one that is not paid for stops the instance
-- that uses it where nothing can make it read-only.

-- Told once, until it is less full.
alter table network_volumes add column warned_full boolean not null default false;

-- Added to whatever else is allowed: other migrations add to the same lists.
do $$
declare v record;
begin
  for v in
    select c.conrelid::regclass as name, c.conname, pg_get_expr(c.conbin, c.conrelid) as expression, l.field, l.more
    from (values ('gpu_instances', 'status_reason', array['volume_lapsed']),
      ('notice', 'kind', array['volume_full', 'volume_failed', 'volume_stopped'])) l(name, field, more)
    join pg_constraint c on c.conrelid = l.name::regclass and c.conname = l.name || '_' || l.field || '_check'
  loop
    execute format('alter table %s drop constraint %I, add constraint %2$I check (%s or %I in (%s))',
      v.name, v.conname, v.expression, v.field, (select string_agg(quote_literal(each), ', ') from unnest(v.more) each));
  end loop;
end $$;

-- What is stored of a snapshot takes whole gigabytes of its host; one that is being made, all that its volume could hold.
create function snapshot_disk_gb(p_used bigint, p_size integer) returns integer language sql immutable as $$
  select coalesce(ceil(p_used / 1073741824.0)::integer, p_size)
$$;

-- The disk of a volume or a snapshot is taken until its row goes: nothing is left of it then.
create function count_stored_disk() returns trigger language plpgsql as $$
declare v_old jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end; v_new jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  v_from bigint := (v_old ->> 'host_id')::bigint; v_to bigint := (v_new ->> 'host_id')::bigint; v_from_gb integer; v_to_gb integer;
begin
  if tg_table_name = 'network_volumes' then
    v_from_gb := (v_old ->> 'size_gb')::integer; v_to_gb := (v_new ->> 'size_gb')::integer;
  else
    v_from_gb := snapshot_disk_gb((v_old ->> 'used_bytes')::bigint, (v_old ->> 'size_gb')::integer);
    v_to_gb := snapshot_disk_gb((v_new ->> 'used_bytes')::bigint, (v_new ->> 'size_gb')::integer);
  end if;
  if v_from = v_to then
    update host set disk_gb_taken = disk_gb_taken + v_to_gb - v_from_gb where id = v_to and v_to_gb <> v_from_gb;
  else
    update host set disk_gb_taken = disk_gb_taken - v_from_gb where id = v_from;
    update host set disk_gb_taken = disk_gb_taken + v_to_gb where id = v_to;
  end if;
  return null;
end $$;
create trigger keep_disk_added after insert on network_volumes for each row when (new.host_id is not null) execute function count_stored_disk();
create trigger keep_disk_changed after update of host_id, size_gb on network_volumes for each row
  when ((old.host_id, old.size_gb) is distinct from (new.host_id, new.size_gb)) execute function count_stored_disk();
create trigger keep_disk_gone after delete on network_volumes for each row when (old.host_id is not null) execute function count_stored_disk();
create trigger keep_disk_added after insert on volume_snapshots for each row when (new.host_id is not null) execute function count_stored_disk();
create trigger keep_disk_changed after update of host_id, used_bytes on volume_snapshots for each row
  when ((old.host_id, old.used_bytes) is distinct from (new.host_id, new.used_bytes)) execute function count_stored_disk();
create trigger keep_disk_gone after delete on volume_snapshots for each row when (old.host_id is not null) execute function count_stored_disk();

-- A host of this driver with room for a disk, the emptiest first, or IN410. Whoever asks then writes the row that takes it.
create function host_for_disk(p_driver text, p_gb integer) returns bigint language plpgsql as $$
declare v_host bigint;
begin
  select h.id into v_host from host h
  where h.driver = p_driver and h.is_there and not h.is_over and (h.disk_gb is null or h.disk_gb_taken + p_gb <= h.disk_gb)
    and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
  order by h.disk_gb - h.disk_gb_taken desc nulls first, h.id limit 1 for no key update of h;
  if v_host is null then raise exception 'no host of % has % GB', p_driver, p_gb using errcode = 'IN410', detail = 'disk'; end if;
  return v_host;
end $$;

-- Those of an account that is deleted are destroyed seven days later, as its screen says.
create or replace function end_volumes(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
begin
  perform 1 from network_volumes where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'lapsed', 'budget_reached', 'account_budget_reached') then
    update network_volumes v set lapsed_at = e.time, due_at = p_at, updated_at = p_at
    from unnest(p_ids, p_times) e(id, time) where v.id = e.id and v.status <> 'deleting';
  elsif p_cause = 'revived' then
    update network_volumes set lapsed_at = null, due_at = p_at, updated_at = p_at where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'grace_over' then
    update network_volumes set status = 'deleting', attempts = 0, due_at = p_at, updated_at = p_at where id = any(p_ids);
  elsif p_cause = 'account_deleted' then
    update network_volumes set status = 'deleting', attempts = 0, due_at = p_at + interval '7 days', updated_at = p_at
    where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'erased' then
    update network_volumes set name = 'deleted', status_message = null where id = any(p_ids);
  else
    raise exception 'a volume does not know %', p_cause;
  end if;
end $$;
