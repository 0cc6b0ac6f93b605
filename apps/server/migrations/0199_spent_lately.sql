-- What administrators ask of all customers at once, kept as sums: what each spent lately, and where a day's movements end.

-- What was earned of each customer from a day on (`money_counted.lately_from`), which the counting keeps at the first of the
-- last thirty: the list of users opens in this order.
create table customer_lately (
  user_id uuid primary key,
  revenue_micro bigint not null
);
alter table money_counted add column lately_from date not null default '-infinity';
insert into customer_lately select user_id, sum(revenue_micro) from customer_day group by 1 having sum(revenue_micro) <> 0;

-- The greatest number among the movements of a day: none of an earlier day comes after the greatest of them.
alter table money_day add column last_id bigint not null default 0;
update money_day d set last_id = m.last_id from (
  select day_of(t) as day, t.code, f.kind as from_kind, o.kind as to_kind, max(t.id) as last_id
  from money_counted c join ledger_transfer t on t.id <= c.transfer_id
  join ledger_account f on f.id = t.from_account join ledger_account o on o.id = t.to_account group by 1, 2, 3, 4) m
where (d.day, d.code, d.from_kind, d.to_kind) = (m.day, m.code, m.from_kind, m.to_kind);
alter table money_day alter column last_id drop default;

drop function money_between(bigint, bigint);
create function money_between(p_after bigint, p_to bigint)
returns table (day date, code ledger_code, from_kind text, to_kind text, amount_micro bigint, movements bigint, last_id bigint)
language sql stable set enable_seqscan = off as $$
  select day_of(t), t.code, f.kind, o.kind, sum(t.amount_micro)::bigint, count(*), max(t.id)
  from ledger_transfer t
  cross join lateral (select kind from ledger_account where id = t.from_account limit 1) f
  cross join lateral (select kind from ledger_account where id = t.to_account limit 1) o
  where t.id > p_after and t.id <= p_to group by 1, 2, 3, 4
$$;

create or replace function money_by_day() returns table (day date, code ledger_code, from_kind text, to_kind text, amount_micro bigint, movements bigint)
language sql stable as $$
  select day, code, from_kind, to_kind, amount_micro, movements from money_day
  union all
  select n.day, n.code, n.from_kind, n.to_kind, n.amount_micro, n.movements from money_counted c cross join lateral money_between(c.transfer_id, 9223372036854775807) n
$$;

-- One step of the counting; false when there is nothing to count, another process is at it, or something that could write
-- a smaller number has not ended (migration 0197 says how that is known).
create or replace function roll_up_money(p_rows bigint default 20000) returns boolean language plpgsql as $$
declare c money_counted; n money_counted; v_from date := (business_now() at time zone 'UTC')::date - 29;
begin
  select * into c from money_counted for update skip locked;
  if not found then return false; end if;
  if c.lately_from < v_from then
    insert into customer_lately as l
    select user_id, -sum(revenue_micro) from customer_day where day >= c.lately_from and day < v_from group by 1
    on conflict (user_id) do update set revenue_micro = l.revenue_micro + excluded.revenue_micro;
    delete from customer_lately where revenue_micro = 0;
    update money_counted set lately_from = v_from;
    return true;
  end if;
  if c.before_xid = '0' then
    update money_counted set before_xid = pg_current_xact_id();
    return true;
  end if;
  if pg_snapshot_xmin(pg_current_snapshot()) < c.before_xid then return false; end if;
  n := c;
  n.transfer_id := least(c.sure_transfer_id, c.transfer_id + p_rows);
  n.line_id := least(c.sure_line_id, c.line_id + p_rows);
  n.return_id := least(c.sure_return_id, c.return_id + p_rows);
  if n = c then
    n.sure_transfer_id := coalesce((select max(id) from ledger_transfer), 0);
    n.sure_line_id := coalesce((select max(id) from usage_line), 0);
    n.sure_return_id := coalesce((select max(id) from usage_return), 0);
    n.before_xid := '0';
    if (n.sure_transfer_id, n.sure_line_id, n.sure_return_id) = (c.transfer_id, c.line_id, c.return_id) then return false; end if;
  else
    insert into money_day as d select * from money_between(c.transfer_id, n.transfer_id)
    on conflict (day, code, from_kind, to_kind) do update
    set amount_micro = d.amount_micro + excluded.amount_micro, movements = d.movements + excluded.movements,
      last_id = greatest(d.last_id, excluded.last_id);
    with part as materialized (
      select * from usage_between(c.transfer_id, n.transfer_id, c.line_id, n.line_id, c.return_id, n.return_id)),
    by_day as (
      insert into usage_day as d
      select day, kind, gpu_type, region, sum(revenue_micro), sum(used_ms), sum(gpu_ms) from part group by 1, 2, 3, 4
      on conflict (day, kind, gpu_type, region) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro,
        used_ms = d.used_ms + excluded.used_ms, gpu_ms = d.gpu_ms + excluded.gpu_ms),
    by_customer as (
      insert into customer_day as d
      select day, user_id, sum(revenue_micro) from part where user_id is not null group by 1, 2 having sum(revenue_micro) <> 0
      on conflict (day, user_id) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro),
    lately as (
      insert into customer_lately as d
      select user_id, sum(revenue_micro) from part where user_id is not null and day >= c.lately_from group by 1 having sum(revenue_micro) <> 0
      on conflict (user_id) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro)
    insert into customer_month as d
    select date_trunc('month', day)::date, user_id, sum(revenue_micro), sum(gpu_ms) from part where user_id is not null group by 1, 2
    on conflict (month, user_id) do update
    set revenue_micro = d.revenue_micro + excluded.revenue_micro, gpu_ms = d.gpu_ms + excluded.gpu_ms;
  end if;
  update money_counted set transfer_id = n.transfer_id, line_id = n.line_id, return_id = n.return_id,
    sure_transfer_id = n.sure_transfer_id, sure_line_id = n.sure_line_id, sure_return_id = n.sure_return_id, before_xid = n.before_xid;
  return true;
end $$;

-- What is to be added to `customer_lately`, so that it is what each customer spent since a day, which is not before
-- `lately_from`: movements that are not counted yet, less days that have not left it yet. Few rows.
drop function earned_since(date);
create function lately_behind(p_from date) returns table (user_id uuid, revenue_micro bigint) language sql stable as $$
  select user_id, sum(revenue_micro)::bigint from (
    select d.user_id, -d.revenue_micro as revenue_micro from money_counted c join customer_day d on d.day >= c.lately_from and d.day < p_from
    union all
    select n.user_id, n.revenue_micro from money_counted c cross join lateral
      usage_between(c.transfer_id, 9223372036854775807, c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
    where n.day >= p_from and n.user_id is not null) s
  group by user_id
$$;

-- No movement that took effect before the end of a day (UTC) has a greater number.
create function last_transfer_of(p_day date) returns bigint language sql stable as $$
  select greatest((select max(last_id) from money_day where day <= p_day), (
    select max(t.id) from money_counted c join ledger_transfer t on t.id > c.transfer_id and day_of(t) <= p_day))
$$;
