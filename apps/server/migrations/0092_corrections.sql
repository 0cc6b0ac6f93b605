-- What an administrator does to a wallet by hand: give, or take at most what is there.

-- Returns what it holds then. The words stand on the bill.
create function correct_wallet(p_user_id uuid, p_amount bigint, p_words text, p_idem uuid, p_at timestamptz) returns bigint
language plpgsql as $$
begin
  perform get_or_create_wallet(p_user_id);
  perform lock_wallet(p_user_id);
  -- Deleting an account takes the same lock first.
  if exists (select from auth_user where id = p_user_id and deleted_at is not null) then
    raise exception 'the account is deleted' using errcode = 'IN404';
  end if;
  if p_amount > 0 then
    perform credit_wallet(p_user_id, p_amount, p_words, p_idem, p_at);
  else
    -- What was used up to now is charged first.
    perform settle_before(p_user_id, p_at);
    perform debit_wallet(p_user_id, -p_amount, p_words, p_idem, p_at);
    perform refresh_wallet_due(p_user_id, p_at);
  end if;
  insert into event (user_id, type, at) values (p_user_id, 'wallet.updated', p_at);
  return lock_wallet(p_user_id) - wallet_accrued(p_user_id, p_at);
end $$;

-- Those that wait for something, for the list of payments.
create index chain_deposit_waiting on chain_deposit (id) where state in ('pending', 'held');
create index chain_deposit_failed on chain_deposit (id) where state in ('orphaned', 'rejected');
