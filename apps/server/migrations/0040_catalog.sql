-- What is on sale, where, and for how much. Lists, pages and quotes are made from these rows; an instance keeps the price
-- that its row was written with. A row is never deleted once something was deployed by it: it is taken off sale.
create table gpu_type (
  name text primary key check (name ~ '^\S(.{0,38}\S)?$'),
  -- Regular expressions for the names under which NVIDIA's tools report such a card: which cards of a host are sold as this.
  patterns text[] not null default '{}',
  -- For one card. The specification leaves vCPU and RAM open: these are the sizes such cards are commonly rented with.
  memory_gb integer not null check (memory_gb > 0),
  vcpus integer not null check (vcpus > 0),
  ram_gb integer not null check (ram_gb > 0),
  is_on_sale boolean not null default true,
  -- Where it stands in a list.
  position integer not null
);

-- Prices of one GPU: an hour on demand, and a term of 2,160 and of 8,760 hours as a whole, which never costs more than
-- the same hours on demand. That of the latest `holds_from` (business clock) that has come is in force.
create table gpu_price (
  gpu_type text not null references gpu_type,
  holds_from timestamptz not null,
  hourly_micro bigint not null check (hourly_micro > 0),
  three_months_micro bigint not null check (three_months_micro > 0),
  year_micro bigint not null check (year_micro > 0),
  primary key (gpu_type, holds_from),
  constraint a_term_costs_no_more_than_its_hours
    check (three_months_micro <= hourly_micro * 2160 and year_micro <= hourly_micro * 8760)
);

-- Which driver serves a region is configuration: see INGOT_REGIONS.
create table region (
  name text primary key check (name ~ '^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$' and length(name) <= 40),
  has_volumes boolean not null default true,
  is_on_sale boolean not null default true,
  position integer not null
);

insert into gpu_type (position, name, patterns, memory_gb, vcpus, ram_gb) values
  (1, 'A40', '{"^NVIDIA A40$"}', 48, 8, 48),
  (2, 'RTX 4090', '{"^NVIDIA GeForce RTX 4090$"}', 24, 8, 32),
  (3, 'RTX 3090', '{"^NVIDIA GeForce RTX 3090$"}', 24, 8, 32),
  (4, 'A100 40GB', '{"^NVIDIA A100-(SXM4|PCIE)-40GB$"}', 40, 12, 85),
  (5, 'A100 80GB', '{"^NVIDIA A100-SXM4-80GB$","^NVIDIA A100 80GB PCIe$"}', 80, 12, 120),
  (6, 'H100', '{"^NVIDIA H100 (80GB HBM3|PCIe)$"}', 80, 16, 180),
  (7, 'A6000', '{"^NVIDIA RTX A6000$"}', 48, 8, 48),
  (8, 'V100', '{"^Tesla V100-(SXM2|SXM3|PCIE)-32GB$"}', 32, 8, 61),
  (9, 'L4', '{"^NVIDIA L4$"}', 24, 8, 32),
  (10, 'T4', '{"^Tesla T4$"}', 16, 4, 16);

insert into gpu_price
select name, 'epoch', hourly * 1000000, three_months * 1000000::bigint, year * 1000000::bigint
from (values
  ('A40', 0.75, 535, 1950),
  ('RTX 4090', 0.90, 1598, 3942),
  ('RTX 3090', 0.65, 1154, 2847),
  ('A100 40GB', 2.06, 3655, 9023),
  ('A100 80GB', 3.06, 5428, 13403),
  ('H100', 4.10, 7270, 17958),
  ('A6000', 1.38, 2448, 6043),
  ('V100', 1.00, 1774, 4380),
  ('L4', 0.61, 1082, 2672),
  ('T4', 0.35, 621, 1533)
) seed (name, hourly, three_months, year);

insert into region (position, name, has_volumes) values
  (1, 'US-East', true), (2, 'US-West', true), (3, 'EU-West', true), (4, 'Asia-Pacific', true), (5, 'Middle-East', false);

alter table gpu_instances
  add foreign key (gpu_type) references gpu_type,
  add foreign key (region) references region;

-- The time of metering, as the transaction began.
create function business_now() returns timestamptz language sql stable as $$
  select now() + offset_ms * interval '1 ms' from business_clock
$$;

-- The GPUs that have a price at `p_at`, on sale or not, with that price.
create function gpus_at(p_at timestamptz)
returns table (name text, is_on_sale boolean, memory_gb integer, vcpus integer, ram_gb integer, hourly_micro bigint, three_months_micro bigint, year_micro bigint)
language sql stable as $$
  select g.name, g.is_on_sale, g.memory_gb, g.vcpus, g.ram_gb, p.hourly_micro, p.three_months_micro, p.year_micro
  from gpu_type g cross join lateral (
    select * from gpu_price where gpu_type = g.name and holds_from <= p_at order by holds_from desc limit 1
  ) p order by g.position, g.name
$$;

-- A price from `p_holds_from` on (business clock; null: from now), in dollars for one GPU. One that does not hold yet is
-- replaced by another for the same time.
create function set_gpu_price(p_gpu_type text, p_holds_from timestamptz, p_hourly numeric, p_three_months numeric, p_year numeric)
returns void language plpgsql as $$
begin
  if not exists (select from gpu_type where name = p_gpu_type) then raise exception 'there is no GPU type %', p_gpu_type; end if;
  if greatest(scale(p_hourly), scale(p_three_months), scale(p_year)) > 6 then raise exception 'a price has at most 6 decimals'; end if;
  insert into gpu_price values (
    p_gpu_type, coalesce(p_holds_from, business_now()), p_hourly * 1000000, p_three_months * 1000000, p_year * 1000000)
  on conflict (gpu_type, holds_from) do update set hourly_micro = excluded.hourly_micro,
    three_months_micro = excluded.three_months_micro, year_micro = excluded.year_micro;
end $$;

-- What anybody was shown or charged can be found again: a price that holds is never changed, and none begins in the past.
create function refuse_past_price() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.holds_from <= business_now() then
    raise exception 'the price of % holds since % and is not changed; set another from now on', old.gpu_type, old.holds_from;
  end if;
  if tg_op = 'DELETE' then return old; end if;
  if new.holds_from < business_now() then raise exception 'a price cannot hold from % on: that has passed', new.holds_from; end if;
  return new;
end $$;
create trigger refuse_past before insert or update or delete on gpu_price for each row execute function refuse_past_price();
create trigger append_only_all before truncate on gpu_price for each statement execute function refuse_change();

-- Pages and forms begin with a GPU: selling nothing is said by the regions.
create function keep_gpu_on_sale() returns trigger language plpgsql as $$
begin
  if not exists (select from gpus_at(business_now()) where is_on_sale) then
    raise exception 'one GPU with a price stays on sale; to sell nothing, take the regions off sale';
  end if;
  return null;
end $$;
create trigger keep_one after update or delete on gpu_type for each statement execute function keep_gpu_on_sale();

-- Every process reads the catalogue again. NOTIFY makes commits wait for each other, which so rare a change may.
create function signal_catalog() returns trigger language plpgsql as $$
begin
  perform pg_notify('ingot', '["",["catalog"]]');
  return null;
end $$;
create trigger signal_change after insert or update or delete on gpu_type for each statement execute function signal_catalog();
create trigger signal_change after insert or update or delete on gpu_price for each statement execute function signal_catalog();
create trigger signal_change after insert or update or delete on region for each statement execute function signal_catalog();
