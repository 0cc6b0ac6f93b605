-- What every movement pays for and nobody needs.

-- A movement is read by its key and by its user. The audit reads all of them, so it needs no index by account.
drop index ledger_transfer_from;
drop index ledger_transfer_to;

-- A table's check is read from its text again by every statement that writes a row, a list byte by byte. A domain's is
-- kept by the connection, and is not looked at when the column does not change.
create domain ledger_kind as text
  check (value in ('custody', 'revenue', 'adjustment', 'refunds', 'wallet', 'prepaid', 'hold', 'withdrawal'));
create domain ledger_code as text
  check (value in ('deposit', 'deploy', 'usage', 'return', 'debit', 'credit', 'term', 'hold', 'release', 'refund', 'forfeit'));
alter table ledger_account
  drop constraint ledger_account_kind_check,
  alter column kind type ledger_kind,
  -- Which kinds have an owner is for the audit.
  drop constraint ledger_account_check,
  add constraint ledger_account_check check ((id >= 100) = (owner is not null));
alter table ledger_transfer
  drop constraint ledger_transfer_code_check,
  alter column code type ledger_code;
