-- What the server wrote into tables of money by itself. It calls these, and may lose the right: src/db/rights.ts.

-- A machine's price per hour, while no run of it is metered.
create function set_meter_price(p_meter uuid, p_price bigint) returns void language sql as $$
  update meter set price_micro = p_price where id = p_meter and metered_to is null
$$;

-- What it is called on the bill from now on.
create function set_meter_label(p_meter uuid, p_label text) returns void language sql as $$
  update meter set label = p_label where id = p_meter
$$;

-- What the account that ended is owed: as much as `close_wallet` moved under `p_request`.
create function request_refund(p_request uuid, p_user_id uuid, p_at timestamptz) returns void language sql as $$
  insert into refund_request (id, user_id, amount_micro, requested_at)
  select p_request, user_id, amount_micro, p_at from ledger_transfer
  where user_id = p_user_id and ref = p_request and code = 'refund'
$$;

-- A transfer that is on the chain and not final: shown to its owner, never credited. True when what is shown changed.
create function preview_deposit(
  p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamptz,
  p_from20 bytea, p_to20 bytea, p_amount bigint, p_confirmations integer
) returns boolean language plpgsql as $$
begin
  insert into chain_deposit as d
    (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, confirmations)
  values (p_id, p_chain, p_txid, p_log_index, p_user_id, p_block_number, p_block_at, p_from20, p_to20, p_amount, 'pending',
    p_confirmations)
  on conflict (chain, txid, log_index) do update
    set state = 'pending', block_number = excluded.block_number, confirmations = excluded.confirmations
    where d.state in ('pending', 'orphaned') and (d.confirmations, d.block_number, d.state)
      is distinct from (excluded.confirmations, excluded.block_number, 'pending');
  return found;
end $$;

-- Those that are still not credited at the solid head were in blocks that lost. Returns whose they were.
create function drop_lost_deposits(p_chain text, p_solid_height bigint) returns setof uuid language sql as $$
  update chain_deposit set state = 'orphaned'
  where chain = p_chain and state = 'pending' and block_number <= p_solid_height
  returning user_id
$$;
