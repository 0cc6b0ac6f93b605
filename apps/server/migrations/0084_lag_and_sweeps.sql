-- How far the scanner is behind, what leaves deposit addresses, and what the chain says that they hold.

alter table chain_cursor
  -- About when the block was made at which the scanner stands.
  add column block_at timestamptz,
  -- When balances are compared again, by whichever server comes first.
  add column balances_due_at timestamptz not null default now() + interval '5 minutes',
  -- What the token's issuer has switched, in words for the operator; null while nothing is.
  add column token_state text;

-- A final transfer away from a deposit address, or one that the operator pays from, under an identity as deposits have it. Only the operator can make one, and
-- signs it elsewhere. It moves nothing in the ledger: what customers have does not depend on where the coins lie.
create table chain_sweep (
  chain text not null,
  txid bytea not null check (length(txid) = 32),
  log_index integer not null check (log_index >= 0),
  block_number bigint not null,
  block_at timestamptz not null,
  from20 bytea not null,
  to20 bytea not null,
  amount_micro bigint not null check (amount_micro > 0),
  created_at timestamptz not null default now(),
  primary key (chain, txid, log_index)
);
create index chain_sweep_address on chain_sweep (chain, from20, block_number);
create index chain_sweep_block on chain_sweep (chain, block_number);
create index chain_deposit_address on chain_deposit (chain, to20, block_number) where state in ('credited', 'held', 'rejected');
create trigger append_only before update or delete on chain_sweep for each row execute function refuse_change();
create trigger append_only_all before truncate on chain_sweep for each statement execute function refuse_change();

-- What the chain said that an address held after a block, when it was last asked.
create table chain_balance (
  chain text not null,
  address20 bytea not null,
  block_number bigint not null,
  held_micro bigint not null check (held_micro >= 0),
  checked_at timestamptz not null,
  primary key (chain, address20)
);

-- True when it was not known before.
create function record_sweep(p_chain text, p_txid bytea, p_log_index integer, p_block_number bigint, p_block_at timestamptz,
  p_from20 bytea, p_to20 bytea, p_amount bigint)
returns boolean language plpgsql as $$
begin
  insert into chain_sweep (chain, txid, log_index, block_number, block_at, from20, to20, amount_micro)
  values (p_chain, p_txid, p_log_index, p_block_number, p_block_at, p_from20, p_to20, p_amount)
  on conflict do nothing;
  return found;
end $$;

create function note_chain_balance(p_chain text, p_address20 bytea, p_block_number bigint, p_held bigint)
returns void language sql as $$
  insert into chain_balance (chain, address20, block_number, held_micro, checked_at)
  values (p_chain, p_address20, p_block_number, p_held, now())
  on conflict (chain, address20) do update
    set block_number = excluded.block_number, held_micro = excluded.held_micro, checked_at = excluded.checked_at
$$;

-- What an address must hold after a block: every final transfer to it, whatever became of it here, less every one from it.
create function recorded_balance(p_chain text, p_address20 bytea, p_block_number bigint)
returns bigint language sql stable as $$
  select (coalesce((select sum(amount_micro) from chain_deposit
      where chain = p_chain and to20 = p_address20 and block_number <= p_block_number and state in ('credited', 'held', 'rejected')), 0)
    - coalesce((select sum(amount_micro) from chain_sweep
      where chain = p_chain and from20 = p_address20 and block_number <= p_block_number), 0))::bigint
$$;
