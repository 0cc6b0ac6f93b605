-- Unspent money goes back to its owner. They ask for it, which sets it aside; an operator sends it by hand; the scanner that
-- sees the transfer on the chain says that it is paid.

alter domain ledger_code drop constraint ledger_code_check;
alter domain ledger_code add constraint ledger_code_check check (value in
  ('deposit', 'deploy', 'renewal', 'usage', 'usage_return', 'return', 'debit', 'credit', 'term', 'hold', 'release', 'refund', 'forfeit',
    'payout'));

create table withdrawal (
  id uuid primary key,
  user_id uuid not null references auth_user on delete restrict,
  amount_micro bigint not null check (amount_micro > 0),
  address20 bytea not null check (octet_length(address20) = 20),
  -- waiting: its owner may cancel it. sending: an operator has it in hand, and nobody takes it back but them.
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'paid', 'cancelled', 'refused')),
  -- Why an operator refused it.
  reason text check (length(reason) between 1 and 300),
  -- Of the token in the mail that cancels it.
  cancel_hash bytea not null unique check (octet_length(cancel_hash) = 32),
  asked_at timestamptz not null,
  -- The transfer that paid it.
  chain text,
  txid bytea,
  log_index integer,
  unique (chain, txid, log_index),
  check ((state = 'refused') = (reason is not null)),
  check ((state = 'paid') = (num_nonnulls(chain, txid, log_index) = 3) and (state = 'paid' or num_nulls(chain, txid, log_index) = 3))
);
create index on withdrawal (user_id, id);
-- One at a time: a second would set more aside while the first one's owner may not know of it.
create unique index withdrawal_open on withdrawal (user_id) where state in ('waiting', 'sending');
create index withdrawal_queue on withdrawal (asked_at, id) where state in ('waiting', 'sending');
-- Which request a transfer pays.
create index withdrawal_due on withdrawal (address20, amount_micro) where state in ('waiting', 'sending');

-- The same for what former customers are owed: an operator writes the address that they answered with.
alter table refund_request
  add column address20 bytea check (octet_length(address20) = 20),
  add column is_sending boolean not null default false check (not is_sending or address20 is not null),
  add column chain text,
  add column txid bytea,
  add column log_index integer,
  add unique (chain, txid, log_index),
  -- Before, a person set it.
  add check (num_nonnulls(chain, txid, log_index) = 0 or (num_nonnulls(chain, txid, log_index) = 3 and status = 'paid'));
create index refund_request_due on refund_request (address20, amount_micro) where status = 'open';

-- When something changed that lets somebody else in: an address, a password, a factor, another way to sign in.
create function security_changed_at(p_user_id uuid) returns timestamptz language sql stable as $$
  select max(at) from audit_log
  where user_id = p_user_id and (subject_kind in ('factor', 'identity')
    or (subject_kind = 'account' and (before || after) ?| array['email', 'phone', 'password']))
$$;

-- When it may be sent: a day after all that somebody who broke in would have had to change. An address that was paid to
-- before is known.
create function withdrawal_payable_at(w withdrawal) returns timestamptz language sql stable as $$
  select greatest(
    w.asked_at + case when exists (
      select from withdrawal p where p.user_id = w.user_id and p.address20 = w.address20 and p.state = 'paid') then interval '0' else interval '1 day' end,
    security_changed_at(w.user_id) + interval '1 day')
$$;

-- What may be taken out: at most what was deposited less what was spent and taken out, which is the balance less what an
-- operator gave. Ten minutes of what runs stay, as with every other charge.
create function withdrawable(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_accrued(p_user_id, p_at) - start_reserve(p_user_id, p_at) - coalesce((
      select sum(amount_micro) from ledger_transfer where user_id = p_user_id and code = 'credit'), 0))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)::bigint
$$;

-- What became of it, for the activity log.
create function tell_withdrawal(p_id uuid, p_what text, p_at timestamptz) returns void language sql as $$
  insert into event (user_id, type, data, at)
  select user_id, 'withdrawal.' || p_what, jsonb_build_object('message', concat_ws(': ', amount_text(amount_micro) || ' USDT', reason)), p_at
  from withdrawal where id = p_id
$$;

-- Sets it aside. Raises IN402 where it is more than may be taken out, with that as its detail, and IN410 where another is
-- under way or there were too many in a day.
create function request_withdrawal(p_id uuid, p_user_id uuid, p_amount bigint, p_address20 bytea, p_cancel_hash bytea, p_words text,
  p_most_a_day integer, p_at timestamptz) returns void language plpgsql as $$
declare v_may bigint;
begin
  perform lock_wallet(p_user_id);
  -- Deleting an account takes the same lock first.
  if exists (select from auth_user where id = p_user_id and deleted_at is not null) then
    raise exception 'the account is deleted' using errcode = 'IN410', detail = 'deleted';
  end if;
  if exists (select from withdrawal where user_id = p_user_id and state in ('waiting', 'sending')) then
    raise exception 'a withdrawal is under way' using errcode = 'IN410', detail = 'open';
  end if;
  if (select count(*) from withdrawal where user_id = p_user_id and asked_at > p_at - interval '1 day') >= p_most_a_day then
    raise exception 'too many withdrawals' using errcode = 'IN410', detail = 'too_many';
  end if;
  v_may := withdrawable(p_user_id, p_at);
  if v_may < p_amount then
    raise exception 'insufficient funds' using errcode = 'IN402', detail = v_may::text;
  end if;
  perform hold_funds(p_user_id, 'withdrawal', p_amount, p_words, key_of('withdrawal:' || p_id), p_at);
  insert into withdrawal (id, user_id, amount_micro, address20, cancel_hash, asked_at)
  values (p_id, p_user_id, p_amount, p_address20, p_cancel_hash, p_at);
  perform tell_withdrawal(p_id, 'requested', p_at);
end $$;

-- Back into the wallet, while nobody sends it: by its owner, or by whoever opened the link in the mail. Returns the request
-- as it is then; nothing where there is none, or it is another's.
create function cancel_withdrawal(p_id uuid, p_user_id uuid, p_cancel_hash bytea, p_at timestamptz)
returns setof withdrawal language plpgsql as $$
declare w withdrawal;
begin
  select * into w from withdrawal
  where case when p_cancel_hash is not null then cancel_hash = p_cancel_hash else id = p_id and user_id = p_user_id end;
  if not found then return; end if;
  perform end_withdrawal(w.id, 'cancelled', null, 'Withdrawal cancelled', p_at);
  return query select * from withdrawal where id = w.id;
end $$;

-- Ends one that is not paid, and puts its money back. True where it was not over before. Only an operator ends one that is
-- being sent.
create function end_withdrawal(p_id uuid, p_state text, p_reason text, p_words text, p_at timestamptz) returns boolean
language plpgsql as $$
declare w withdrawal;
begin
  perform lock_wallet((select user_id from withdrawal where id = p_id));
  update withdrawal set state = p_state, reason = p_reason
  where id = p_id and (state = 'waiting' or (state = 'sending' and p_state = 'refused')) returning * into w;
  if not found then return false; end if;
  perform release_funds(w.user_id, 'withdrawal', w.amount_micro, p_words, key_of('withdrawal_back:' || w.id), p_at);
  perform tell_withdrawal(w.id, p_state, p_at);
  return true;
end $$;

-- An operator refuses it, with the reason that its owner reads.
create function refuse_withdrawal(p_id uuid, p_reason text, p_at timestamptz) returns boolean language sql as $$
  select end_withdrawal(p_id, 'refused', p_reason, 'Withdrawal refused', p_at)
$$;

-- An operator takes it in hand, once it may be sent. True where they did; again where they have it already.
create function take_withdrawal(p_id uuid, p_at timestamptz) returns boolean language plpgsql as $$
begin
  perform lock_wallet((select user_id from withdrawal where id = p_id));
  update withdrawal w set state = 'sending'
  where id = p_id and (state = 'sending' or (state = 'waiting' and withdrawal_payable_at(w) <= p_at));
  return found;
end $$;

-- Where a former customer wants what they are owed. It stays open to change until an operator sends it.
create function address_refund(p_id uuid, p_address20 bytea) returns boolean language plpgsql as $$
begin
  update refund_request set address20 = p_address20 where id = p_id and status = 'open' and not is_sending;
  return found;
end $$;

create function take_refund(p_id uuid) returns boolean language plpgsql as $$
begin
  update refund_request set is_sending = true where id = p_id and status = 'open' and address20 is not null;
  return found;
end $$;

-- A final transfer out of what the operator holds, as it was recorded: pays the request that waits for exactly this amount at this address, of
-- several the one that is being sent, then the oldest. What is found again changes nothing. Returns whose request it paid,
-- nothing where it paid none. Where to write to a former customer is erased with it, and returned for the last time.
create function settle_payout(p_chain text, p_txid bytea, p_log_index integer, p_at timestamptz)
returns table (request_id uuid, user_id uuid, contact_sealed bytea) language plpgsql as $$
declare s chain_sweep; v_id uuid; v_user uuid; r refund_request;
begin
  select * into strict s from chain_sweep c where (c.chain, c.txid, c.log_index) = (p_chain, p_txid, p_log_index);
  select w.id, w.user_id into v_id, v_user from withdrawal w
  where w.address20 = s.to20 and w.amount_micro = s.amount_micro and w.state in ('waiting', 'sending')
  order by w.state, w.asked_at, w.id limit 1;
  if exists (select from withdrawal w where (w.chain, w.txid, w.log_index) = (p_chain, p_txid, p_log_index))
    or exists (select from refund_request f where (f.chain, f.txid, f.log_index) = (p_chain, p_txid, p_log_index)) then return;
  end if;
  if v_id is not null then
    perform lock_wallet(v_user);
    update withdrawal w set state = 'paid', chain = p_chain, txid = p_txid, log_index = p_log_index
    where w.id = v_id and w.state in ('waiting', 'sending');
    -- Its owner cancelled it just now: the transfer paid nothing that is owed any more.
    if not found then return; end if;
    perform ledger_post(key_of('payout:' || v_id), (select a.id from ledger_account a where a.kind = 'withdrawal' and a.owner = v_user), 1,
      s.amount_micro, 'payout', v_user, v_id, 'Withdrawal paid', p_at);
    perform tell_withdrawal(v_id, 'paid', p_at);
    return query select v_id, v_user, null::bytea;
    return;
  end if;
  select * into r from refund_request f
  where f.address20 = s.to20 and f.amount_micro = s.amount_micro and f.status = 'open'
  order by f.is_sending desc, f.requested_at, f.id limit 1 for no key update;
  if not found then return; end if;
  update refund_request f set status = 'paid', contact_sealed = null, chain = p_chain, txid = p_txid, log_index = p_log_index where f.id = r.id;
  -- What was held for a deleted account never came into the ledger.
  if r.deposit_id is null then
    perform ledger_post(key_of('payout:' || r.id), 4, 1, s.amount_micro, 'payout', r.user_id, r.id, 'Refund paid', p_at);
  end if;
  return query select r.id, r.user_id, r.contact_sealed;
end $$;
