-- What belongs to an account beside signing in: preferences, the API key, and how an account ends.

create table user_settings (
  user_id uuid primary key references auth_user on delete cascade,
  email_notifications boolean not null default true,
  sms_notifications boolean not null default false,
  marketing_emails boolean not null default false,
  security_alerts boolean not null default true,
  usage_alerts boolean not null default true,
  auto_shutdown_enabled boolean not null default true,
  auto_shutdown_minutes integer not null default 60 check (auto_shutdown_minutes between 5 and 480),
  updated_at timestamptz not null default now()
);

-- A key is found by its hash; the sealed copy is there to show it again, and only while it is active.
create table api_keys (
  id uuid primary key,
  user_id uuid not null references auth_user on delete cascade,
  name text not null check (length(name) between 1 and 80),
  key_hash bytea not null unique,
  key_sealed bytea,
  last_four text not null,
  is_active boolean not null default true,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  check (is_active = (key_sealed is not null))
);
create unique index api_keys_one_active on api_keys (user_id) where is_active;

-- A ticket stands for the session or the key that asked for it.
alter table terminal_ticket alter column session_id drop not null;
alter table terminal_ticket add column key_id uuid;
alter table terminal_ticket add check (num_nonnulls(session_id, key_id) = 1);

-- Holds, refunds and forfeits --------------------------------------------------------------------------------------

-- Money set aside lies in an account of its own, `hold` or `withdrawal`, so that the wallet cannot spend it. `refunds`
-- is what former customers are owed.
alter table ledger_account drop constraint ledger_account_kind_check;
alter table ledger_account add constraint ledger_account_kind_check
  check (kind in ('custody', 'revenue', 'adjustment', 'refunds', 'wallet', 'prepaid', 'hold', 'withdrawal'));
alter table ledger_account drop constraint ledger_account_check;
alter table ledger_account add constraint ledger_account_check
  check ((kind in ('wallet', 'prepaid', 'hold', 'withdrawal')) = (owner is not null));
insert into ledger_account (id, kind) values (4, 'refunds');

alter table ledger_transfer drop constraint ledger_transfer_code_check;
alter table ledger_transfer add constraint ledger_transfer_code_check check (code in
  ('deposit', 'deploy', 'usage', 'return', 'debit', 'credit', 'term', 'hold', 'release', 'refund', 'forfeit'));

-- Puts part of a wallet aside, and back. For operators; no customer call reaches them.
create function hold_funds(p_user_id uuid, p_kind text, p_amount bigint, p_description text, p_idem uuid, p_at timestamptz)
returns text language plpgsql as $$
declare v_account bigint; v_result text;
begin
  if lock_wallet(p_user_id) - wallet_accrued(p_user_id, p_at) < p_amount
    and not exists (select 1 from ledger_transfer where idem = p_idem) then
    raise exception 'insufficient funds' using errcode = 'IN402';
  end if;
  insert into ledger_account (kind, owner) values (p_kind, p_user_id) on conflict (kind, owner) do nothing;
  select id into strict v_account from ledger_account where kind = p_kind and owner = p_user_id;
  v_result := ledger_post(p_idem, (select account_id from wallets where user_id = p_user_id), v_account, p_amount, 'hold',
    p_user_id, null, p_description, p_at);
  perform refresh_wallet_due(p_user_id, p_at);
  return v_result;
end $$;
create function release_funds(p_user_id uuid, p_kind text, p_amount bigint, p_description text, p_idem uuid, p_at timestamptz)
returns text language plpgsql as $$
declare v_result text;
begin
  perform lock_wallet(p_user_id);
  v_result := ledger_post(p_idem, (select id from ledger_account where kind = p_kind and owner = p_user_id),
    (select account_id from wallets where user_id = p_user_id), p_amount, 'release', p_user_id, null, p_description, p_at);
  perform refresh_wallet_due(p_user_id, p_at);
  return v_result;
end $$;

-- What is set aside and not settled, by kind: while there is any, the account must stay.
create function open_holds(p_user_id uuid) returns text[] language sql stable as $$
  select coalesce(array_agg(kind order by kind), '{}') from ledger_account
  where owner = p_user_id and kind in ('hold', 'withdrawal') and balance_micro > 0
$$;

-- What the wallet would hold if every instance were deleted at `p_at`: the balance less what has accrued, and what each
-- deploy charge would give back.
create function balance_after_closing(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_accrued(p_user_id, p_at))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)
  + coalesce((
    select sum(case
      when m.paid_until is null and m.metered_to is null then p.balance_micro
      when m.paid_until is null then greatest(0, p.balance_micro - meter_used(m, p_at) / 3600000)
      when p_at >= m.paid_until then 0
      else greatest(0, p.balance_micro - m.price_micro * billable_ms(m.opened_at, p_at, null) / 3600000) end)
    from meter m join ledger_account p on p.id = m.prepaid_account where m.user_id = p_user_id), 0)::bigint
$$;

-- Money to be sent back to a former customer. The address to write to is sealed; where to send it, they say themselves.
create table refund_request (
  id uuid primary key,
  user_id uuid not null unique references auth_user on delete restrict,
  amount_micro bigint not null check (amount_micro > 0),
  contact_sealed bytea,
  status text not null default 'open' check (status in ('open', 'paid')),
  requested_at timestamptz not null
);
create index refund_request_open on refund_request (requested_at) where status = 'open';

-- Empties a wallet for good: to what former customers are owed, or to what was earned. Returns how much. The wallet's
-- lock is held and no instance of it is left.
create function close_wallet(p_user_id uuid, p_code text, p_ref uuid, p_at timestamptz) returns bigint language plpgsql as $$
declare v_account bigint; v_balance bigint;
begin
  select w.account_id, a.balance_micro into strict v_account, v_balance
  from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id;
  if v_balance > 0 then
    perform ledger_post(key_of(p_code || ':' || p_user_id), v_account, case p_code when 'refund' then 4 when 'forfeit' then 2 end,
      v_balance, p_code, p_user_id, p_ref,
      case p_code when 'refund' then 'Account deleted: balance to be refunded' else 'Account deleted: balance given up' end, p_at);
  end if;
  return v_balance;
end $$;

-- Deposits to an address whose owner is gone -----------------------------------------------------------------------

-- Why a deposit is held: it is below the minimum and waits for more, or a person must decide.
alter table chain_deposit add column held_reason text check (held_reason in ('below_minimum', 'account_deleted'));

-- A final transfer: recorded once, credited once. Amounts below the minimum wait until together they reach it; what
-- arrives for a deleted account is never credited. Returns what was credited now.
create or replace function credit_deposit(
  p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamptz,
  p_from20 bytea, p_to20 bytea, p_amount bigint, p_minimum bigint, p_confirmations integer, p_at timestamptz
) returns bigint language plpgsql as $$
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
  if v_gone then return 0; end if;
  select coalesce(sum(amount_micro), 0) into v_waiting from chain_deposit where user_id = p_user_id and state = 'held';
  if v_waiting < p_minimum then return 0; end if;
  for d in select * from chain_deposit where user_id = p_user_id and state = 'held' order by id loop
    perform ledger_post(key_of('deposit:' || d.id), 1, v_account, d.amount_micro, 'deposit', p_user_id, d.id,
      format('Deposit of %s USDT', usd(d.amount_micro)), p_at);
    update chain_deposit set state = 'credited', held_reason = null where id = d.id;
    v_credited := v_credited + d.amount_micro;
  end loop;
  perform refresh_wallet_due(p_user_id, p_at);
  return v_credited;
end $$;

-- Erasing ------------------------------------------------------------------------------------------------------------

-- The last mail to somebody: its row forgets the address once the mail is sent.
alter table mail add column forget boolean not null default false;

alter table auth_user add column if not exists deleted_at timestamptz;

-- Nobody signs in to, or gets a key of, an account that is being deleted: the lock waits for the deletion, then sees it.
create function refuse_deleted_user() returns trigger language plpgsql as $$
begin
  perform 1 from auth_user where id = new.user_id and deleted_at is null for key share;
  if not found then raise exception 'user % was deleted', new.user_id using errcode = 'foreign_key_violation'; end if;
  return new;
end $$;
create trigger refuse_deleted_user before insert on auth_session for each row execute function refuse_deleted_user();
create trigger refuse_deleted_user before insert on api_keys for each row execute function refuse_deleted_user();
create trigger refuse_deleted_user before insert on user_settings for each row execute function refuse_deleted_user();

-- Append-only, with one exception: while an account is erased, the words of its own transfers (they hold the names its
-- owner gave to instances) may be replaced, and nothing else of them.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'ledger_transfer' and current_setting('ingot.erasing', true) = old.user_id::text
    and to_jsonb(new) - 'description' = to_jsonb(old) - 'description' then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'IN001';
end $$;

-- Takes everything personal out of an account and leaves the row that its transfers name. Tables that would go with the
-- row are emptied of it, and each column of the row that may be empty is, so what is added later is not forgotten.
create function erase_user(p_user_id uuid) returns void language plpgsql as $$
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

  select string_agg(format('%I = null', attname), ', ') into v_columns from pg_attribute
  where attrelid = 'auth_user'::regclass and attnum > 0 and not attisdropped and not attnotnull and attgenerated = '';
  execute format('update auth_user set %s where id = $1', v_columns) using p_user_id;
  update auth_user set deleted_at = now(), banned_until = 'infinity', app_metadata = '{}', user_metadata = '{}', updated_at = now()
  where id = p_user_id;
end $$;
