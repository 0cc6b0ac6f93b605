-- Places as rows: the computers that machines run on, their cards, and who has what of them. A deploy or a start takes its
-- place here, in its own transaction, before any driver is asked.

-- When a driver last told of its hosts, on the real clock: nothing is placed on those of one that is silent for long.
create table driver_inventory (
  driver text primary key,
  seen_at timestamptz not null
);
create function silent_since() returns timestamptz language sql stable as $$ select now() - interval '2 minutes' $$;

create table host (
  id bigint generated always as identity primary key,
  driver text not null,
  -- As its driver names it.
  name text not null,
  -- The driver told of it when it last told of anything.
  is_there boolean not null default true,
  machines integer not null,
  cpu_cores integer not null,
  memory_gb integer not null,
  -- What disks may take in all, overcommitment included; null: nothing is held to it.
  disk_gb integer,
  -- False: it shows simulated cards of any type, and rents out more processors and memory than it has.
  has_cards boolean not null,
  -- By allocations, and of disks by all that are kept on it.
  machines_taken integer not null default 0,
  cpu_cores_taken integer not null default 0,
  memory_gb_taken integer not null default 0,
  disk_gb_taken integer not null default 0,
  -- Its driver told of less than is taken: it gives nothing more, and nobody loses anything.
  is_over boolean not null default false,
  unique (driver, name),
  -- Few and short, because PostgreSQL reads them anew for each statement.
  constraint never_oversubscribed check (is_over or machines_taken <= machines and cpu_cores_taken <= cpu_cores and memory_gb_taken <= memory_gb),
  constraint nothing_below_zero check (least(machines_taken, cpu_cores_taken, memory_gb_taken, disk_gb_taken) >= 0)
) with (fillfactor = 50);

-- Disks may take more than there is where a host has lost space, but none is added then.
create function refuse_oversold_disk() returns trigger language plpgsql as $$
begin
  raise exception 'host % has no room for more disks', new.name using errcode = 'IN410', detail = 'disk';
end $$;
create trigger no_oversold_disk before update of disk_gb_taken on host for each row
  when (new.disk_gb_taken > old.disk_gb_taken and new.disk_gb_taken > new.disk_gb)
  execute function refuse_oversold_disk();

-- A machine's disk stays on one host.
alter table gpu_instances add column host_id bigint references host;

-- What an instance has of a host: from when its start is asked for until its machine has stopped, and for as long as it is
-- paid in advance. Without cards: simulated ones.
create table allocation (
  -- Rows of instances and of hosts are never deleted, and checking that they are there would cost each placement more than
  -- writing this: the audit compares.
  instance_id uuid primary key,
  host_id bigint not null,
  cards text[] collate "C" not null,
  cpu_cores integer not null,
  memory_gb integer not null,
  -- Of a stopped instance that is paid in advance: until then (business clock).
  held_until timestamptz,
  -- How long others were in the way.
  waited_ms integer not null default 0,
  placed_at timestamptz not null
);
create index allocation_held on allocation (held_until) where held_until is not null;

create table card (
  uuid text collate "C" primary key check (length(uuid) between 1 and 200),
  host_id bigint not null references host,
  model text not null check (length(model) <= 200),
  memory_bytes bigint not null,
  -- What it is sold as; null: the catalogue has nothing that fits, and it is not sold.
  gpu_type text references gpu_type,
  -- Its host told of it when it last told of anything.
  is_there boolean not null default true
);
create index card_of_host on card (host_id);

-- Who has a card: nobody, or one instance. Rows of cards are never deleted either.
create table card_hold (
  uuid text collate "C" primary key,
  instance_id uuid not null
);

-- The cards of one type that a host could give now, taken from its cards: the best fit is the first entry of an index, and
-- whoever locks this row knows what is free, whatever their snapshot says.
create table card_pool (
  host_id bigint not null references host,
  gpu_type text collate "C" not null,
  driver text collate "C" not null,
  free_cards text[] collate "C" not null,
  free integer not null generated always as (cardinality(free_cards)) stored,
  primary key (host_id, gpu_type)
) with (fillfactor = 50);
create index card_pool_fit on card_pool (driver, gpu_type, free, host_id);

-- What became of each wish for a place, the last 100 of an instance. A place that is held now stands in `allocation` alone,
-- and comes here with its release.
create table placement (
  instance_id uuid not null,
  id bigint generated always as identity,
  at timestamptz not null,
  outcome text not null check (outcome in ('placed', 'kept', 'refused', 'waiting', 'released')),
  -- Of a refusal: why nothing fitted. Of a release: what ended it. Of a wait: the driver could not begin yet.
  reason text check (reason in ('away', 'not_offered', 'taken', 'size', 'disk', 'driver', 'stopped', 'deleted', 'term_ended', 'card_gone')),
  -- In the driver's words.
  message text check (length(message) <= 500),
  waited_ms integer not null default 0,
  host_id bigint,
  cards text[] not null default '{}',
  primary key (instance_id, id)
);

create function keep_placement(p_instance uuid, p_outcome text, p_reason text, p_at timestamptz, p_host bigint, p_cards text[],
  p_message text default null, p_waited_ms integer default 0) returns void language sql as $$
  insert into placement (instance_id, at, outcome, reason, message, waited_ms, host_id, cards)
  values (p_instance, p_at, p_outcome, p_reason, left(p_message, 500), p_waited_ms, p_host, p_cards);
  delete from placement where instance_id = p_instance
    and id <= (select id from placement where instance_id = p_instance order by id desc offset 100 limit 1);
$$;

-- The row of a catalogue that a card of this model is sold by: the model is its name, or fits one of its patterns.
create function card_type(p_model text) returns text language sql stable as $$
  select name from gpu_type where p_model = name or exists (select from unnest(patterns) p where p_model ~ p)
  order by position, name limit 1
$$;

-- Finds the free cards of a host again. Its pools and its row are locked.
create function find_free_cards(p_host bigint) returns void language sql as $$
  insert into card_pool (host_id, gpu_type, driver, free_cards)
  select h.id, c.gpu_type, h.driver, coalesce(array_agg(c.uuid order by c.uuid) filter (where h.is_there and c.is_there and o.uuid is null), '{}')
  from host h join card c on c.host_id = h.id left join card_hold o on o.uuid = c.uuid where h.id = p_host and c.gpu_type is not null group by h.id, c.gpu_type
  on conflict (host_id, gpu_type) do update set free_cards = excluded.free_cards where card_pool.free_cards <> excluded.free_cards;
  update card_pool p set free_cards = '{}' where host_id = p_host and free > 0
    and not exists (select from card c where c.host_id = p_host and c.gpu_type = p.gpu_type);
$$;

-- Whatever removes an allocation gives back what it had. Whoever gives or takes cards locks their pool first, then the host.
create function give_up_place() returns trigger language plpgsql as $$
begin
  if old.cards <> '{}' then perform from card_pool where host_id = old.host_id order by gpu_type for no key update; end if;
  update host set machines_taken = machines_taken - 1, cpu_cores_taken = cpu_cores_taken - old.cpu_cores,
    memory_gb_taken = memory_gb_taken - old.memory_gb,
    is_over = is_over and (machines_taken - 1 > machines or cpu_cores_taken - old.cpu_cores > cpu_cores or memory_gb_taken - old.memory_gb > memory_gb)
  where id = old.host_id;
  if old.cards <> '{}' then
    delete from card_hold where uuid = any(old.cards) and instance_id = old.instance_id;
    perform find_free_cards(old.host_id);
  end if;
  return null;
end $$;
create trigger give_up after delete on allocation for each row execute function give_up_place();

create function release_place(p_instance uuid, p_reason text, p_at timestamptz) returns void language plpgsql as $$
declare v_was allocation;
begin
  delete from allocation where instance_id = p_instance returning * into v_was;
  if found then
    perform keep_placement(p_instance, 'placed', null, v_was.placed_at, v_was.host_id, v_was.cards, null, v_was.waited_ms);
    perform keep_placement(p_instance, 'released', p_reason, p_at, v_was.host_id, v_was.cards);
  end if;
end $$;

-- An instance that runs nothing any more has no place, unless it is paid in advance. One that has stopped and is still to be
-- asked (`due_at`) may run: its driver has not confirmed the stop.
create function follow_instance() returns trigger language plpgsql as $$
begin
  if new.status = 'stopped' and new.paid_until > business_now() then
    update allocation set held_until = new.paid_until where instance_id = new.id;
  else
    perform release_place(new.id, case new.status when 'terminated' then 'deleted' else 'stopped' end, new.updated_at);
  end if;
  return null;
end $$;
create trigger follow_place after update on gpu_instances for each row
  when (new.status = 'terminated' and old.status <> 'terminated'
    or new.status = 'stopped' and new.due_at is null
      and (old.status <> 'stopped' or old.due_at is not null or old.paid_until is distinct from new.paid_until))
  execute function follow_instance();

-- The disk of every instance that is pinned counts, whether it runs or not.
-- Its triggers come after `follow_place` by their names, because that locks cards before the host.
create function count_disk() returns trigger language plpgsql as $$
declare v_old bigint; v_new bigint; v_old_gb integer := 0; v_new_gb integer := 0;
begin
  if tg_op = 'UPDATE' and old.status <> 'terminated' then v_old := old.host_id; v_old_gb := old.storage_gb; end if;
  if new.status <> 'terminated' then v_new := new.host_id; v_new_gb := new.storage_gb; end if;
  if v_old = v_new then
    update host set disk_gb_taken = disk_gb_taken + v_new_gb - v_old_gb where id = v_new and v_new_gb <> v_old_gb;
  else
    update host set disk_gb_taken = disk_gb_taken - v_old_gb where id = v_old;
    update host set disk_gb_taken = disk_gb_taken + v_new_gb where id = v_new;
  end if;
  return null;
end $$;
create trigger keep_disk_added after insert on gpu_instances for each row when (new.host_id is not null) execute function count_disk();
create trigger keep_disk_changed after update on gpu_instances for each row
  when (old.host_id is distinct from new.host_id or old.storage_gb <> new.storage_gb
    or (new.status = 'terminated') <> (old.status = 'terminated'))
  execute function count_disk();
