-- Lists and sums that cost by a page and by what is new, not by a history.

-- Sums of closed books: what a wallet spent and how long its meters ran, by month (UTC). They are counted behind the
-- movements (`roll_up_spending`), so no movement pays for them; what is newer than `spending_counted` says is read from
-- the movements themselves. Movements of one wallet are written one after the other under its lock, so their numbers
-- are in the order of their commits and one number divides them.
create table spending_counted (
  user_id uuid primary key references wallets,
  transfer_id bigint not null default 0,
  line_id bigint not null default 0,
  return_id bigint not null default 0
);
create table spending_month (
  user_id uuid not null references wallets,
  month date not null,
  spent_micro bigint not null,
  used_ms bigint not null,
  primary key (user_id, month)
);

-- How many facts of each type a user has. Facts are not written in one order, so the transactions before `before_xid`
-- are counted, and all of those have ended.
create table fact_counted (
  user_id uuid primary key references auth_user on delete cascade,
  before_xid xid8 not null default '0'
);
create table fact_count (
  user_id uuid not null references auth_user on delete cascade,
  type text not null,
  count bigint not null,
  primary key (user_id, type)
);

-- How far each table was looked through for whose sums are to be counted. It only says where to look: what stands above
-- decides what is counted.
create table roll_up (source text primary key, seen_id bigint not null default 0);
insert into roll_up (source) values ('ledger_transfer'), ('usage_line'), ('event');

drop index usage_line_user_id_to_at_idx;
create index usage_line_user on usage_line (user_id, id);
create index usage_return_user on usage_return (user_id, id);

-- Few movements are none of the usual charges: a list of them alone reads no others.
create index ledger_transfer_set_aside on ledger_transfer (user_id, id desc)
where code in ('hold', 'release', 'return', 'usage_return');
create index chain_deposit_uncredited on chain_deposit (user_id, block_at desc, id desc) where state <> 'credited';

-- The activity log is in the order of what happened. Most facts of a busy account are charges.
drop index event_log;
create index event_log on event (user_id, at desc, id desc);
create index event_acts on event (user_id, at desc, id desc) where type <> 'instance.usage_charged';
drop index event_subject;
create index event_subject on event (subject_id, at desc, id desc) where subject_id is not null;

-- What a wallet spent by month in the movements after `p_transfer`, less usage that was returned. Nothing is known of how
-- many they are when the statement is planned; they are the last of an index, so it is taken whatever is guessed.
create function spent_after(p_user_id uuid, p_transfer bigint)
returns table (month date, spent_micro bigint, last_id bigint) language sql stable set enable_seqscan = off as $$
  select date_trunc('month', t.effective_at at time zone 'UTC')::date,
    coalesce(sum(t.amount_micro) filter (where t.from_account = w.account_id and t.code <> 'hold'), 0)::bigint
      - coalesce(sum(t.amount_micro) filter (where t.to_account = w.account_id and t.code = 'usage_return'), 0)::bigint,
    max(t.id)
  from wallets w join ledger_transfer t on t.user_id = w.user_id
  where w.user_id = p_user_id and t.id > p_transfer group by 1
$$;

-- How long a user's meters ran by month in the lines after these, less what was returned. A line that goes over the end
-- of a month counts in each of its months.
create function used_after(p_user_id uuid, p_line bigint, p_return bigint)
returns table (month date, used_ms bigint, last_line bigint, last_return bigint) language sql stable set enable_seqscan = off as $$
  with line as (
    select 1 as sign, id, from_at at time zone 'UTC' as from_at, to_at at time zone 'UTC' as to_at from usage_line
    where user_id = p_user_id and id > p_line
    union all
    select -1, id, from_at at time zone 'UTC', to_at at time zone 'UTC' from usage_return
    where user_id = p_user_id and id > p_return
  ), part as (
    select sign, id, date_trunc('month', from_at) as month, from_at, to_at from line
    where to_at <= date_trunc('month', from_at) + interval '1 month'
    union all
    select sign, id, m.month, greatest(from_at, m.month), least(to_at, m.month + interval '1 month')
    from line, generate_series(date_trunc('month', from_at), to_at - interval '1 microsecond', interval '1 month') m(month)
    where to_at > date_trunc('month', from_at) + interval '1 month'
  )
  select month::date, sum(sign * (extract(epoch from to_at - from_at) * 1000)::bigint)::bigint,
    max(id) filter (where sign = 1), max(id) filter (where sign = -1)
  from part group by 1
$$;

-- A user's facts that were not counted yet, by type.
create function facts_after(p_user_id uuid, p_xid xid8)
returns table (type text, count bigint) language sql stable set enable_seqscan = off as $$
  select type, count(*) from event where user_id = p_user_id and xid >= p_xid group by 1
$$;

-- Adds what is new to the sums of these wallets. Two that do it at once take different wallets.
create function count_spending(p_users uuid[]) returns void language plpgsql as $$
begin
  insert into spending_counted (user_id) select user_id from wallets where user_id = any(p_users) order by user_id
  on conflict do nothing;
  with held as materialized (
    select * from spending_counted where user_id = any(p_users) order by user_id for update skip locked),
  spent as materialized (select h.user_id, s.* from held h, spent_after(h.user_id, h.transfer_id) s),
  used as materialized (select h.user_id, u.* from held h, used_after(h.user_id, h.line_id, h.return_id) u),
  added as (
    insert into spending_month as m (user_id, month, spent_micro, used_ms)
    select user_id, month, sum(spent_micro), sum(used_ms) from (
      select user_id, month, spent_micro, 0 as used_ms from spent where spent_micro <> 0
      union all
      select user_id, month, 0, used_ms from used) s
    group by 1, 2 order by 1, 2
    on conflict (user_id, month) do update
    set spent_micro = m.spent_micro + excluded.spent_micro, used_ms = m.used_ms + excluded.used_ms)
  update spending_counted c set transfer_id = greatest(c.transfer_id, l.transfer_id),
    line_id = greatest(c.line_id, l.line_id), return_id = greatest(c.return_id, l.return_id)
  from (
    select user_id, max(transfer_id) as transfer_id, max(line_id) as line_id, max(return_id) as return_id from (
      select user_id, last_id as transfer_id, null::bigint as line_id, null::bigint as return_id from spent
      union all
      select user_id, null, last_line, last_return from used) s
    group by 1) l
  where c.user_id = l.user_id;
end $$;

-- Counts the facts of these users that no open transaction can precede any more.
create function count_facts(p_users uuid[]) returns void language plpgsql as $$
begin
  insert into fact_counted (user_id) select id from auth_user where id = any(p_users) order by id on conflict do nothing;
  with held as materialized (
    select *, pg_snapshot_xmin(pg_current_snapshot()) as xmin_now from fact_counted
    where user_id = any(p_users) order by user_id for update skip locked),
  added as (
    insert into fact_count as f (user_id, type, count)
    select e.user_id, e.type, count(*) from held h join event e on e.user_id = h.user_id
    where e.xid >= h.before_xid and e.xid < h.xmin_now group by 1, 2 order by 1, 2
    on conflict (user_id, type) do update set count = f.count + excluded.count)
  update fact_counted c set before_xid = h.xmin_now from held h where c.user_id = h.user_id and h.xmin_now > h.before_xid;
end $$;

-- The next users with something new in a table, looking through `p_rows` of its rows; null when there is nothing, or
-- another process is at it.
create function next_to_count(p_source text, p_rows integer) returns uuid[] language plpgsql as $$
declare v_from bigint; v_to bigint; v_users uuid[];
begin
  select seen_id into v_from from roll_up where source = p_source for update skip locked;
  if not found then return null; end if;
  select max(id), array_agg(distinct user_id) into v_to, v_users from (
    (select id, user_id from ledger_transfer where p_source = 'ledger_transfer' and id > v_from order by id limit p_rows)
    union all
    (select id, user_id from usage_line where p_source = 'usage_line' and id > v_from order by id limit p_rows)
    union all
    (select id, user_id from event where p_source = 'event' and id > v_from order by id limit p_rows)) s;
  if v_to is null then return null; end if;
  update roll_up set seen_id = v_to where source = p_source;
  return v_users;
end $$;

-- One step of the counting; false when everything was looked through.
create function roll_up_spending(p_rows integer default 20000) returns boolean language plpgsql as $$
declare
  v_movers uuid[] := next_to_count('ledger_transfer', p_rows); v_runners uuid[] := next_to_count('usage_line', p_rows);
begin
  perform count_spending(v_movers || v_runners);
  return v_movers is not null or v_runners is not null;
end $$;

create function roll_up_facts(p_rows integer default 20000) returns boolean language plpgsql as $$
declare v_users uuid[] := next_to_count('event', p_rows);
begin
  perform count_facts(v_users);
  return v_users is not null;
end $$;

-- The nightly audit: when it last ran, and what it found. One row; whoever sets `began_at` runs it.
create table audit_run (
  one boolean primary key default true check (one),
  began_at timestamptz,
  ended_at timestamptz not null default now(),
  findings integer not null default 0,
  seconds double precision not null default 0
);
insert into audit_run default values;
