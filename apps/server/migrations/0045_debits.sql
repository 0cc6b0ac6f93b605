-- A movement with fewer statements, and room beside each instance for its next version.

-- Moves money, once per `p_idem`: 'posted', or 'replayed' when the same movement was posted before. The same key for
-- another movement raises IN409; too little in the paying account raises IN402. Raising undoes the caller's transaction.
-- A balance is locked and changed by one statement, since a movement is new nearly always; a replay changes it back.
create or replace function ledger_post(
  p_idem uuid, p_from bigint, p_to bigint, p_amount bigint, p_code text, p_user uuid, p_ref uuid,
  p_description text, p_at timestamptz
) returns text language plpgsql as $$
declare
  v_from bigint; v_to bigint; v_old ledger_transfer;
begin
  -- System accounts (below 100) carry no balance and are never locked. Live ones are locked in id order.
  if p_from >= 100 and p_to >= 100 then
    perform 1 from ledger_account where id in (p_from, p_to) order by id for no key update;
  end if;
  if p_from >= 100 then
    update ledger_account set balance_micro = balance_micro - p_amount
    where id = p_from and balance_micro >= p_amount returning balance_micro into v_from;
  end if;

  if v_from is not null or p_from < 100 then
    if p_to >= 100 then
      update ledger_account set balance_micro = balance_micro + p_amount where id = p_to
      returning balance_micro into strict v_to;
    end if;
    insert into ledger_transfer
      (idem, from_account, to_account, amount_micro, code, user_id, ref, description, from_after_micro, to_after_micro, effective_at)
    values (p_idem, p_from, p_to, p_amount, p_code, p_user, p_ref, p_description, v_from, v_to, p_at)
    on conflict (idem) do nothing;
    if found then return 'posted'; end if;
    if v_from is not null then update ledger_account set balance_micro = v_from + p_amount where id = p_from; end if;
    if v_to is not null then update ledger_account set balance_micro = v_to - p_amount where id = p_to; end if;
  end if;

  select * into v_old from ledger_transfer where idem = p_idem;
  if not found then raise exception 'insufficient funds' using errcode = 'IN402'; end if;
  if (v_old.from_account, v_old.to_account, v_old.amount_micro) is distinct from (p_from, p_to, p_amount) then
    raise exception 'transfer key % was used for another movement', p_idem using errcode = 'IN409';
  end if;
  return 'replayed';
end $$;

-- Plain charges and credits of a wallet. For operators and benchmarks; no customer call reaches them.
create or replace function debit_wallet(p_user_id uuid, p_amount bigint, p_description text, p_idem uuid, p_at timestamptz)
returns text language plpgsql as $$
declare v_account bigint;
begin
  select account_id into strict v_account from wallets where user_id = p_user_id;
  return ledger_post(p_idem, v_account, 2, p_amount, 'debit', p_user_id, null, p_description, p_at);
end $$;

-- A look, a lease and a claim change a row in place: no index has what they write, so that it needs only a place on the
-- row's own page.
alter table gpu_instances set (fillfactor = 85);
