-- A check of a table is read from its text by each statement that writes a row; that of a domain is read once. So what
-- concerns one column of a movement is its domain's, and an account has one check.

create domain micro_amount as bigint check (value > 0);
create domain ledger_words as text check (length(value) <= 300);
alter table ledger_transfer
  drop constraint ledger_transfer_amount_micro_check,
  drop constraint ledger_transfer_description_check,
  alter column amount_micro type micro_amount,
  alter column description type ledger_words;

-- An account of somebody, never below zero, or one of the system, which carries no balance.
alter table ledger_account
  drop constraint ledger_account_balance_micro_check,
  drop constraint ledger_account_check,
  drop constraint ledger_account_check1,
  add constraint ledger_account_check check ((id >= 100) = (owner is not null) and balance_micro >= 0 and (id >= 100 or balance_micro = 0));

-- A plain charge of a wallet, for operators and benchmarks: no customer call reaches it. Who has no wallet has no funds.
create or replace function debit_wallet(p_user_id uuid, p_amount bigint, p_description text, p_idem uuid, p_at timestamptz)
returns text language sql as $$
  select ledger_post(p_idem, (select account_id from wallets where user_id = p_user_id), 2, p_amount, 'debit', p_user_id, null,
    p_description, p_at)
$$;
