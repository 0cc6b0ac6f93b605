-- What is credited, what is sent back, and sums that fit.

-- A price times a time ---------------------------------------------------------------------------------------------
-- Ten years of the dearest instance, in micro-USD × ms, do not fit a bigint. What is divided by an hour does.

-- Whole micro-USD of `p_ms` at a price per hour, with what an earlier charge rounded off.
create function cost_micro(p_price bigint, p_ms bigint, p_remainder bigint) returns bigint language sql immutable as $$
  select div(p_price::numeric * p_ms + p_remainder, 3600000)::bigint
$$;

-- What the running meter has used since `metered_to`, in whole micro-USD, the remainder included.
create function meter_cost(m meter, p_at timestamptz) returns bigint language sql immutable as $$
  select cost_micro(m.price_micro, billable_ms(m.metered_to, p_at, m.paid_until), m.remainder)
$$;

-- What a wallet owes for running meters at `p_at` beyond what their prepaid accounts pay.
create or replace function wallet_accrued(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce(sum(greatest(0, meter_cost(m, p_at) - prepaid_for_usage(m, a.balance_micro))), 0)::bigint
  from meter m join ledger_account a on a.id = m.prepaid_account
  where m.user_id = p_user_id and m.metered_to is not null
$$;

-- Charges one running meter up to `p_at`: the prepaid account first, then the wallet. Nothing when no time has passed.
-- The caller holds the wallet's lock and has made sure that the wallet covers it.
create or replace function settle_meter(p_meter uuid, p_at timestamptz) returns setof usage_line language plpgsql as $$
declare
  m meter; v_balance bigint; v_amount bigint; v_prepaid bigint; v_line usage_line; v_text text;
begin
  select * into strict m from meter where id = p_meter;
  if m.metered_to is null or p_at <= m.metered_to then return; end if;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  v_amount := meter_cost(m, p_at);
  v_prepaid := least(v_amount, prepaid_for_usage(m, v_balance));
  insert into usage_line
    (meter_id, user_id, from_at, to_at, price_micro, amount_micro, prepaid_micro, wallet_micro, remainder_before, remainder_after)
  values
    (m.id, m.user_id, m.metered_to, p_at, m.price_micro, v_amount, v_prepaid, v_amount - v_prepaid, m.remainder,
      (m.price_micro::numeric * billable_ms(m.metered_to, p_at, m.paid_until) + m.remainder) % 3600000)
  returning * into v_line;
  v_text := format('%s: usage, %s s at $%s per hour', m.label,
    to_char(extract(epoch from p_at - m.metered_to), 'FM999999990.000'), usd(m.price_micro));
  if v_prepaid > 0 then
    perform ledger_post(key_of('prepaid:' || v_line.id), m.prepaid_account, 2, v_prepaid, 'usage', m.user_id, m.id, v_text, p_at);
  end if;
  if v_amount > v_prepaid then
    perform ledger_post(key_of('usage:' || v_line.id), (select account_id from wallets where user_id = m.user_id), 2,
      v_amount - v_prepaid, 'usage', m.user_id, m.id, v_text, p_at);
  end if;
  if m.paid_until <= p_at and v_balance > 0 then
    perform ledger_post(key_of('term:' || m.id), m.prepaid_account, 2, v_balance, 'term', m.user_id, m.id,
      format('%s: upfront term ended', m.label), p_at);
  end if;
  update meter set metered_to = p_at, remainder = v_line.remainder_after where id = m.id;
  return next v_line;
end $$;

-- Brings a wallet up to `p_at`: charges the meters that are due (and `p_also`), and where the balance ran out on the way,
-- charges every meter up to that millisecond and closes those that drew on the wallet. What ran on past it is not
-- charged. `closed_at` is set on the lines of closed meters.
create or replace function settle_wallet(p_user_id uuid, p_at timestamptz, p_also uuid DEFAULT NULL::uuid)
 RETURNS TABLE(meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
 LANGUAGE plpgsql
AS $$
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
        if (m.paid_until is null or m.paid_until <= v_last)
          and (v_prepaid = 0 or meter_cost(m, v_last + interval '1 millisecond') > v_prepaid) then
          v_closed := v_last;
          update meter set metered_to = null where id = m.id;
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

-- Empties the prepaid account of a closed meter: an hourly one returns whole; of an upfront one the time held since the
-- deploy is charged at the hourly price (never more than was paid) and the rest returns. Returns what came back.
create or replace function return_prepaid(p_meter uuid, p_at timestamptz)
 RETURNS bigint
 LANGUAGE plpgsql
AS $$
declare m meter; v_balance bigint; v_kept bigint := 0;
begin
  select * into strict m from meter where id = p_meter;
  perform lock_wallet(m.user_id);
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  if m.paid_until is not null then
    v_kept := least(v_balance, cost_micro(m.price_micro, billable_ms(m.opened_at, p_at, null), 0));
    if p_at >= m.paid_until then v_kept := v_balance; end if;
    if v_kept > 0 then
      perform ledger_post(key_of('term:' || m.id), m.prepaid_account, 2, v_kept, 'term', m.user_id, m.id,
        format('%s: upfront term, time held', m.label), p_at);
    end if;
  end if;
  if v_balance > v_kept then
    perform ledger_post(key_of('return:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
      v_balance - v_kept, 'return', m.user_id, m.id, format('%s: unused part of the deploy charge', m.label), p_at);
  end if;
  perform refresh_wallet_due(m.user_id, p_at);
  return v_balance - v_kept;
end $$;

-- What the wallet would hold if every instance were deleted at `p_at`: the balance less what has accrued, and what each
-- deploy charge would give back.
create or replace function balance_after_closing(p_user_id uuid, p_at timestamptz)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_accrued(p_user_id, p_at))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)
  + coalesce((
    select sum(case
      when m.paid_until is null and m.metered_to is null then p.balance_micro
      when m.paid_until is null then greatest(0, p.balance_micro - meter_cost(m, p_at))
      when p_at >= m.paid_until then 0
      else greatest(0, p.balance_micro - cost_micro(m.price_micro, billable_ms(m.opened_at, p_at, null), 0)) end)
    from meter m join ledger_account p on p.id = m.prepaid_account where m.user_id = p_user_id), 0)::bigint
$$;

drop function meter_used(meter, timestamptz);

-- Deposits that are held -------------------------------------------------------------------------------------------

-- Held before reasons were kept: only the minimum held anything then.
update chain_deposit set held_reason = 'below_minimum' where state = 'held' and held_reason is null;

-- Beside what was left in the wallet, each deposit that is held for a deleted account is to be sent back: one request a
-- deposit, and one for the wallet. Such a deposit was never in the ledger, so its request has no transfer.
alter table refund_request
  add column deposit_id uuid references chain_deposit on delete restrict,
  drop constraint refund_request_user_id_key,
  add constraint refund_request_one unique nulls not distinct (user_id, deposit_id);

-- A request for each deposit that is held for a deleted account, once.
create function request_deposit_refunds(p_user_id uuid) returns void language sql as $$
  insert into refund_request (id, user_id, amount_micro, deposit_id, requested_at)
  select gen_random_uuid(), d.user_id, d.amount_micro, d.id, now() from chain_deposit d
  where d.user_id = p_user_id and d.state = 'held' and d.held_reason = 'account_deleted'
  on conflict do nothing
$$;
select request_deposit_refunds(user_id) from chain_deposit where held_reason = 'account_deleted';

-- A final transfer: recorded once, credited once. Amounts below the minimum wait until together they reach it; what is
-- held for another reason stays held, and what arrives for a deleted account is to be sent back. Returns what was
-- credited now.
create or replace function credit_deposit(p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamptz, p_from20 bytea, p_to20 bytea, p_amount bigint, p_minimum bigint, p_confirmations integer, p_at timestamptz)
 RETURNS bigint
 LANGUAGE plpgsql
AS $$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_waiting bigint; v_credited bigint := 0; v_gone boolean; d chain_deposit;
begin
  perform lock_wallet(p_user_id);
  -- Deleting an account takes the same lock first, so this is its last word.
  select deleted_at is not null into strict v_gone from auth_user where id = p_user_id;
  insert into chain_deposit
    (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, held_reason, confirmations)
  values (p_id, p_chain, p_txid, p_log_index, p_user_id, p_block_number, p_block_at, p_from20, p_to20, p_amount, 'held',
    case when v_gone then 'account_deleted' else 'below_minimum' end, p_confirmations)
  on conflict (chain, txid, log_index) do update
    set state = 'held', held_reason = excluded.held_reason, block_number = excluded.block_number,
      block_at = excluded.block_at, confirmations = excluded.confirmations
    where chain_deposit.state in ('pending', 'orphaned');
  if v_gone then
    perform request_deposit_refunds(p_user_id);
    return 0;
  end if;
  select coalesce(sum(amount_micro), 0) into v_waiting from chain_deposit
  where user_id = p_user_id and state = 'held' and held_reason = 'below_minimum';
  if v_waiting < p_minimum then return 0; end if;
  for d in
    select * from chain_deposit
    where user_id = p_user_id and state = 'held' and held_reason = 'below_minimum' order by id
  loop
    perform ledger_post(key_of('deposit:' || d.id), 1, v_account, d.amount_micro, 'deposit', p_user_id, d.id,
      format('Deposit of %s USDT', usd(d.amount_micro)), p_at);
    update chain_deposit set state = 'credited', held_reason = null where id = d.id;
    v_credited := v_credited + d.amount_micro;
  end loop;
  perform refresh_wallet_due(p_user_id, p_at);
  return v_credited;
end $$;

-- Takes everything personal out of an account and leaves the row that its transfers name. Tables that would go with the
-- row are emptied of it, and each column of the row that may be empty is, so what is added later is not forgotten.
create or replace function erase_user(p_user_id uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $$
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
  where user_id = p_user_id and code in ('deploy', 'usage', 'return', 'term');
  perform set_config('ingot.erasing', '', true);
  update chain_deposit set held_reason = 'account_deleted' where user_id = p_user_id and state = 'held';
  perform request_deposit_refunds(p_user_id);

  select string_agg(format('%I = null', attname), ', ') into v_columns from pg_attribute
  where attrelid = 'auth_user'::regclass and attnum > 0 and not attisdropped and not attnotnull and attgenerated = '';
  execute format('update auth_user set %s where id = $1', v_columns) using p_user_id;
  update auth_user set deleted_at = now(), banned_until = 'infinity', app_metadata = '{}', user_metadata = '{}', updated_at = now()
  where id = p_user_id;
end $$;
