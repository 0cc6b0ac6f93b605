-- The business by day: what moved, what was earned by card, region and customer; and prices that administrators set.

-- Every movement of the ledger, added up by day (UTC), kind and the kinds of the accounts on both sides. Whatever is asked
-- of money by day is a sum of these: revenue is what came to `revenue` less what left it, what customers hold is what came
-- to their accounts less what left them.
create table money_day (
  day date not null,
  code ledger_code not null,
  from_kind text not null,
  to_kind text not null,
  amount_micro bigint not null,
  movements bigint not null,
  primary key (day, code, from_kind, to_kind)
);
-- What was earned and how long it ran. '' where there is none: no card, a volume that is gone, money that was given up.
create table usage_day (
  day date not null,
  kind text not null,
  gpu_type text not null,
  region text not null,
  revenue_micro bigint not null,
  used_ms bigint not null,
  gpu_ms bigint not null,
  primary key (day, kind, gpu_type, region)
);
create table customer_month (
  month date not null,
  user_id uuid not null,
  revenue_micro bigint not null,
  gpu_ms bigint not null,
  primary key (month, user_id)
);

-- Up to which numbers movements, lines and returns are in these sums: exactly those, since a number counts only when every
-- transaction that could have written a smaller one has ended. `sure_…` were the last numbers when `before_xid` was the
-- next transaction; once all before that have ended, nothing can come below them any more.
create table money_counted (
  one boolean primary key default true check (one),
  transfer_id bigint not null default 0,
  line_id bigint not null default 0,
  return_id bigint not null default 0,
  sure_transfer_id bigint not null default 0,
  sure_line_id bigint not null default 0,
  sure_return_id bigint not null default 0,
  before_xid xid8 not null default '0'
);
insert into money_counted default values;

-- The day that a movement counts in. Usage bears the time at which it ended, and up to midnight that is the next day's first moment.
create function day_of(t ledger_transfer) returns date language sql immutable as $$
  select ((t.effective_at - case t.code when 'usage' then interval '1 millisecond' else interval '0' end) at time zone 'UTC')::date
$$;

-- Movements with numbers from the first (not with it) to the second. Nothing is known of how many they are when this is
-- planned; they are the last of an index, so that is taken, and each looks its accounts up.
create function money_between(p_after bigint, p_to bigint)
returns table (day date, code ledger_code, from_kind text, to_kind text, amount_micro bigint, movements bigint)
language sql stable set enable_seqscan = off as $$
  select day_of(t), t.code, f.kind, o.kind, sum(t.amount_micro)::bigint, count(*)
  from ledger_transfer t
  cross join lateral (select kind from ledger_account where id = t.from_account limit 1) f
  cross join lateral (select kind from ledger_account where id = t.to_account limit 1) o
  where t.id > p_after and t.id <= p_to group by 1, 2, 3, 4
$$;

-- What was earned in movements between two numbers, and what ran in lines and returns between theirs, by day, customer and
-- what it was. A line that goes over midnight counts in the day in which it ended, as its movement does: lines are of an hour.
create function usage_between(p_transfer bigint, p_transfer_to bigint, p_line bigint, p_line_to bigint, p_return bigint, p_return_to bigint)
returns table (day date, user_id uuid, kind text, gpu_type text, region text, revenue_micro bigint, used_ms bigint, gpu_ms bigint)
language sql stable set enable_seqscan = off as $$
  with part as materialized (
    select day_of(t) as day, t.user_id, t.ref as meter_id,
      sum(case when t.to_account = 2 then t.amount_micro else -t.amount_micro end) as micro, 0::numeric as ms
    from ledger_transfer t
    where t.id > p_transfer and t.id <= p_transfer_to and 2 in (t.from_account, t.to_account) group by 1, 2, 3
    union all
    select ((to_at - interval '1 millisecond') at time zone 'UTC')::date, user_id, meter_id, 0, sum(ms_of(to_at) - ms_of(from_at))
    from usage_line where id > p_line and id <= p_line_to group by 1, 2, 3
    union all
    select ((to_at - interval '1 millisecond') at time zone 'UTC')::date, user_id, meter_id, 0, -sum(ms_of(to_at) - ms_of(from_at))
    from usage_return where id > p_return and id <= p_return_to group by 1, 2, 3)
  select p.day, p.user_id, coalesce(m.kind, ''), coalesce(i.gpu_type, ''), coalesce(i.region, v.region, s.region, ''),
    sum(p.micro)::bigint, sum(p.ms)::bigint, sum(p.ms * coalesce(i.gpu_count, 0))::bigint
  from part p
  left join lateral (select kind from meter where id = p.meter_id limit 1) m on true
  left join lateral (select gpu_type, gpu_count, region from gpu_instances where id = p.meter_id limit 1) i on true
  left join lateral (select region from network_volumes where id = p.meter_id limit 1) v on true
  left join lateral (select region from volume_snapshots where id = p.meter_id limit 1) s on true
  group by 1, 2, 3, 4, 5
$$;

-- One step of the counting; false when there is nothing to count, another process is at it, or something that could write
-- a smaller number has not ended.
create function roll_up_money(p_rows bigint default 20000) returns boolean language plpgsql as $$
declare c money_counted; n money_counted;
begin
  select * into c from money_counted for update skip locked;
  if not found or pg_snapshot_xmin(pg_current_snapshot()) < c.before_xid then return false; end if;
  n := c;
  n.transfer_id := least(c.sure_transfer_id, c.transfer_id + p_rows);
  n.line_id := least(c.sure_line_id, c.line_id + p_rows);
  n.return_id := least(c.sure_return_id, c.return_id + p_rows);
  if n = c then
    select coalesce(max(id), 0), pg_snapshot_xmax(pg_current_snapshot()) into n.sure_transfer_id, n.before_xid from ledger_transfer;
    select coalesce(max(id), 0), greatest(n.before_xid, pg_snapshot_xmax(pg_current_snapshot())) into n.sure_line_id, n.before_xid from usage_line;
    select coalesce(max(id), 0), greatest(n.before_xid, pg_snapshot_xmax(pg_current_snapshot())) into n.sure_return_id, n.before_xid from usage_return;
    if (n.sure_transfer_id, n.sure_line_id, n.sure_return_id) = (c.transfer_id, c.line_id, c.return_id) then return false; end if;
  else
    insert into money_day as d select * from money_between(c.transfer_id, n.transfer_id)
    on conflict (day, code, from_kind, to_kind) do update
    set amount_micro = d.amount_micro + excluded.amount_micro, movements = d.movements + excluded.movements;
    with part as materialized (
      select * from usage_between(c.transfer_id, n.transfer_id, c.line_id, n.line_id, c.return_id, n.return_id)),
    by_day as (
      insert into usage_day as d
      select day, kind, gpu_type, region, sum(revenue_micro), sum(used_ms), sum(gpu_ms) from part group by 1, 2, 3, 4
      on conflict (day, kind, gpu_type, region) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro,
        used_ms = d.used_ms + excluded.used_ms, gpu_ms = d.gpu_ms + excluded.gpu_ms)
    insert into customer_month as d
    select date_trunc('month', day)::date, user_id, sum(revenue_micro), sum(gpu_ms) from part where user_id is not null group by 1, 2
    on conflict (month, user_id) do update
    set revenue_micro = d.revenue_micro + excluded.revenue_micro, gpu_ms = d.gpu_ms + excluded.gpu_ms;
  end if;
  update money_counted set transfer_id = n.transfer_id, line_id = n.line_id, return_id = n.return_id,
    sure_transfer_id = n.sure_transfer_id, sure_line_id = n.sure_line_id, sure_return_id = n.sure_return_id, before_xid = n.before_xid;
  return true;
end $$;

-- The sums with what is newer than them: exact at every moment, however late the counting.
create function money_by_day() returns table (day date, code ledger_code, from_kind text, to_kind text, amount_micro bigint, movements bigint)
language sql stable as $$
  select * from money_day
  union all
  select n.* from money_counted c cross join lateral money_between(c.transfer_id, 9223372036854775807) n
$$;

create function usage_by_day(p_from date, p_to date)
returns table (day date, kind text, gpu_type text, region text, revenue_micro bigint, used_ms bigint, gpu_ms bigint) language sql stable as $$
  select * from usage_day where day between p_from and p_to
  union all
  select n.day, n.kind, n.gpu_type, n.region, n.revenue_micro, n.used_ms, n.gpu_ms from money_counted c cross join lateral
    usage_between(c.transfer_id, 9223372036854775807, c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
  where n.day between p_from and p_to
$$;

create function customers_by_month(p_from date, p_to date)
returns table (month date, user_id uuid, revenue_micro bigint, gpu_ms bigint) language sql stable as $$
  select * from customer_month where month between p_from and p_to
  union all
  select date_trunc('month', n.day)::date, n.user_id, n.revenue_micro, n.gpu_ms from money_counted c cross join lateral
    usage_between(c.transfer_id, 9223372036854775807, c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
  where date_trunc('month', n.day)::date between p_from and p_to and n.user_id is not null
$$;

-- `billed`: every amount on any customer's bill without its sign, as the specification counts total revenue. `earned`: what
-- came to revenue less what went back.
create function business_totals() returns table (billed_micro bigint, earned_micro bigint) language sql stable as $$
  select coalesce(sum(amount_micro) filter (where 'wallet' in (from_kind, to_kind)), 0)::bigint,
    coalesce(sum(case when to_kind = 'revenue' then amount_micro when from_kind = 'revenue' then -amount_micro end), 0)::bigint
  from money_by_day()
$$;

-- What is on the chain is asked by the day that it came or went.
create index chain_deposit_at on chain_deposit (chain, block_at) include (amount_micro) where state in ('credited', 'held', 'rejected');
create index chain_sweep_at on chain_sweep (chain, block_at) include (to20, amount_micro);

-- Prices know who set them, and why. Null: they came with the product, or from an earlier version.
alter table gpu_price add column set_by text, add column set_at timestamptz, add column reason text;

-- A price from `p_holds_from` on (business clock; null: from now), in dollars for one GPU. One that does not hold yet is
-- replaced by another for the same time.
create or replace function set_gpu_price(p_gpu_type text, p_holds_from timestamptz, p_hourly numeric, p_three_months numeric, p_year numeric)
returns void language plpgsql as $$
begin
  if not exists (select from gpu_type where name = p_gpu_type) then raise exception 'there is no GPU type %', p_gpu_type; end if;
  if greatest(scale(p_hourly), scale(p_three_months), scale(p_year)) > 6 then raise exception 'a price has at most 6 decimals'; end if;
  insert into gpu_price (gpu_type, holds_from, hourly_micro, three_months_micro, year_micro, set_by, set_at, reason)
  values (p_gpu_type, coalesce(p_holds_from, business_now()), p_hourly * 1000000, p_three_months * 1000000, p_year * 1000000,
    actor_now(), now(), nullif(current_setting('ingot.reason', true), ''))
  on conflict (gpu_type, holds_from) do update set hourly_micro = excluded.hourly_micro,
    three_months_micro = excluded.three_months_micro, year_micro = excluded.year_micro,
    set_by = excluded.set_by, set_at = excluded.set_at, reason = excluded.reason;
end $$;

-- Takes a price back that does not hold yet; a trigger refuses any other. False: there is none.
create function cancel_gpu_price(p_gpu_type text, p_holds_from timestamptz) returns boolean language plpgsql as $$
begin
  delete from gpu_price where gpu_type = p_gpu_type and holds_from = p_holds_from;
  return found;
end $$;

-- What staff do to prices, and that they had the books compared, is in the audit log. Kinds are added to those that stand.
do $$
declare v_check text;
begin
  select pg_get_constraintdef(oid) into strict v_check from pg_constraint where conname = 'audit_log_subject_kind_check';
  execute 'alter table audit_log drop constraint audit_log_subject_kind_check, add constraint audit_log_subject_kind_check '
    || replace(v_check, '])', ', ''price''::text, ''books''::text])');
end $$;
