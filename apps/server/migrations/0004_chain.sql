-- Deposits: an address per user, the scanner's place on the chain, and every transfer seen at our addresses.

create sequence deposit_address_index;

-- Addresses never expire. `account_key` names the xpub: after a change of xpub old addresses are still scanned.
create table deposit_address (
  chain text not null,
  account_key text not null,
  user_id uuid not null references auth_user on delete restrict,
  idx bigint not null,
  address20 bytea not null check (length(address20) = 20),
  base58 text not null,
  created_at timestamptz not null default now(),
  primary key (chain, account_key, user_id),
  unique (chain, account_key, idx),
  unique (chain, address20)
);
create index on deposit_address (user_id);

create table chain_cursor (
  chain text primary key,
  height bigint not null,
  block_id text not null,
  scanned_at timestamptz,
  -- Why the scanner stopped, for the operator; null while all is well.
  stopped_reason text,
  due_at timestamptz default now(),
  lock_token uuid,
  lock_expires_at timestamptz
);

-- Identity of a deposit: chain, transaction, position in the transaction's log list. `pending` rows are a preview of
-- blocks that are not final; only final ones become `credited`. `held`: final, but below the minimum until more arrives.
create table chain_deposit (
  id uuid primary key,
  chain text not null,
  txid bytea not null check (length(txid) = 32),
  log_index integer not null check (log_index >= 0),
  user_id uuid not null references auth_user on delete restrict,
  block_number bigint not null,
  block_at timestamptz not null,
  from20 bytea not null,
  to20 bytea not null,
  amount_micro bigint not null check (amount_micro > 0),
  state text not null check (state in ('pending', 'held', 'credited', 'orphaned')),
  confirmations integer not null default 0,
  -- Set when its owner first asked about it by hash.
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  unique (chain, txid, log_index)
);
create index on chain_deposit (user_id, id desc);
create index chain_deposit_pending on chain_deposit (chain) where state = 'pending';
create index chain_deposit_held on chain_deposit (user_id) where state = 'held';

-- A final transfer: recorded once, credited once. Amounts below the minimum wait until together they reach it.
-- Returns what was credited now.
create function credit_deposit(
  p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamptz,
  p_from20 bytea, p_to20 bytea, p_amount bigint, p_minimum bigint, p_confirmations integer, p_at timestamptz
) returns bigint language plpgsql as $$
declare v_account bigint := get_or_create_wallet(p_user_id); v_waiting bigint; v_credited bigint := 0; d chain_deposit;
begin
  perform lock_wallet(p_user_id);
  insert into chain_deposit (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, confirmations)
  values (p_id, p_chain, p_txid, p_log_index, p_user_id, p_block_number, p_block_at, p_from20, p_to20, p_amount, 'held', p_confirmations)
  on conflict (chain, txid, log_index) do update
    set state = 'held', block_number = excluded.block_number, block_at = excluded.block_at, confirmations = excluded.confirmations
    where chain_deposit.state in ('pending', 'orphaned');
  select coalesce(sum(amount_micro), 0) into v_waiting from chain_deposit where user_id = p_user_id and state = 'held';
  if v_waiting < p_minimum then return 0; end if;
  for d in select * from chain_deposit where user_id = p_user_id and state = 'held' order by id loop
    perform ledger_post(key_of('deposit:' || d.id), 1, v_account, d.amount_micro, 'deposit', p_user_id, d.id,
      format('Deposit of %s USDT', usd(d.amount_micro)), p_at);
    update chain_deposit set state = 'credited' where id = d.id;
    v_credited := v_credited + d.amount_micro;
  end loop;
  perform refresh_wallet_due(p_user_id, p_at);
  return v_credited;
end $$;
