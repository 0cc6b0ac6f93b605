-- How places are taken, lapse, and come about.

-- Why nothing of a driver, or of one host, fits; `passed over` where something does.
create function why_no_place(p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer, p_memory_gb integer,
  p_disk_gb integer, p_host bigint) returns text language sql stable as $$
  with each as (
    select h.*, h.is_there and i.seen_at > silent_since() as is_heard, not h.has_cards or c.uuid is not null as is_offered,
      not h.is_over and h.machines_taken < h.machines and (not h.has_cards or coalesce(p.free, 0) >= p_gpu_count) as is_free,
      not h.has_cards or (h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores and h.memory_gb_taken + p_memory_gb <= h.memory_gb) as has_size,
      h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb as has_disk
    from host h join driver_inventory i on i.driver = h.driver
    left join card_pool p on p.host_id = h.id and p.gpu_type = p_gpu_type
    left join lateral (select uuid from card where host_id = h.id and gpu_type = p_gpu_type and is_there limit 1) c on true
    where h.driver = p_driver and (p_host is null or h.id = p_host)
      and (h.has_cards or not exists (select from host o where o.driver = p_driver and o.has_cards)))
  select case
    when not coalesce(bool_or(is_heard), false) then 'away'
    when not bool_or(is_heard and is_offered) then 'not_offered'
    when not bool_or(is_heard and is_free) then 'taken'
    when not bool_or(is_heard and is_free and has_size) then 'size'
    when not bool_or(is_heard and is_free and has_size and has_disk) then 'disk'
    else 'passed over' end
  from each
$$;

-- Takes a place for an instance, of one that is not started only until `p_held_until`, and answers where (`p_disk_gb` is 0 of
-- one whose disk is there), or raises IN410 with the reason as its detail. An instance that has a
-- place keeps it. The best fit is the host with the fewest free cards that are enough, so whole hosts stay whole for those
-- who need them. A host that somebody else is just taking from is passed over, never waited for: two who wait for each
-- other's would be a deadlock. What fits but was passed over is tried again a little later. The host's row is the last
-- that a command locks.
create function place_instance(p_instance uuid, p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer,
  p_memory_gb integer, p_disk_gb integer, p_host bigint, p_held_until timestamptz, p_at timestamptz, out v_host bigint, out v_cards text[])
language plpgsql as $$
declare v_why text; v_from timestamptz; v_tries integer := 0; v_ms integer := 0;
begin
  -- Whoever has a place has a host.
  if p_host is not null then
    update allocation a set held_until = p_held_until where a.instance_id = p_instance returning a.host_id, a.cards into v_host, v_cards;
    if found then
      if not exists (select from card c where c.uuid = any(v_cards) and not c.is_there) then
        perform keep_placement(p_instance, 'kept', null, p_at, v_host, v_cards);
        return;
      end if;
      perform release_place(p_instance, 'card_gone', p_at);
    end if;
  end if;
  loop
    -- Mostly the fullest host with enough cards has enough of everything else, and no other is looked at.
    if p_host is null then
      with fit as (
        select p.host_id, p.free_cards from card_pool p
        where p.driver = p_driver and p.gpu_type = p_gpu_type and p.free >= p_gpu_count
        order by p.free, p.host_id limit 1 for no key update skip locked),
      taken as (
        update host h set machines_taken = machines_taken + 1, cpu_cores_taken = cpu_cores_taken + p_cpu_cores,
          memory_gb_taken = memory_gb_taken + p_memory_gb from fit
        where h.id = fit.host_id and h.is_there and not h.is_over and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
          and h.memory_gb_taken + p_memory_gb <= h.memory_gb and (h.disk_gb is null or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
        returning h.id, fit.free_cards[1:p_gpu_count] as cards),
      pool as (
        update card_pool p set free_cards = p.free_cards[p_gpu_count + 1:] from taken
        where p.host_id = taken.id and p.gpu_type = p_gpu_type),
      held as (insert into card_hold select unnest(cards), p_instance from taken),
      allocated as (
        insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, waited_ms, placed_at)
        select p_instance, id, cards, p_cpu_cores, p_memory_gb, p_held_until, v_ms, p_at from taken)
      select id, cards from taken into v_host, v_cards;
      exit when v_host is not null;
    end if;
    with fit as (
      select p.host_id, p.free_cards from card_pool p join host h on h.id = p.host_id
      where p.driver = p_driver and p.gpu_type = p_gpu_type and p.free >= p_gpu_count and (p_host is null or p.host_id = p_host)
        and h.is_there and not h.is_over and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
        and h.memory_gb_taken + p_memory_gb <= h.memory_gb and (h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
        and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
      order by p.free, p.host_id limit 1 for no key update of p skip locked),
    taken as (
      update host h set machines_taken = machines_taken + 1, cpu_cores_taken = cpu_cores_taken + p_cpu_cores,
        memory_gb_taken = memory_gb_taken + p_memory_gb from fit
      where h.id = fit.host_id and h.is_there and not h.is_over and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
        and h.memory_gb_taken + p_memory_gb <= h.memory_gb and (h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
      returning h.id, fit.free_cards[1:p_gpu_count] as cards),
    pool as (
      update card_pool p set free_cards = p.free_cards[p_gpu_count + 1:] from taken
      where p.host_id = taken.id and p.gpu_type = p_gpu_type),
    held as (insert into card_hold select unnest(cards), p_instance from taken),
    allocated as (
      insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, waited_ms, placed_at)
      select p_instance, id, cards, p_cpu_cores, p_memory_gb, p_held_until, v_ms, p_at from taken)
    select id, cards from taken into v_host, v_cards;
    exit when v_host is not null;
    -- A driver that has cards sells nothing else.
    with fit as (
      select h.id from host h
      where h.driver = p_driver and (p_host is null or h.id = p_host) and h.is_there and not h.is_over and h.machines_taken < h.machines
        and (h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
        and not exists (select from host o where o.driver = p_driver and o.has_cards)
        and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
      order by h.machines - h.machines_taken, h.id limit 1 for no key update of h skip locked),
    taken as (update host h set machines_taken = machines_taken + 1 from fit where h.id = fit.id returning h.id),
    allocated as (
      insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, waited_ms, placed_at)
      select p_instance, id, '{}', 0, 0, p_held_until, v_ms, p_at from taken)
    select id, '{}' from taken into v_host, v_cards;
    exit when v_host is not null;
    v_why := why_no_place(p_driver, p_gpu_type, p_gpu_count, p_cpu_cores, p_memory_gb, p_disk_gb, p_host);
    v_from := coalesce(v_from, clock_timestamp());
    v_ms := extract(epoch from clock_timestamp() - v_from) * 1000;
    if v_why <> 'passed over' or v_ms > 10000 then
      raise exception 'no place is free' using errcode = 'IN410', detail = case v_why when 'passed over' then 'taken' else v_why end;
    end if;
    v_tries := v_tries + 1;
    perform pg_sleep(random() * least(2 + v_tries, 20) / 1000.0);
  end loop;
end $$;

-- Releases what was held for a time that is over. One server at a time.
create function release_lapsed(p_at timestamptz) returns integer language plpgsql as $$
declare v_id uuid; v_count integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('places that lapse', 0)) then return 0; end if;
  for v_id in
    select instance_id from allocation where held_until <= p_at order by host_id, instance_id limit 500 for update skip locked
  loop
    perform release_place(v_id, 'term_ended', p_at);
    v_count := v_count + 1;
  end loop;
  return v_count;
end $$;

-- Nothing is placed any more on the hosts of drivers that are silent for long.
create function note_silence() returns void language plpgsql as $$
declare v_host bigint;
begin
  for v_host in
    select h.id from host h join driver_inventory i on i.driver = h.driver where h.is_there and i.seen_at <= silent_since() order by h.id
  loop
    perform from card_pool where host_id = v_host order by gpu_type for no key update;
    -- It may have spoken meanwhile.
    update host h set is_there = false where id = v_host
      and exists (select from driver_inventory i where i.driver = h.driver and i.seen_at <= silent_since());
    perform find_free_cards(v_host);
  end loop;
end $$;

-- The cards of an inventory, each with what it is sold as.
create function cards_told(p_hosts jsonb) returns table (host text, uuid text, model text, memory_bytes bigint, gpu_type text)
language sql stable as $$
  with each as (
    select h ->> 'name' as host, c ->> 'uuid' as uuid, c ->> 'model' as model, (c ->> 'memory_bytes')::bigint as memory_bytes
    from jsonb_array_elements(p_hosts) h cross join jsonb_array_elements(case jsonb_typeof(h -> 'cards') when 'array' then h -> 'cards' else '[]' end) c),
  sold as materialized (select m.model, card_type(m.model) as gpu_type from (select distinct model from each) m)
  select e.*, s.gpu_type from each e join sold s using (model)
$$;

-- What a driver tells of its hosts, all of them: one that it leaves out is not placed on until it names it again. What is
-- taken stays taken. A card that another host has is left there. At rest this writes one row. `p_hosts`: [{name, machines,
-- cpu_cores, memory_gb, disk_gb, cards: null | [{uuid, model, memory_bytes}]}].
create function note_inventory(p_driver text, p_hosts jsonb) returns void language plpgsql as $$
declare v_changed bigint[]; v_host bigint; v_name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('inventory of ' || p_driver, 0));
  for v_name in
    select h ->> 'name' from jsonb_array_elements(p_hosts) h except select name from host where driver = p_driver order by 1
  loop
    insert into host (driver, name, is_there, machines, cpu_cores, memory_gb, has_cards)
    values (p_driver, v_name, false, 2147483647, 2147483647, 2147483647, false) returning id into v_host;
    if jsonb_array_length(p_hosts) = 1 and not exists (select from host where driver = p_driver and id <> v_host) then
      perform adopt_instances(p_driver, v_host);
    end if;
  end loop;
  with told as (select * from cards_told(p_hosts))
  select array_agg(h.id order by h.id) into v_changed
  from host h left join jsonb_array_elements(p_hosts) t on t ->> 'name' = h.name
  where h.driver = p_driver and (
    h.is_there <> (t is not null)
    or t is not null and (h.machines, h.cpu_cores, h.memory_gb, h.disk_gb, h.has_cards) is distinct from
      ((t ->> 'machines')::integer, (t ->> 'cpu_cores')::integer, (t ->> 'memory_gb')::integer, (t ->> 'disk_gb')::integer, jsonb_typeof(t -> 'cards') = 'array')
    or exists (select from card c where c.host_id = h.id and c.is_there
      and not exists (select from told where told.host = h.name and told.uuid = c.uuid))
    or exists (select from told left join card c on c.uuid = told.uuid where told.host = h.name
      and (c.uuid is null or case when c.host_id = h.id
        then not c.is_there or (c.model, c.memory_bytes, c.gpu_type) is distinct from (told.model, told.memory_bytes, told.gpu_type)
        else not c.is_there and not exists (select from card_hold o where o.uuid = c.uuid) end)));
  if v_changed is not null then
    perform from card_pool where host_id = any(v_changed) order by host_id, gpu_type for no key update;
    perform from host where id = any(v_changed) order by id for no key update;
    update host h set is_there = true, machines = (t ->> 'machines')::integer, cpu_cores = (t ->> 'cpu_cores')::integer,
      memory_gb = (t ->> 'memory_gb')::integer, disk_gb = (t ->> 'disk_gb')::integer, has_cards = jsonb_typeof(t -> 'cards') = 'array',
      is_over = machines_taken > (t ->> 'machines')::integer or cpu_cores_taken > (t ->> 'cpu_cores')::integer or memory_gb_taken > (t ->> 'memory_gb')::integer
    from jsonb_array_elements(p_hosts) t where h.id = any(v_changed) and t ->> 'name' = h.name;
    update host h set is_there = false where h.id = any(v_changed) and h.is_there
      and not exists (select from jsonb_array_elements(p_hosts) t where t ->> 'name' = h.name);
    insert into card as c (uuid, host_id, model, memory_bytes, gpu_type)
    select told.uuid, h.id, told.model, told.memory_bytes, told.gpu_type
    from cards_told(p_hosts) told join host h on h.driver = p_driver and h.name = told.host where h.id = any(v_changed)
    on conflict (uuid) do update set host_id = excluded.host_id, model = excluded.model, memory_bytes = excluded.memory_bytes,
      gpu_type = excluded.gpu_type, is_there = true
    where c.host_id = excluded.host_id or not c.is_there and not exists (select from card_hold o where o.uuid = c.uuid);
    update card c set is_there = false from host h
    where h.id = c.host_id and h.id = any(v_changed) and c.is_there
      and not exists (select from cards_told(p_hosts) told where told.host = h.name and told.uuid = c.uuid);
    foreach v_host in array v_changed loop
      perform find_free_cards(v_host);
    end loop;
  end if;
  insert into driver_inventory (driver, seen_at) values (p_driver, now())
  on conflict (driver) do update set seen_at = greatest(driver_inventory.seen_at, excluded.seen_at);
end $$;

-- What was there before its driver told of any host: its disks are on the first one, and what runs has its place there,
-- with whatever cards it was shown.
create function adopt_instances(p_driver text, p_host bigint) returns void language plpgsql as $$
declare v_at timestamptz := business_now();
begin
  update gpu_instances set host_id = p_host
  where id in (select id from gpu_instances where driver = p_driver and host_id is null and status <> 'terminated'
    and (driver_ref is not null or status <> 'stopped' or paid_until > v_at) order by id for no key update);
  with held as (
    insert into allocation (instance_id, host_id, cards, cpu_cores, memory_gb, held_until, placed_at)
    select id, p_host, '{}', 0, 0, case when status = 'stopped' then paid_until end, v_at from gpu_instances
    where host_id = p_host and status <> 'terminated' and (status <> 'stopped' or paid_until > v_at)
    returning instance_id)
  update host set machines_taken = (select count(*) from held) where id = p_host;
end $$;

drop function hold_place(text, text, integer, integer);
drop function places_held(text, text);
drop index gpu_instances_placed;
