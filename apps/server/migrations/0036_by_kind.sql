-- What goes by kinds: money in and out, what is prepaid, notices, accounts that go.

-- Money in and out ---------------------------------------------------------------------------------------------------

create or replace function credit_wallet(p_user_id uuid, p_amount bigint, p_description text, p_idem uuid, p_at timestamptz)
returns text language plpgsql as $$
declare v_account bigint := get_or_create_wallet(p_user_id); v_result text;
begin
  perform settle_before(p_user_id, p_at);
  v_result := ledger_post(p_idem, 3, v_account, p_amount, 'credit', p_user_id, null, p_description, p_at);
  perform settle_arrival(p_user_id, p_at);
  return v_result;
end $$;

-- A final transfer: recorded once, credited once. Amounts below the minimum wait until together they reach it; what is
-- held for another reason stays held, and what arrives for a deleted account is to be sent back. Returns what was
-- credited now.
create or replace function credit_deposit(p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamptz, p_from20 bytea, p_to20 bytea, p_amount bigint, p_minimum bigint, p_confirmations integer, p_at timestamptz) returns bigint language plpgsql as $$
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
  perform settle_before(p_user_id, p_at);
  for d in
    select * from chain_deposit
    where user_id = p_user_id and state = 'held' and held_reason = 'below_minimum' order by id
  loop
    perform ledger_post(key_of('deposit:' || d.id), 1, v_account, d.amount_micro, 'deposit', p_user_id, d.id,
      format('Deposit of %s USDT', usd(d.amount_micro)), p_at);
    update chain_deposit set state = 'credited', held_reason = null where id = d.id;
    v_credited := v_credited + d.amount_micro;
  end loop;
  perform settle_arrival(p_user_id, p_at);
  return v_credited;
end $$;

create or replace function release_funds(p_user_id uuid, p_kind text, p_amount bigint, p_description text, p_idem uuid, p_at timestamptz) returns text language plpgsql as $$
declare v_result text;
begin
  perform lock_wallet(p_user_id);
  perform settle_before(p_user_id, p_at);
  v_result := ledger_post(p_idem, (select id from ledger_account where kind = p_kind and owner = p_user_id),
    (select account_id from wallets where user_id = p_user_id), p_amount, 'release', p_user_id, null, p_description, p_at);
  perform settle_arrival(p_user_id, p_at);
  return v_result;
end $$;

drop function deploy_charge(uuid, uuid, text, bigint, bigint, timestamptz, text, timestamptz, boolean);

-- Moves what is paid in advance from the wallet to the prepaid account of a new meter: an hour, a term, a month. With
-- `p_starts` ten minutes of what runs stay in the wallet.
create function deploy_charge(p_user_id uuid, p_meter uuid, p_label text, p_price bigint, p_total bigint, p_paid_until timestamptz, p_description text, p_at timestamptz, p_starts boolean default false, p_kind text default 'instance') returns void language plpgsql as $$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_prepaid bigint; v_left bigint; v_reserve bigint := 0;
begin
  v_left := lock_wallet(p_user_id) - wallet_accrued(p_user_id, p_at) - p_total;
  if p_starts then v_reserve := start_reserve(p_user_id, p_at); end if;
  if v_left < v_reserve then
    -- Too little even for the charge, or only for what runs beside it.
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = case when v_left < 0 then '' else v_reserve::text end;
  end if;
  insert into ledger_account (kind, owner) values ('prepaid', p_meter) returning id into v_prepaid;
  insert into meter (id, user_id, kind, prepaid_account, label, price_micro, paid_until, opened_at)
  values (p_meter, p_user_id, p_kind, v_prepaid, p_label, p_price, p_paid_until, p_at);
  perform ledger_post(key_of('deploy:' || p_meter), v_account, v_prepaid, p_total, 'deploy', p_user_id, p_meter, p_description, p_at);
  perform refresh_wallet_due(p_user_id, p_at);
end $$;

-- What comes back of a prepaid account: what usage leaves of it; of an upfront total what exceeds the hourly price of the
-- time held since the deploy, nothing once the term is over; nothing of kinds that return none.
create function rest_of(m meter_now, p_at timestamptz) returns bigint language sql stable as $$
  select case
    when (select k.returns from meter_kind k where k.id = m.kind) = 'none' or p_at >= m.paid_until then 0
    when m.paid_until is null and m.metered_to is null then a.balance_micro
    when m.paid_until is null then
      least(a.balance_micro, greatest(0, -div(m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon), null) + m.behind, 3600000)))
    else greatest(0, a.balance_micro - cost_micro(m.price_micro, billable_ms(m.opened_at, p_at, null), 0)) end::bigint
  from ledger_account a where a.id = m.prepaid_account
$$;

-- Empties the prepaid account of a meter that is over: the rest goes to the wallet, what was used or is kept is earned.
-- Returns what came back. The wallet is locked.
create function empty_prepaid(p_meter uuid, p_at timestamptz) returns bigint language plpgsql as $$
declare m meter_now; k meter_kind; v_balance bigint; v_rest bigint;
begin
  select * into strict m from meter_now where id = p_meter;
  select * into strict k from meter_kind where id = m.kind;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  v_rest := rest_of(m, p_at);
  if v_balance > v_rest then
    perform ledger_post(key_of('term:' || m.id), m.prepaid_account, 2, v_balance - v_rest, 'term', m.user_id, m.id,
      m.label || ': ' || case when m.paid_until is null then 'not returned' else 'upfront term, time held' end, p_at);
  end if;
  if v_rest > 0 then
    perform ledger_post(key_of('return:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
      v_rest, 'return', m.user_id, m.id, m.label || ': ' || k.return_words, p_at);
  end if;
  return v_rest;
end $$;

create or replace function return_prepaid(p_meter uuid, p_at timestamptz) returns bigint language plpgsql as $$
declare v_user uuid; v_rest bigint;
begin
  select user_id into strict v_user from meter where id = p_meter;
  perform lock_wallet(v_user);
  v_rest := empty_prepaid(p_meter, p_at);
  perform settle_arrival(v_user, p_at);
  return v_rest;
end $$;

-- Ends all that an account pays for, before the account itself goes: charged up to `p_at`, what is left of what was
-- prepaid returns, and the nouns are told.
create function end_meters(p_user_id uuid, p_at timestamptz) returns void language plpgsql as $$
declare v_meters uuid[]; v_meter uuid;
begin
  perform settle_wallets(array[p_user_id], p_at);
  select array_agg(id order by id) into v_meters from meter where user_id = p_user_id;
  perform stop_meters(v_meters, 'account_deleted');
  perform end_lapses(v_meters, 'account_deleted');
  foreach v_meter in array coalesce(v_meters, '{}') loop perform empty_prepaid(v_meter, p_at); end loop;
  perform tell_kinds(v_meters, array_fill(p_at, array[coalesce(cardinality(v_meters), 0)]), 'account_deleted', p_at);
  perform refresh_wallet_due(p_user_id, p_at);
end $$;

-- What the wallet would hold if everything were deleted at `p_at`: the balance less what has accrued, and what comes back
-- of what is prepaid.
create or replace function balance_after_closing(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_accrued(p_user_id, p_at))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)
  + coalesce((select sum(rest_of(m, p_at)) from meter_now m where m.user_id = p_user_id), 0)::bigint
$$;

-- What a start leaves in the wallet: ten minutes of everything that runs, or was asked to, beyond what is prepaid for it.
create or replace function start_reserve(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce(sum(greatest(0, (m.price_micro + 5) / 6 - greatest(0, -div(m.behind
    + case when m.metered_to is null then 0 else m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon), m.paid_until) end,
    3600000)))), 0)::bigint
  from meter_now m
  where not coalesce(m.paid_until > p_at, false) and m.id in (
    select id from meter where user_id = p_user_id and is_running
    union all
    select i.id from gpu_instances i
    where i.user_id = p_user_id and i.status <> 'terminated' and i.status in ('starting', 'stopping') and i.desired = 'running')
$$;

-- A wallet as its owner reads it: the balance less what has accrued, what runs costs per hour and draws on it per hour,
-- the last time that all of it is covered within `p_days` (null: longer, or nothing runs), and what a start must leave. A
-- machine that was not looked at for longer than its horizon counts as drawing nothing until it is.
create function read_wallet(p_user_id uuid, p_at timestamptz, p_days integer)
returns table (account_id bigint, balance_micro bigint, spending_micro bigint, drawing_micro bigint, empty_at timestamptz, reserve_micro bigint)
language sql stable as $$
  select w.account_id, greatest(0, a.balance_micro - coalesce(r.accrued, 0)), coalesce(r.spending, 0), coalesce(r.drawing, 0),
    case when r.spending > 0 then nullif(wallet_lasts_until(p_user_id, p_at, p_at + p_days * interval '1 day', p_at), p_at + p_days * interval '1 day') end,
    start_reserve(p_user_id, p_at)
  from wallets w join ledger_account a on a.id = w.account_id
  cross join lateral (
    select div(sum(m.drawn), 3600000)::bigint as accrued, (sum(m.price_micro) filter (where m.counts))::bigint as spending,
      (sum(m.price_micro) filter (where m.counts and (m.drawn > 0 or m.behind >= 0)))::bigint as drawing
    from (
      select drawn(m, p_at) as drawn, m.behind, m.price_micro, m.horizon >= p_at and not coalesce(m.paid_until > p_at, false) as counts
      from meter_now m where m.user_id = p_user_id and m.is_running offset 0) m) r
  where w.user_id = p_user_id
$$;

-- Notices ------------------------------------------------------------------------------------------------------------

-- As `balanceThresholds.good` in packages/contracts/src/wallet.ts.
create function good_balance() returns bigint language sql immutable as $$ select 100000000::bigint $$;

drop function note_balance(uuid, timestamptz, bigint);

-- Looks at wallets that something draws on, or soon will: told are the fall below `good_balance`, and the end of balance
-- and prepaid time within a day. Each once, until the balance has risen; a day apart, so the second may wait for the next
-- look. The wallets are locked.
create function note_balances(p_users uuid[], p_at timestamptz) returns void language plpgsql as $$
declare v_tomorrow timestamptz := p_at + interval '1 day'; v_near uuid[]; r record;
begin
  perform plan_once();
  -- Of these there may be something to tell, or to forget.
  select array_agg(w.user_id) into v_near
  from unnest(p_users) u(user_id) join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
  left join balance_watch b on b.user_id = w.user_id
  cross join lateral (
    select sum(m.price_micro * 24 + case when m.renews_at < v_tomorrow then cost_micro(m.price_micro, k.renews_ms, 0) else 0 end) as micro
    from meter m join meter_kind k on k.id = m.kind
    where m.user_id = w.user_id and m.is_running and (m.paid_until is null or m.paid_until < v_tomorrow)) day
  where day.micro > 0 and (a.balance_micro <= day.micro or (a.balance_micro >= good_balance()) <> coalesce(b.was_good, false)
    or b.mailed_micro is not null or b.texted_micro is not null);
  if v_near is null then return; end if;
  for r in
    select l.user_id, b.was_good, b.mailed_micro, b.texted_micro, n.balance, e.is_ending, t.*,
      jsonb_build_object('at', p_at, 'balance', usd(greatest(0, n.balance)), 'empty_at', case when e.is_ending then l.last_at end) as item
    from wallets_last(v_near, array_fill(v_tomorrow, array[cardinality(v_near)]), p_at) l
    join wallets w on w.user_id = l.user_id join ledger_account a on a.id = w.account_id
    left join balance_watch b on b.user_id = l.user_id
    cross join lateral (select a.balance_micro - wallet_accrued(l.user_id, p_at) as balance offset 0) n
    cross join lateral (select l.last_at < v_tomorrow as is_ending) e
    cross join lateral (
      select e.is_ending and b.mailed_micro is null and not was_warned(l.user_id, 'mail') as mails,
        e.is_ending and b.texted_micro is null and not was_warned(l.user_id, 'sms') as texts,
        not e.is_ending and b.was_good and n.balance < good_balance() and not was_warned(l.user_id, 'mail') as is_low) t
  loop
    if r.mails then perform queue_notice(r.user_id, 'balance_ending', 'mail', r.item); end if;
    if r.texts then perform queue_notice(r.user_id, 'balance_ending', 'sms', r.item); end if;
    if r.is_low then perform queue_notice(r.user_id, 'balance_low', 'mail', r.item); end if;
    insert into balance_watch as b (user_id, was_good, mailed_micro, texted_micro)
    select r.user_id,
      case when r.mails or r.is_low then false else coalesce(r.was_good, false) or (not r.is_ending and r.balance >= good_balance()) end,
      case when r.mails then r.balance when r.is_ending or r.balance <= r.mailed_micro then r.mailed_micro end,
      case when r.texts then r.balance when r.is_ending or r.balance <= r.texted_micro then r.texted_micro end
    on conflict (user_id) do update
    set was_good = excluded.was_good, mailed_micro = excluded.mailed_micro, texted_micro = excluded.texted_micro
    where b is distinct from excluded;
  end loop;
end $$;

-- What the ledger ends for lack of money it tells itself.
alter table notice
  drop constraint notice_kind_check,
  add constraint notice_kind_check
    check (kind in ('balance_low', 'balance_ending', 'balance_empty', 'lapsed', 'start_failed', 'lost', 'ended'));
drop trigger notice_event on event;

-- In the transaction of the fact, so that none is missed and none is told twice.
create or replace function notice_event() returns trigger language plpgsql as $$
begin
  perform queue_notice(new.user_id, case new.type when 'instance.start_failed' then 'start_failed' else new.data ->> 'reason' end, 'mail',
    jsonb_build_object('at', new.at, 'name', new.data ->> 'name', 'message', new.data ->> 'message'));
  return null;
end $$;
create trigger notice_event after insert on event for each row
when (new.type = 'instance.start_failed' or (new.type = 'instance.stopped' and new.data ->> 'reason' in ('lost', 'ended')))
execute function notice_event();

-- Accounts that go ---------------------------------------------------------------------------------------------------

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

  perform tell_kinds(m.meters, m.times, 'erased', now())
  from (select array_agg(id order by id) as meters, array_agg(now() order by id) as times from meter where user_id = p_user_id) m;
  update meter set label = 'deleted' where user_id = p_user_id;
  perform set_config('ingot.erasing', p_user_id::text, true);
  update ledger_transfer t set description = k.noun || ': ' || regexp_replace(t.description, '^.*: ', '', 's')
  from meter m join meter_kind k on k.id = m.kind where t.user_id = p_user_id and m.id = t.ref;
  perform set_config('ingot.erasing', '', true);
  update chain_deposit set held_reason = 'account_deleted' where user_id = p_user_id and state = 'held';
  perform request_deposit_refunds(p_user_id);

  select string_agg(format('%I = null', attname), ', ') into v_columns from pg_attribute
  where attrelid = 'auth_user'::regclass and attnum > 0 and not attisdropped and not attnotnull and attgenerated = '';
  execute format('update auth_user set %s where id = $1', v_columns) using p_user_id;
  update auth_user set deleted_at = now(), banned_until = 'infinity', app_metadata = '{}', user_metadata = '{}', updated_at = now()
  where id = p_user_id;
end $$;

-- What becomes of instances whose meters the ledger ends: the balance ran out, or their account goes. Nothing of an
-- instance is destroyed for lack of money; it can start again after a deposit. One that stops already to start again, and
-- ran dry before that, only stops. The machine of a deleted one is destroyed by the loop.
create function end_instances(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
begin
  perform 1 from gpu_instances where id = any(p_ids) order by id for no key update;
  if p_cause = 'balance_empty' then
    update gpu_instances i set status = 'stopping', desired = 'stopped', restarting = false, stopped_at = e.time,
      status_reason = 'balance_empty', due_at = p_at, updated_at = p_at,
      status_message = 'Stopped because the balance reached zero. The disk is kept; add funds to start again.'
    from unnest(p_ids, p_times) e(id, time)
    where i.id = e.id and i.status in ('running', 'stopping') and i.desired <> 'deleted';
  elsif p_cause = 'account_deleted' then
    update gpu_instances set status = 'stopping', desired = 'deleted', restarting = false, attempts = 0, due_at = p_at, updated_at = p_at,
      stopped_at = case when status = 'running' then p_at else coalesce(stopped_at, p_at) end
    where id = any(p_ids) and status <> 'terminated' and desired <> 'deleted';
  elsif p_cause = 'erased' then
    update gpu_instances set name = 'deleted', status_message = null, public_ip = null where id = any(p_ids);
  else
    raise exception 'an instance does not know %', p_cause;
  end if;
end $$;
