-- A transfer above the operator's limit waits for a person, who approves or rejects it.

alter table chain_deposit
  drop constraint chain_deposit_state_check,
  add constraint chain_deposit_state_check check (state in ('pending', 'held', 'credited', 'orphaned', 'rejected')),
  drop constraint chain_deposit_held_reason_check,
  add constraint chain_deposit_held_reason_check check (held_reason in ('below_minimum', 'account_deleted', 'review')),
  -- When a person decided about it, and what they wrote where they rejected it.
  add column reviewed_at timestamptz,
  add column review_note text check (length(review_note) between 1 and 300),
  add constraint chain_deposit_review_check check ((state = 'rejected') = (review_note is not null));

drop index chain_deposit_final;
create index chain_deposit_final on chain_deposit (chain, block_number) where state in ('credited', 'held', 'rejected');
create index chain_deposit_review on chain_deposit (id) where held_reason = 'review';

-- A final transfer: recorded once, credited once. Amounts below the minimum wait until together they reach it; one above
-- `p_review` waits for a person; what is held for another reason than the minimum stays held, and what arrives for a deleted
-- account is to be sent back. Returns what was credited now.
drop function credit_deposit(uuid, text, bytea, integer, uuid, bigint, timestamptz, bytea, bytea, bigint, bigint, integer, timestamptz);
create function credit_deposit(p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint,
  p_block_at timestamptz, p_from20 bytea, p_to20 bytea, p_amount bigint, p_minimum bigint, p_confirmations integer, p_at timestamptz,
  p_review bigint default null)
returns bigint language plpgsql as $$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_waiting bigint; v_credited bigint := 0; v_gone boolean; d chain_deposit;
begin
  perform lock_wallet(p_user_id);
  -- Deleting an account takes the same lock first, so this is its last word.
  select deleted_at is not null into strict v_gone from auth_user where id = p_user_id;
  insert into chain_deposit
    (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, held_reason, confirmations)
  values (p_id, p_chain, p_txid, p_log_index, p_user_id, p_block_number, p_block_at, p_from20, p_to20, p_amount, 'held',
    case when v_gone then 'account_deleted' when p_amount > p_review then 'review' else 'below_minimum' end, p_confirmations)
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

-- The deposit that is to be decided about, under the lock of its wallet: who decides at the same time waits for it here.
create function lock_deposit(p_id uuid) returns chain_deposit language plpgsql as $$
declare d chain_deposit;
begin
  select * into d from chain_deposit where id = p_id;
  if not found then raise exception 'there is no deposit %', p_id using errcode = 'IN404'; end if;
  perform lock_wallet(d.user_id);
  select * into d from chain_deposit where id = p_id for no key update;
  return d;
end $$;

-- Credits a deposit that is held for review, under its own key. False: it was approved before.
create function approve_deposit(p_id uuid, p_at timestamptz default business_now()) returns boolean language plpgsql as $$
declare d chain_deposit := lock_deposit(p_id);
begin
  if d.state = 'credited' and d.reviewed_at is not null then return false; end if;
  if (d.state, d.held_reason) is distinct from ('held', 'review') then
    raise exception 'deposit % is not held for review: it is %', p_id, concat_ws(', ', d.state, d.held_reason) using errcode = 'IN409';
  end if;
  perform settle_before(d.user_id, p_at);
  perform ledger_post(key_of('deposit:' || d.id), 1, (select account_id from wallets where user_id = d.user_id), d.amount_micro, 'deposit',
    d.user_id, d.id, format('Deposit of %s USDT', usd(d.amount_micro)), p_at);
  update chain_deposit set state = 'credited', held_reason = null, reviewed_at = now() where id = d.id;
  perform settle_arrival(d.user_id, p_at);
  insert into event (user_id, type, at)
  select d.user_id, type, p_at from unnest(array['wallet.credited', 'wallet.updated', 'deposit.updated']) type;
  return true;
end $$;

-- Such a deposit is never credited. What is to be done with it is for the operator to agree with whoever sent it.
create function reject_deposit(p_id uuid, p_reason text, p_at timestamptz default business_now()) returns boolean language plpgsql as $$
declare d chain_deposit := lock_deposit(p_id);
begin
  if d.state = 'rejected' then return false; end if;
  if (d.state, d.held_reason) is distinct from ('held', 'review') then
    raise exception 'deposit % is not held for review: it is %', p_id, concat_ws(', ', d.state, d.held_reason) using errcode = 'IN409';
  end if;
  update chain_deposit set state = 'rejected', held_reason = null, reviewed_at = now(), review_note = p_reason where id = d.id;
  insert into event (user_id, type, at) values (d.user_id, 'deposit.updated', p_at);
  return true;
end $$;
