-- An instance that starts again where its disk is gets the cards that it had, where they are free: an engine binds cards to
-- a container when it makes it, and makes another one for others.

-- Takes a place for an instance, of one that is not started only until `p_held_until`, and answers where (`p_disk_gb` is 0 of
-- one whose disk is there), or raises IN410 with the reason as its detail. An instance that has a
-- place keeps it. The best fit is the host with the fewest free cards that are enough, so whole hosts stay whole for those
-- who need them. A host that somebody else is just taking from is passed over, never waited for: two who wait for each
-- other's would be a deadlock. What fits but was passed over is tried again a little later. The host's row is the last
-- that a command locks.
create or replace function place_instance(p_instance uuid, p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer,
  p_memory_gb integer, p_disk_gb integer, p_host bigint, p_held_until timestamptz, p_at timestamptz, out v_host bigint, out v_cards text[])
language plpgsql as $$
declare v_former text[] := '{}'; v_why text; v_from timestamptz; v_tries integer := 0; v_ms integer := 0;
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
    select cards into v_former from placement where instance_id = p_instance and outcome = 'placed' order by id desc limit 1;
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
      select p.host_id, array(
        select u from unnest(p.free_cards) with ordinality f(u, n) order by (u = any(v_former)) is true desc, n) as free_cards
      from card_pool p join host h on h.id = p.host_id
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
      returning h.id, fit.free_cards[1:p_gpu_count] as cards, fit.free_cards[p_gpu_count + 1:] as others),
    pool as (
      update card_pool p set free_cards = taken.others from taken
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
