-- Whatever costs money over time is a meter of a kind, and the time up to which it is charged is a row per source of
-- looks. Who did something, and in which call, is said once per transaction.

-- Who writes: 'user:<id>', 'key:<id>', 'staff:<id>', or 'system' where nobody said.
create function actor_now() returns text language sql stable as $$
  select coalesce(nullif(current_setting('ingot.actor', true), ''), 'system')
$$;

-- The operation of the call that writes; null outside of one.
create function operation_now() returns text language sql stable as $$
  select nullif(current_setting('ingot.operation', true), '')
$$;

-- The rules of a kind of meter. The ledger knows no noun: it goes by these.
create table meter_kind (
  id text primary key,
  -- What a bill calls it when its name was erased.
  noun text not null,
  -- Charged up to the horizon of its source of looks; otherwise up to now.
  is_looked_at boolean not null,
  -- Paid in advance for so long, again and again; null: from the wallet, after what was prepaid.
  renews_ms bigint check (renews_ms > 0),
  -- What becomes of it when the money ends: it closes, or it lapses and ends after so many days.
  at_end text not null check (at_end in ('close', 'lapse')),
  grace_days integer check (grace_days >= 0),
  -- What comes back of what was prepaid when it is deleted.
  returns text not null check (returns in ('rest', 'none')),
  -- Words of the bill, after its name.
  usage_words text not null,
  renewal_words text,
  return_words text,
  -- Types of its facts; null: none is told.
  charged_event text,
  closed_event text,
  lapsed_event text,
  renewed_event text,
  revived_event text,
  -- The noun's own function for meters that the ledger ends.
  ended_by text not null,
  check ((at_end = 'lapse') = (grace_days is not null)),
  check (at_end = 'close' or renews_ms is not null),
  check ((renews_ms is null) = (renewal_words is null)),
  check ((returns = 'none') = (return_words is null))
);
insert into meter_kind (id, noun, is_looked_at, at_end, returns, usage_words, return_words, charged_event, closed_event, ended_by)
values ('instance', 'Instance', true, 'close', 'rest', 'usage', 'unused part of the deploy charge',
  'instance.usage_charged', 'instance.stopped', 'end_instances');

-- Where looks come from, a driver's name: one time stands for all its runs.
create table look_source (
  id text primary key,
  -- The last look at everything of this source.
  observed_at timestamptz not null default '-infinity',
  -- For so long after a look its runs are taken to go on. Looks come every 30 s.
  grace_ms integer not null default 120000 check (grace_ms >= 0)
);
insert into look_source (id) select distinct driver from gpu_instances;

alter table meter
  add column kind text not null default 'instance' references meter_kind,
  -- Null for kinds that nobody looks at.
  add column source text references look_source,
  -- The last look at the source did not find this run: only `seen_at` stands for it.
  add column is_missed boolean not null default false,
  drop constraint meter_seen,
  add constraint meter_seen check (metered_to is null or source is null or seen_at is not null);
update meter m set source = i.driver from gpu_instances i where i.id = m.id;
-- What a look at a source stands for, and whom it may concern.
create index meter_source on meter (source) where metered_to is not null;

-- The last look that found the run, by name or by its source.
create function last_seen_of(m meter) returns timestamptz language sql stable as $$
  select case when m.is_missed then m.seen_at
    else greatest(m.seen_at, (select s.observed_at from look_source s where s.id = m.source)) end
$$;

-- Beyond it nothing is charged until the machine was looked at again.
create or replace function horizon_of(m meter) returns timestamptz language sql stable as $$
  select coalesce(last_seen_of(m) + (select s.grace_ms from look_source s where s.id = m.source) * interval '1 millisecond', 'infinity')
$$;

drop function open_meter(uuid, timestamptz);

-- The meter starts: from here on every millisecond is charged once. Not before its last charge ended, should the clock
-- have been set back since. What is looked at is looked at by `p_source`.
create function open_meter(p_meter uuid, p_at timestamptz, p_source text default null) returns void language plpgsql as $$
declare v_user uuid; v_from timestamptz;
begin
  select m.user_id into strict v_user from meter m join meter_kind k on k.id = m.kind
  where m.id = p_meter and k.is_looked_at = (p_source is not null);
  perform lock_wallet(v_user);
  if p_source is not null then insert into look_source (id) values (p_source) on conflict do nothing; end if;
  select greatest(p_at, max(to_at)) into v_from from usage_line where meter_id = p_meter;
  update meter set metered_to = v_from, source = p_source, is_missed = false, ended_at = null,
    seen_at = case when p_source is not null then v_from end
  where id = p_meter and metered_to is null;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- A look at `p_seen`, answered at `p_at`, found the machine in the run that is metered: its horizon moves. Had it passed,
-- the gap is charged, and the wallet has its timer again.
create or replace function see_meter(p_meter uuid, p_seen timestamptz, p_at timestamptz)
returns table (meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
declare m meter;
begin
  select * into m from meter where id = p_meter and metered_to is not null;
  if not found or p_seen <= last_seen_of(m) then return; end if;
  update meter set seen_at = p_seen where id = p_meter;
  if horizon_of(m) <= greatest(p_at, m.metered_to) then return query select * from settle_wallet(m.user_id, p_at, p_meter); end if;
end $$;

-- A look at everything of a source, asked for at `p_looked_at` and answered at `p_at`. Runs of `p_missed` were not there:
-- the look before stands for them. Those of `p_found` had been missed and are there. Where the horizon had passed, the
-- wallets are settled, so that the gap is charged.
create function note_looks(p_source text, p_looked_at timestamptz, p_missed uuid[], p_found uuid[], p_at timestamptz)
returns void language plpgsql as $$
declare s look_source;
begin
  insert into look_source (id) values (p_source) on conflict do nothing;
  select * into strict s from look_source where id = p_source for no key update;
  with missed as (
    update meter m set is_missed = true, seen_at = greatest(m.seen_at, s.observed_at)
    where m.id = any(p_missed) and m.source = p_source and m.metered_to is not null and not m.is_missed),
  found as (
    update meter m set is_missed = false, seen_at = greatest(m.seen_at, p_looked_at)
    from meter before
    where m.id = any(p_found) and m.source = p_source and m.metered_to is not null and m.is_missed and before.id = m.id
    returning m.user_id, before.seen_at + s.grace_ms * interval '1 millisecond' < p_at as is_gap)
  update wallets w set due_at = p_at
  where w.user_id in (
    select user_id from found where is_gap
    union all
    select m.user_id from meter m
    where s.observed_at + s.grace_ms * interval '1 millisecond' < p_at and p_looked_at > s.observed_at
      and m.source = p_source and m.metered_to is not null and not m.is_missed and not m.id = any(p_missed))
    and (w.due_at is null or w.due_at > p_at);
  update look_source set observed_at = greatest(observed_at, p_looked_at) where id = p_source;
end $$;

-- A meter that is closed keeps what stood for it then: later looks at its source say nothing of that run.

-- Brings a wallet up to `p_at`: charges the meters that are due (and `p_also`), and where the balance ran out on the way,
-- charges every meter up to that millisecond and closes those that drew on the wallet then. What ran on past it is not
-- charged, and no meter is charged beyond its horizon. `closed_at` is set on the lines of closed meters.
create or replace function settle_wallet(p_user_id uuid, p_at timestamptz, p_also uuid DEFAULT NULL::uuid)
returns table(meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare m meter; v_start timestamptz; v_last timestamptz; v_prepaid bigint; v_closed timestamptz; v_line usage_line;
begin
  perform lock_wallet(p_user_id);
  loop
    select min(metered_to) into v_start from meter where user_id = p_user_id and metered_to is not null;
    exit when v_start is null or v_start >= p_at;
    v_last := wallet_lasts_until(p_user_id, v_start, p_at);
    for m in
      select x.* from meter x join ledger_account a on a.id = x.prepaid_account
      where x.user_id = p_user_id and x.metered_to is not null
        and (v_last < p_at or x.id = p_also or meter_due(x, a.balance_micro) <= p_at)
      order by x.id
    loop
      v_line := null;
      select * into v_line from settle_meter(m.id, v_last);
      v_closed := null;
      if v_last < p_at then
        select * into strict m from meter where id = m.id;
        select prepaid_for_usage(m, balance_micro) into strict v_prepaid from ledger_account where id = m.prepaid_account;
        -- One that was charged further already, or only up to its horizon, takes nothing at that millisecond.
        if m.metered_to <= v_last and horizon_of(m) > v_last and (m.paid_until is null or m.paid_until <= v_last)
          and (v_prepaid = 0 or meter_cost(m, v_last + interval '1 millisecond') > v_prepaid) then
          v_closed := v_last;
          update meter x set seen_at = last_seen_of(m), is_missed = true, ended_at = metered_to, metered_to = null where id = m.id;
        end if;
      end if;
      if v_line.id is not null or v_closed is not null then
        return query select m.id, v_line.from_at, v_line.to_at, coalesce(v_line.amount_micro, 0),
          coalesce(v_line.prepaid_micro, 0), coalesce(v_line.wallet_micro, 0), v_closed;
      end if;
    end loop;
    exit when v_last >= p_at;
  end loop;
  perform refresh_wallet_due(p_user_id, p_at);
end $$;

-- The meter ends at `p_at` as far as is known, after everything due at that time was settled (so it may turn out to have
-- ended before). A last look confirms it: see `end_meter`.
create or replace function close_meter(p_meter uuid, p_at timestamptz)
returns table(meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare v_user uuid;
begin
  select user_id into strict v_user from meter where id = p_meter;
  return query select * from settle_wallet(v_user, p_at, p_meter);
  update meter m set seen_at = last_seen_of(m), is_missed = true, ended_at = metered_to, metered_to = null where id = p_meter and metered_to is not null;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- A look found that the run ended at `p_end`, never before it was last seen. What was not charged up to then is charged,
-- and what was charged beyond it returns to the wallet, as a line with a negative amount. Nothing when the end of the run
-- is settled already.
create or replace function end_meter(p_meter uuid, p_end timestamptz, p_at timestamptz)
returns table(meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare m meter; v_user uuid; v_to timestamptz; v_end timestamptz; v_excess numeric; v_back bigint; v_id bigint;
begin
  select user_id into strict v_user from meter where id = p_meter;
  perform lock_wallet(v_user);
  select * into strict m from meter where id = p_meter;
  v_to := coalesce(m.metered_to, m.ended_at);
  if v_to is null then return; end if;
  v_end := greatest(p_end, least(last_seen_of(m), v_to));
  if v_end > v_to then
    update meter set metered_to = v_to, seen_at = v_end where id = p_meter;
    return query select * from close_meter(p_meter, v_end);
  elsif v_end < v_to then
    -- What the last charge rounded off is taken from it first.
    v_excess := m.price_micro::numeric * billable_ms(v_end, v_to, m.paid_until) - m.remainder;
    v_back := greatest(0, ceil(v_excess / 3600000));
    insert into usage_return
      (meter_id, user_id, from_at, to_at, price_micro, amount_micro, remainder_before, remainder_after)
    values (m.id, v_user, v_end, v_to, m.price_micro, v_back, m.remainder, v_back * 3600000 - v_excess)
    returning id into v_id;
    if v_back > 0 then
      perform ledger_post(key_of('usage_return:' || v_id), 2, (select account_id from wallets where user_id = v_user),
        v_back, 'usage_return', v_user, m.id, format('%s: usage returned, %s s after its machine %s, at $%s per hour', m.label,
          to_char(extract(epoch from v_to - v_end), 'FM999999990.000'),
          case when v_end > last_seen_of(m) then 'had ended' else 'was last seen' end, usd(m.price_micro)), p_at);
    end if;
    update meter set remainder = v_back * 3600000 - v_excess where id = p_meter;
    return query select m.id, v_end, v_to, -v_back, 0::bigint, -v_back, null::timestamptz;
  end if;
  update meter set metered_to = null, ended_at = null where id = p_meter;
  perform refresh_wallet_due(v_user, p_at);
end $$;
