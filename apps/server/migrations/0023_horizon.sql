-- A meter is charged at most up to its horizon: two minutes after the last look that found its run.

alter table meter
  -- When the machine was last found in this run.
  add column seen_at timestamptz,
  -- Where the charge stands while the end of a run is not confirmed by a last look; null otherwise.
  add column ended_at timestamptz,
  -- A look changes `seen_at` in place: no index has it.
  set (fillfactor = 70);
update meter m set seen_at = coalesce((select observed_at from gpu_instances i where i.id = m.id), m.metered_to)
where metered_to is not null;
alter table meter add constraint meter_seen check (metered_to is null or seen_at is not null);

alter table gpu_instances
  -- The last look is the meter's now.
  drop column observed_at,
  -- The run that is metered, by the driver's name for it, and how long it had lasted at the last look by the driver's
  -- clock. Null when no run is, or when its end is settled.
  add column run_id text,
  add column run_ms double precision,
  drop constraint gpu_instances_status_reason_check,
  add constraint gpu_instances_status_reason_check
    check (status_reason in ('balance_empty', 'start_failed', 'lost', 'ended', 'idle'));

-- What came back -----------------------------------------------------------------------------------------------------

alter domain ledger_code drop constraint ledger_code_check;
alter domain ledger_code add constraint ledger_code_check check (value in
  ('deposit', 'deploy', 'usage', 'usage_return', 'return', 'debit', 'credit', 'term', 'hold', 'release', 'refund', 'forfeit'));

-- Time that was charged beyond the end of a run. It lies at the end of what its meter was charged.
create table usage_return (
  id bigint generated always as identity primary key,
  meter_id uuid not null references meter,
  user_id uuid not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  price_micro bigint not null,
  amount_micro bigint not null check (amount_micro >= 0),
  remainder_before bigint not null,
  remainder_after bigint not null,
  recorded_at timestamptz not null default clock_timestamp(),
  check (to_at > from_at),
  unique (meter_id, to_at)
);
create trigger append_only before update or delete on usage_return for each row execute function refuse_change();
create trigger append_only_all before truncate on usage_return for each statement execute function refuse_change();

-- Up to when ---------------------------------------------------------------------------------------------------------

-- Beyond it nothing is charged until the machine was looked at again. Looks come every 30 s.
create function horizon_of(m meter) returns timestamptz language sql stable as $$
  select m.seen_at + interval '2 minutes'
$$;

drop function meter_cost(meter, timestamptz);
drop function wallet_accrued(uuid, timestamptz);
drop function wallet_lasts_until(uuid, timestamptz, timestamptz);

-- What the running meter has used since `metered_to`, in whole micro-USD, the remainder included: up to its horizon.
-- With `p_now` it is a forecast: a machine that is looked at then is taken to run on.
create function meter_cost(m meter, p_at timestamptz, p_now timestamptz default null)
returns bigint language sql stable as $$
  select cost_micro(m.price_micro,
    billable_ms(m.metered_to, case when horizon_of(m) >= p_now then p_at else least(p_at, horizon_of(m)) end, m.paid_until),
    m.remainder)
$$;

-- What a wallet owes for running meters at `p_at` beyond what their prepaid accounts pay. With `p_now` it is a forecast.
create function wallet_accrued(p_user_id uuid, p_at timestamptz, p_now timestamptz default null)
returns bigint language sql stable as $$
  select coalesce(sum(greatest(0, meter_cost(m, p_at, p_now) - prepaid_for_usage(m, a.balance_micro))), 0)::bigint
  from meter m join ledger_account a on a.id = m.prepaid_account
  where m.user_id = p_user_id and m.metered_to is not null
$$;

-- The last millisecond in [p_from, p_until] at which the wallet still covers what has accrued, or will have as far as
-- one can see at `p_now`. Accrual only grows, so halving the span finds it.
create function wallet_lasts_until(
  p_user_id uuid, p_from timestamptz, p_until timestamptz, p_now timestamptz default null
) returns timestamptz language plpgsql stable as $$
declare
  v_balance bigint; v_low bigint := 0; v_high bigint; v_middle bigint;
begin
  select a.balance_micro into strict v_balance from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id;
  if wallet_accrued(p_user_id, p_until, p_now) <= v_balance then return p_until; end if;
  v_high := ceil(extract(epoch from p_until - p_from) * 1000)::bigint;
  while v_high - v_low > 1 loop
    v_middle := (v_low + v_high) / 2;
    if wallet_accrued(p_user_id, p_from + v_middle * interval '1 millisecond', p_now) <= v_balance then v_low := v_middle;
    else v_high := v_middle; end if;
  end loop;
  return p_from + v_low * interval '1 millisecond';
end $$;

-- Sets the wallet's timer: the earlier of exhaustion and the next meter that is due. A meter that was charged up to its
-- horizon waits for a look, not for a time. Null while nothing is to be charged.
create or replace function refresh_wallet_due(p_user_id uuid, p_at timestamptz) returns void language plpgsql as $$
declare v_next timestamptz; v_last timestamptz;
begin
  select min(meter_due(m, a.balance_micro)) into v_next
  from meter m join ledger_account a on a.id = m.prepaid_account
  where m.user_id = p_user_id and m.metered_to < horizon_of(m);
  if v_next > p_at then
    v_last := wallet_lasts_until(p_user_id, p_at, v_next, p_at);
    if v_last < v_next then v_next := v_last + interval '1 millisecond'; end if;
  end if;
  update wallets set due_at = v_next where user_id = p_user_id and due_at is distinct from v_next;
end $$;

-- Charging -----------------------------------------------------------------------------------------------------------

-- Charges one running meter up to `p_at`, at most to its horizon: the prepaid account first, then the wallet. Nothing
-- when no time has passed. The caller holds the wallet's lock and has made sure that the wallet covers it.
create or replace function settle_meter(p_meter uuid, p_at timestamptz) returns setof usage_line language plpgsql as $$
declare
  m meter; v_to timestamptz; v_balance bigint; v_amount bigint; v_prepaid bigint; v_line usage_line; v_text text;
begin
  select * into strict m from meter where id = p_meter;
  v_to := least(p_at, horizon_of(m));
  if m.metered_to is null or v_to <= m.metered_to then return; end if;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  v_amount := meter_cost(m, v_to);
  v_prepaid := least(v_amount, prepaid_for_usage(m, v_balance));
  insert into usage_line
    (meter_id, user_id, from_at, to_at, price_micro, amount_micro, prepaid_micro, wallet_micro, remainder_before, remainder_after)
  values
    (m.id, m.user_id, m.metered_to, v_to, m.price_micro, v_amount, v_prepaid, v_amount - v_prepaid, m.remainder,
      (m.price_micro::numeric * billable_ms(m.metered_to, v_to, m.paid_until) + m.remainder) % 3600000)
  returning * into v_line;
  v_text := format('%s: usage, %s s at $%s per hour', m.label,
    to_char(extract(epoch from v_to - m.metered_to), 'FM999999990.000'), usd(m.price_micro));
  if v_prepaid > 0 then
    perform ledger_post(key_of('prepaid:' || v_line.id), m.prepaid_account, 2, v_prepaid, 'usage', m.user_id, m.id, v_text, v_to);
  end if;
  if v_amount > v_prepaid then
    perform ledger_post(key_of('usage:' || v_line.id), (select account_id from wallets where user_id = m.user_id), 2,
      v_amount - v_prepaid, 'usage', m.user_id, m.id, v_text, v_to);
  end if;
  if m.paid_until <= v_to and v_balance > 0 then
    perform ledger_post(key_of('term:' || m.id), m.prepaid_account, 2, v_balance, 'term', m.user_id, m.id,
      format('%s: upfront term ended', m.label), v_to);
  end if;
  update meter set metered_to = v_to, remainder = v_line.remainder_after where id = m.id;
  return next v_line;
end $$;

-- Brings a wallet up to `p_at`: charges the meters that are due (and `p_also`), and where the balance ran out on the way,
-- charges every meter up to that millisecond and closes those that drew on the wallet then. What ran on past it is not
-- charged, and no meter is charged beyond its horizon. `closed_at` is set on the lines of closed meters.
create or replace function settle_wallet(p_user_id uuid, p_at timestamptz, p_also uuid default null)
returns table (meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
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
          update meter set ended_at = metered_to, metered_to = null where id = m.id;
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

-- The meter starts: from here on every millisecond is charged once. Not before its last charge ended, should the clock
-- have been set back since.
create or replace function open_meter(p_meter uuid, p_at timestamptz) returns void language plpgsql as $$
declare v_user uuid; v_from timestamptz;
begin
  select user_id into strict v_user from meter where id = p_meter;
  perform lock_wallet(v_user);
  select greatest(p_at, max(to_at)) into v_from from usage_line where meter_id = p_meter;
  update meter set metered_to = v_from, seen_at = v_from, ended_at = null where id = p_meter and metered_to is null;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- A look at `p_at` found the machine in the run that is metered: its horizon moves. Had it passed, the gap is charged.
create function see_meter(p_meter uuid, p_at timestamptz)
returns table (meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
declare m meter;
begin
  select * into m from meter where id = p_meter and metered_to is not null;
  if not found or p_at <= m.seen_at then return; end if;
  update meter set seen_at = p_at where id = p_meter;
  if horizon_of(m) < p_at then return query select * from settle_wallet(m.user_id, p_at, p_meter); end if;
end $$;

-- The meter ends at `p_at` as far as is known, after everything due at that time was settled (so it may turn out to have
-- ended before). A last look confirms it: see `end_meter`.
create or replace function close_meter(p_meter uuid, p_at timestamptz)
returns table (meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare v_user uuid;
begin
  select user_id into strict v_user from meter where id = p_meter;
  return query select * from settle_wallet(v_user, p_at, p_meter);
  update meter set ended_at = metered_to, metered_to = null where id = p_meter and metered_to is not null;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- A look found that the run ended at `p_end`, never before it was last seen. What was not charged up to then is charged,
-- and what was charged beyond it returns to the wallet, as a line with a negative amount. Nothing when the end of the run
-- is settled already.
create function end_meter(p_meter uuid, p_end timestamptz, p_at timestamptz)
returns table (meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare m meter; v_user uuid; v_to timestamptz; v_end timestamptz; v_excess numeric; v_back bigint; v_id bigint;
begin
  select user_id into strict v_user from meter where id = p_meter;
  perform lock_wallet(v_user);
  select * into strict m from meter where id = p_meter;
  v_to := coalesce(m.metered_to, m.ended_at);
  if v_to is null then return; end if;
  v_end := greatest(p_end, least(m.seen_at, v_to));
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
          case when v_end > m.seen_at then 'had ended' else 'was last seen' end, usd(m.price_micro)), p_at);
    end if;
    update meter set remainder = v_back * 3600000 - v_excess where id = p_meter;
    return query select m.id, v_end, v_to, -v_back, 0::bigint, -v_back, null::timestamptz;
  end if;
  update meter set metered_to = null, ended_at = null where id = p_meter;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- Looks at a wallet that something draws on, or soon will: told are the fall below `p_good`, and the end of balance and
-- prepaid time within a day. Each once, until the balance has risen; a day apart, so the second may wait for the next
-- look. The wallet's lock is held.
create or replace function note_balance(p_user_id uuid, p_at timestamptz, p_good bigint) returns void language plpgsql as $$
declare
  v_tomorrow timestamptz := p_at + interval '1 day';
  v_day_cost bigint; v_balance bigint; v_empty_at timestamptz; v_old balance_watch; v_new balance_watch; v_item jsonb;
begin
  select sum(price_micro) * 24 into v_day_cost from meter
  where user_id = p_user_id and metered_to is not null and (paid_until is null or paid_until < v_tomorrow);
  if coalesce(v_day_cost, 0) = 0 then return; end if;
  select a.balance_micro - wallet_accrued(p_user_id, p_at) into strict v_balance
  from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id;
  if v_balance <= v_day_cost then
    v_empty_at := nullif(wallet_lasts_until(p_user_id, p_at, v_tomorrow, p_at), v_tomorrow);
  end if;
  select * into v_old from balance_watch where user_id = p_user_id;
  v_new := (p_user_id, coalesce(v_old.was_good, false), v_old.mailed_micro, v_old.texted_micro);
  v_item := jsonb_build_object('at', p_at, 'balance', usd(greatest(0, v_balance)), 'empty_at', v_empty_at);

  if v_empty_at is not null then
    if v_new.mailed_micro is null and not was_warned(p_user_id, 'mail') then
      perform queue_notice(p_user_id, 'balance_ending', 'mail', v_item);
      v_new.mailed_micro := v_balance;
      v_new.was_good := false;
    end if;
    if v_new.texted_micro is null and not was_warned(p_user_id, 'sms') then
      perform queue_notice(p_user_id, 'balance_ending', 'sms', v_item);
      v_new.texted_micro := v_balance;
    end if;
  else
    if v_balance > v_new.mailed_micro then v_new.mailed_micro := null; end if;
    if v_balance > v_new.texted_micro then v_new.texted_micro := null; end if;
    if v_balance >= p_good then
      v_new.was_good := true;
    elsif v_new.was_good and not was_warned(p_user_id, 'mail') then
      perform queue_notice(p_user_id, 'balance_low', 'mail', v_item);
      v_new.was_good := false;
    end if;
  end if;

  if v_new is distinct from v_old then
    insert into balance_watch select v_new.* on conflict (user_id) do update
    set was_good = excluded.was_good, mailed_micro = excluded.mailed_micro, texted_micro = excluded.texted_micro;
  end if;
end $$;

-- Takes everything personal out of an account and leaves the row that its transfers name. Tables that would go with the
-- row are emptied of it, and each column of the row that may be empty is, so what is added later is not forgotten.
create or replace function erase_user(p_user_id uuid) returns void language plpgsql as $$
declare v_table record; v_columns text;
begin
  delete from mail where ltrim(recipient, '+') in (
    select value from auth_user u, jsonb_each_text(to_jsonb(u))
    where u.id = p_user_id and key in ('email', 'new_email', 'phone', 'new_phone') and value <> '');
  for v_table in
    select c.conrelid::regclass as name, a.attname as owner
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.confrelid = 'auth_user'::regclass and c.confdeltype = 'c' and cardinality(c.conkey) = 1
    order by c.oid
  loop
    execute format('delete from %s where %I = $1', v_table.name, v_table.owner) using p_user_id;
  end loop;
  delete from terminal_ticket where user_id = p_user_id;
  delete from idempotency where caller = p_user_id;
  delete from event where user_id = p_user_id;

  update gpu_instances set name = 'deleted', status_message = null, public_ip = null where user_id = p_user_id;
  update meter set label = 'deleted' where user_id = p_user_id;
  perform set_config('ingot.erasing', p_user_id::text, true);
  update ledger_transfer set description = regexp_replace(description, '^.*: ', 'Instance: ', 's')
  where user_id = p_user_id and code in ('deploy', 'usage', 'usage_return', 'return', 'term');
  perform set_config('ingot.erasing', '', true);
  update chain_deposit set held_reason = 'account_deleted' where user_id = p_user_id and state = 'held';
  perform request_deposit_refunds(p_user_id);

  select string_agg(format('%I = null', attname), ', ') into v_columns from pg_attribute
  where attrelid = 'auth_user'::regclass and attnum > 0 and not attisdropped and not attnotnull and attgenerated = '';
  execute format('update auth_user set %s where id = $1', v_columns) using p_user_id;
  update auth_user set deleted_at = now(), banned_until = 'infinity', app_metadata = '{}', user_metadata = '{}', updated_at = now()
  where id = p_user_id;
end $$;

-- Empties a wallet for good: to what former customers are owed, or to what was earned. Returns how much. The wallet's
-- lock is held and no instance of it is left; no last look changes what was charged any more.
create or replace function close_wallet(p_user_id uuid, p_code text, p_ref uuid, p_at timestamptz) returns bigint language plpgsql as $$
declare v_account bigint; v_balance bigint;
begin
  select w.account_id, a.balance_micro into strict v_account, v_balance
  from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id;
  update meter set ended_at = null where user_id = p_user_id and ended_at is not null;
  if v_balance > 0 then
    perform ledger_post(key_of(p_code || ':' || p_user_id), v_account, case p_code when 'refund' then 4 when 'forfeit' then 2 end,
      v_balance, p_code, p_user_id, p_ref,
      case p_code when 'refund' then 'Account deleted: balance to be refunded' else 'Account deleted: balance given up' end, p_at);
  end if;
  return v_balance;
end $$;

-- Notices ------------------------------------------------------------------------------------------------------------

alter table notice
  drop constraint notice_kind_check,
  add constraint notice_kind_check
    check (kind in ('balance_low', 'balance_ending', 'balance_empty', 'start_failed', 'lost', 'ended'));
drop trigger notice_event on event;
create trigger notice_event after insert on event for each row
when (new.type = 'instance.start_failed'
  or (new.type = 'instance.stopped' and new.data ->> 'reason' in ('balance_empty', 'lost', 'ended')))
execute function notice_event();
