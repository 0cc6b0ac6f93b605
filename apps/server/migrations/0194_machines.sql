-- Hosts that take nothing new, or are emptied for maintenance (ADR 62), and templates of customers that staff have made
-- public.

-- Cordoned: nothing new is placed there, and what has a place keeps it. Drained: nothing starts there, and what ran was
-- stopped. All of it null: the host is open.
alter table host
  add column cordoned_at timestamptz,
  add column cordoned_by uuid references auth_user on delete set null,
  -- In an administrator's words. Customers read that of a drain.
  add column cordon_reason text,
  -- When it is to be emptied, and when that began (business clock).
  add column drain_at timestamptz,
  add column drained_at timestamptz;
create index host_draining on host (drain_at) where drain_at is not null;
-- Who is on a host.
create index gpu_instances_of_host on gpu_instances (host_id, id) where host_id is not null and status <> 'terminated';
create index network_volumes_of_host on network_volumes (host_id) where host_id is not null;
-- Decisions about places, of all instances and of one host.
create index placement_all on placement (at desc, id desc);
create index placement_of_host on placement (host_id, at desc, id desc) where host_id is not null;

alter table host_outage add column is_maintenance boolean not null default false;
alter table term_extension drop constraint term_extension_cause_check,
  add constraint term_extension_cause_check check (cause in ('host_gone', 'machine_lost', 'maintenance'));

-- Added to whatever else is allowed: other migrations add to the same lists.
do $$
declare v record;
begin
  for v in
    select c.conrelid::regclass as name, c.conname, pg_get_expr(c.conbin, c.conrelid) as expression, l.field, l.more
    from (values ('gpu_instances', 'status_reason', array['maintenance']),
      ('placement', 'reason', array['cordoned']),
      ('notice', 'kind', array['maintenance_planned', 'maintenance_off', 'maintenance_stopped', 'maintenance_over', 'template_reviewed']),
      ('audit_log', 'subject_kind', array['host', 'template'])) l(name, field, more)
    join pg_constraint c on c.conrelid = l.name::regclass and c.conname = l.name || '_' || l.field || '_check'
  loop
    execute format('alter table %s drop constraint %I, add constraint %2$I check (%s or %I = any (array[%s]))',
      v.name, v.conname, v.expression, v.field, (select string_agg(quote_literal(each), ', ') from unnest(v.more) each));
  end loop;
end $$;

-- Whoever cordons a host or opens it locks its pools, then its row, as all that give or take cards do.
create function lock_host(p_host bigint) returns setof host language plpgsql as $$
begin
  perform from card_pool where host_id = p_host order by gpu_type for no key update;
  return query select * from host where id = p_host for no key update;
end $$;

-- Finds the free cards of a host again. Its pools and its row are locked.
create or replace function find_free_cards(p_host bigint)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into card_pool (host_id, gpu_type, driver, free_cards)
  select h.id, c.gpu_type, h.driver, coalesce(array_agg(c.uuid order by c.uuid) filter (where h.is_there and h.cordoned_at is null and c.is_there and o.uuid is null), '{}')
  from host h join card c on c.host_id = h.id left join card_hold o on o.uuid = c.uuid where h.id = p_host and c.gpu_type is not null group by h.id, c.gpu_type
  on conflict (host_id, gpu_type) do update set free_cards = excluded.free_cards where card_pool.free_cards <> excluded.free_cards;
  update card_pool p set free_cards = '{}' where host_id = p_host and free > 0
    and not exists (select from card c where c.host_id = p_host and c.gpu_type = p.gpu_type);
$function$;

-- Takes a place for an instance, of one that is not started only until `p_held_until`, and answers where (`p_disk_gb` is 0 of
-- one whose disk is there), or raises IN410 with the reason as its detail. An instance that has a
-- place keeps it, until its host is drained. The best fit is the host with the fewest free cards that are enough, so whole hosts stay whole for those
-- who need them. A host that somebody else is just taking from is passed over, never waited for: two who wait for each
-- other's would be a deadlock. What fits but was passed over is tried again a little later. The host's row is the last
-- that a command locks.
create or replace function place_instance(p_instance uuid, p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer, p_memory_gb integer, p_disk_gb integer, p_host bigint, p_held_until timestamptz, p_at timestamptz, OUT v_host bigint, OUT v_cards text[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
declare v_former text[] := '{}'; v_why text; v_from timestamptz; v_tries integer := 0; v_ms integer := 0;
begin
  -- Whoever has a place has a host.
  if p_host is not null then
    update allocation a set held_until = p_held_until where a.instance_id = p_instance returning a.host_id, a.cards into v_host, v_cards;
    if found then
      if exists (select from host h where h.id = v_host and h.drained_at is not null) then
        raise exception 'host % is drained', v_host using errcode = 'IN410', detail = 'cordoned';
      end if;
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
        where h.id = fit.host_id and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
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
        and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
        and h.memory_gb_taken + p_memory_gb <= h.memory_gb and (h.disk_gb is null or p_disk_gb = 0 or h.disk_gb_taken + p_disk_gb <= h.disk_gb)
        and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
      order by p.free, p.host_id limit 1 for no key update of p skip locked),
    taken as (
      update host h set machines_taken = machines_taken + 1, cpu_cores_taken = cpu_cores_taken + p_cpu_cores,
        memory_gb_taken = memory_gb_taken + p_memory_gb from fit
      where h.id = fit.host_id and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines and h.cpu_cores_taken + p_cpu_cores <= h.cpu_cores
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
      where h.driver = p_driver and (p_host is null or h.id = p_host) and h.is_there and not h.is_over and h.cordoned_at is null and h.machines_taken < h.machines
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
end $function$;

-- Why nothing of a driver, or of one host, fits; `passed over` where something does.
create or replace function why_no_place(p_driver text, p_gpu_type text, p_gpu_count integer, p_cpu_cores integer, p_memory_gb integer, p_disk_gb integer, p_host bigint)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  with each as (
    select h.*, h.is_there and i.seen_at > silent_since() as is_heard, not h.has_cards or c.uuid is not null as is_offered,
      h.cordoned_at is null as is_open,
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
    when not bool_or(is_heard and is_offered and is_open) then 'cordoned'
    when not bool_or(is_heard and is_open and is_free) then 'taken'
    when not bool_or(is_heard and is_open and is_free and has_size) then 'size'
    when not bool_or(is_heard and is_open and is_free and has_size and has_disk) then 'disk'
    else 'passed over' end
  from each
$function$;

-- A host of this driver with room for a disk, the emptiest first, or IN410. Whoever asks then writes the row that takes it.
create or replace function host_for_disk(p_driver text, p_gb integer)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
declare v_host bigint;
begin
  select h.id into v_host from host h
  where h.driver = p_driver and h.is_there and not h.is_over and h.cordoned_at is null and (h.disk_gb is null or h.disk_gb_taken + p_gb <= h.disk_gb)
    and exists (select from driver_inventory i where i.driver = p_driver and i.seen_at > silent_since())
  order by h.disk_gb - h.disk_gb_taken desc nulls first, h.id limit 1 for no key update of h;
  if v_host is null then raise exception 'no host of % has % GB', p_driver, p_gb using errcode = 'IN410', detail = 'disk'; end if;
  return v_host;
end $function$;

-- A volume that is made where another one is (a copy, a restored snapshot) goes there or nowhere, and so does an instance
-- that gets a volume before it was ever started.
create function refuse_cordoned() returns trigger language plpgsql as $$
begin
  perform from host where id = new.host_id and cordoned_at is null for no key update;
  if not found then raise exception 'host % takes nothing new', new.host_id using errcode = 'IN410', detail = 'cordoned'; end if;
  return new;
end $$;
create trigger refuse_cordoned before insert on network_volumes for each row when (new.host_id is not null) execute function refuse_cordoned();
create trigger refuse_cordoned before update of host_id on gpu_instances for each row
  when (old.host_id is null and new.host_id is not null and new.status = 'stopped') execute function refuse_cordoned();

-- An outage begins when its host was last heard of, or when it is drained: nobody can use there what they have paid in
-- advance. It ends when the host is back and open. Terms are extended later: a host's row is the last that is locked.
create or replace function note_outage() returns trigger language plpgsql as $$
begin
  if new.is_there and new.drained_at is null then
    update host_outage set to_at = business_now() where host_id = new.id and to_at is null;
  elsif new.drained_at is not null then
    insert into host_outage (host_id, from_at, is_maintenance) values (new.id, least(business_now(), new.drained_at), true)
    on conflict (host_id) where to_at is null do update set is_maintenance = true;
  else
    insert into host_outage (host_id, from_at)
    select new.id, least(business_now(), i.seen_at + c.offset_ms * interval '1 ms')
    from business_clock c left join driver_inventory i on i.driver = new.driver
    on conflict do nothing;
  end if;
  return null;
end $$;
drop trigger note_outage on host;
create trigger note_outage after update of is_there, drained_at on host for each row
  when (old.is_there <> new.is_there or (old.drained_at is null) <> (new.drained_at is null)) execute function note_outage();

-- What was gone from `p_from` to `p_to`, for a cause outside of the machines, does not count towards the terms of these
-- meters: they end so much later. Nothing is extended twice for the same time, nor where the term was over when the
-- outage began.
create or replace function extend_terms(p_meters uuid[], p_from timestamptz, p_to timestamptz, p_cause text, p_at timestamptz)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare r record; v_users uuid[] := '{}';
begin
  p_to := date_trunc('milliseconds', p_to);
  perform 1 from ledger_account
  where id in (select w.account_id from wallets w join meter m on m.user_id = w.user_id where m.id = any(p_meters)) order by id for no key update;
  for r in
    select m.id, m.user_id, m.label, m.paid_until, f.at as from_at, p_to as to_at, ms_of(p_to) - ms_of(f.at) as ms
    from meter m cross join lateral (
      select date_trunc('milliseconds', greatest(p_from, m.opened_at, (select max(to_at) from term_extension where meter_id = m.id))) as at) f
    where m.id = any(p_meters) and m.paid_until > f.at and p_to > f.at
      and not exists (select from usage_line where meter_id = m.id and to_at > m.paid_until)
    order by m.user_id, m.id
  loop
    v_users := v_users || r.user_id;
    insert into term_extension (meter_id, user_id, from_at, to_at, cause) values (r.id, r.user_id, r.from_at, r.to_at, p_cause);
    update meter set paid_until = paid_until + (r.to_at - r.from_at), renews_at = renews_at + (r.to_at - r.from_at),
      extended_ms = extended_ms + r.ms where id = r.id;
    update gpu_instances set paid_until = paid_until + (r.to_at - r.from_at), extended_ms = extended_ms + r.ms, updated_at = p_at,
      term_warned_ms = case when paid_until + (r.to_at - r.from_at) > p_at + interval '168 hours' then null
        when paid_until + (r.to_at - r.from_at) > p_at + interval '24 hours' and term_warned_ms < 604800000 then 604800000
        else term_warned_ms end
    where id = r.id;
    update allocation set held_until = held_until + (r.to_at - r.from_at) where instance_id = r.id;
    insert into event (user_id, type, subject_id, data, at)
    values (r.user_id, 'instance.term_extended', r.id,
      jsonb_build_object('name', r.label, 'reason', p_cause, 'message', format('%s from %s to %s UTC. The term ends so much later, on %s UTC.',
        case p_cause when 'host_gone' then 'Its host was gone' when 'maintenance' then 'Its host was maintained' else 'Its machine was lost' end,
        to_char(r.from_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), to_char(r.to_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'),
        to_char((r.paid_until + (r.to_at - r.from_at)) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'))), p_at);
  end loop;
  perform refresh_wallets_due(v_users, p_at);
end $function$;

-- Extends the terms of what was on hosts that are back. Less than a minute is no outage: a server that starts has not
-- heard of anybody yet. One server at a time.
create or replace function handle_outages(p_at timestamptz)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare r record;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('outages that are over', 0)) then return; end if;
  for r in select * from host_outage where to_at is not null and handled_at is null order by id limit 20 loop
    update host_outage set handled_at = p_at where id = r.id;
    continue when r.to_at < r.from_at + interval '1 minute';
    perform extend_terms(array(
      select id from gpu_instances
      where host_id = r.host_id and paid_until > r.from_at and status <> 'terminated' and desired <> 'deleted'),
      r.from_at, r.to_at, case when r.is_maintenance then 'maintenance' else 'host_gone' end, p_at);
  end loop;
end $function$;

-- Templates of customers that staff review. What is approved is a copy of what was proposed, with an id of its own, without
-- secrets and credentials: a later change of the original changes nothing of it before the next approval.
alter table gpu_templates
  -- Of such a copy: whose it is.
  add column origin uuid unique references gpu_templates on delete cascade,
  add constraint a_copy_is_nobodys check (origin is null or owner is null and is_public and registry_credentials is null);

create table template_review (
  id uuid primary key,
  template_id uuid not null references gpu_templates on delete cascade,
  user_id uuid not null references auth_user on delete cascade,
  -- The first of a template is 1.
  version integer not null check (version > 0),
  -- The template as it was when it was proposed, without what is sealed.
  proposed jsonb not null check (octet_length(proposed::text) <= 1048576),
  status text not null default 'pending' check (status in ('pending', 'approved', 'replaced', 'rejected', 'withdrawn')),
  -- Why it was rejected, or taken out of the catalogue: its author reads it.
  reason text check (length(reason) between 1 and 500),
  decided_by uuid references auth_user on delete set null,
  created_at timestamptz not null,
  decided_at timestamptz,
  unique (template_id, version),
  check ((decided_at is null) = (status = 'pending'))
);
create unique index template_review_pending on template_review (template_id) where status = 'pending';
create index template_review_of_user on template_review (user_id, created_at);
create index template_review_list on template_review (status, created_at desc, id desc);
create index template_review_all on template_review (created_at desc, id desc);
