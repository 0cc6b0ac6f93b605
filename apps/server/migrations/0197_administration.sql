-- Lists and cards of the administration: what was earned of each customer by day, and indexes for what is asked of all users.

-- Whose money it was, for the spending of the last thirty days. Counted with the sums of the business.
create table customer_day (
  day date not null,
  user_id uuid not null,
  revenue_micro bigint not null,
  primary key (day, user_id) include (revenue_micro)
);
create index customer_day_of on customer_day (user_id, day) include (revenue_micro);

-- One step of the counting; false when there is nothing to count, another process is at it, or something that could write
-- a smaller number has not ended. The last numbers are read in one step (`sure_…`) and the step after it notes its own
-- transaction (`before_xid`): whoever has drawn a number up to them began before that. What is the next transaction
-- while they are read would not do, because younger ones may have drawn smaller numbers by then.
create or replace function roll_up_money(p_rows bigint default 20000) returns boolean language plpgsql as $$
declare c money_counted; n money_counted;
begin
  select * into c from money_counted for update skip locked;
  if not found then return false; end if;
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
    set amount_micro = d.amount_micro + excluded.amount_micro, movements = d.movements + excluded.movements;
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
      on conflict (day, user_id) do update set revenue_micro = d.revenue_micro + excluded.revenue_micro)
    insert into customer_month as d
    select date_trunc('month', day)::date, user_id, sum(revenue_micro), sum(gpu_ms) from part where user_id is not null group by 1, 2
    on conflict (month, user_id) do update
    set revenue_micro = d.revenue_micro + excluded.revenue_micro, gpu_ms = d.gpu_ms + excluded.gpu_ms;
  end if;
  update money_counted set transfer_id = n.transfer_id, line_id = n.line_id, return_id = n.return_id,
    sure_transfer_id = n.sure_transfer_id, sure_line_id = n.sure_line_id, sure_return_id = n.sure_return_id, before_xid = n.before_xid;
  return true;
end $$;

-- What was earned of each customer from a day on, with what is newer than the sums. All of it at once: it would not fit
-- into the memory that a step has otherwise.
create function earned_since(p_from date) returns table (user_id uuid, revenue_micro bigint) language sql stable set work_mem = '64MB' as $$
  select user_id, sum(revenue_micro)::bigint from (
    select d.user_id, d.revenue_micro from customer_day d where day >= p_from
    union all
    select n.user_id, n.revenue_micro from money_counted c cross join lateral
      usage_between(c.transfer_id, 9223372036854775807, c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
    where n.day >= p_from and n.user_id is not null) s
  group by user_id
$$;

-- Users by their address, and when accounts ended.
create index auth_user_by_email on auth_user ((coalesce(email, '')), id) where deleted_at is null;
create index auth_user_deleted on auth_user (deleted_at) where deleted_at is not null;

-- What is there, of all users, and what is gone since when.
create index gpu_instances_now on gpu_instances (id) where status <> 'terminated';
create index gpu_instances_gone on gpu_instances (updated_at) where status = 'terminated';
create index event_volume_ends on event (at) where type in ('volume.deleted', 'volume.ended');

-- The bills of all: the few movements that are none of the usual charges, and deposits that moved nothing yet.
create index ledger_transfer_back on ledger_transfer (id) where code in ('hold', 'release', 'return', 'usage_return');
create index chain_deposit_arriving on chain_deposit (block_at, id) where state <> 'credited';
create index chain_deposit_hash on chain_deposit (txid);
create index chain_deposit_came on chain_deposit (created_at);

create index support_tickets_opened on support_tickets (created_at);
create index support_tickets_wait on support_tickets ((coalesce(person_asked_at, created_at)), id)
where status in ('open', 'in_progress') and (person_asked_at is not null or first_person_at is null);

-- Parts of names and addresses are found by their trigrams, where the database has them; where not, by reading all.
do $$ begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create schema trgm;
    create extension pg_trgm schema trgm;
    create index auth_user_email_part on auth_user using gin (email trgm.gin_trgm_ops) where deleted_at is null;
    create index profiles_name_part on profiles using gin ((first_name || ' ' || last_name) trgm.gin_trgm_ops);
    create index gpu_instances_name_part on gpu_instances using gin (name trgm.gin_trgm_ops) where status <> 'terminated';
    create index network_volumes_name_part on network_volumes using gin (name trgm.gin_trgm_ops);
    create index support_tickets_title_part on support_tickets using gin (title trgm.gin_trgm_ops);
  end if;
end $$;

-- What administrators do to instances and volumes is in the audit log. Kinds are added to those that stand.
do $$
declare v record;
begin
  for v in
    select c.conname, pg_get_expr(c.conbin, c.conrelid) as expression from pg_constraint c
    where c.conrelid = 'audit_log'::regclass and c.conname = 'audit_log_subject_kind_check'
  loop
    execute format('alter table audit_log drop constraint %I, add constraint %1$I check (%s or subject_kind in (''instance'', ''volume''))', v.conname, v.expression);
  end loop;
end $$;
