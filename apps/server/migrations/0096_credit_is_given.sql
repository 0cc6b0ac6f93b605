-- Deposits that bring credit (ADR 38), and what is read of it.

-- Puts part of a wallet aside, and back. For operators; no customer call reaches them.
create or replace function hold_funds(p_user_id uuid, p_kind text, p_amount bigint, p_description text, p_idem uuid, p_at timestamptz)
returns text language plpgsql as $$
declare v_account bigint; v_result text;
begin
  if lock_wallet(p_user_id) - wallet_owed(p_user_id, p_at) < p_amount
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

-- Returns what it holds then. The words stand on the bill.
create or replace function correct_wallet(p_user_id uuid, p_amount bigint, p_words text, p_idem uuid, p_at timestamptz)
returns bigint language plpgsql as $$
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
  return lock_wallet(p_user_id) - wallet_owed(p_user_id, p_at);
end $$;

-- Looks at wallets that something draws on, or soon will: told is the fall below `good_balance`, once, until the balance
-- has risen; a day apart from any other warning, so it may wait for the next look. One that does not last a day is told by
-- `note_runways` alone. The wallets are locked.
create or replace function note_balances(p_users uuid[], p_at timestamptz)
returns void language plpgsql as $$
declare v_users uuid[]; v_balances bigint[];
begin
  perform plan_once();
  with changed as materialized (
    select w.user_id, n.balance, n.balance >= good_balance() as is_good
    from unnest(p_users) u(user_id) join wallets w on w.user_id = u.user_id join ledger_account a on a.id = w.account_id
    left join balance_watch b on b.user_id = w.user_id
    cross join lateral (
      select sum(m.price_micro * 24
        + case when m.renews_at < p_at + interval '24 hours' then coalesce(cost_micro(m.price_micro, k.renews_ms, 0), 0) else 0 end) as micro
      from meter m join meter_kind k on k.id = m.kind
      where m.user_id = w.user_id and m.is_running and (m.paid_until is null or m.paid_until < p_at + interval '24 hours')) day
    cross join lateral (select a.balance_micro - wallet_owed(w.user_id, p_at) as balance offset 0) n
    where day.micro > 0 and (a.balance_micro >= good_balance()) <> coalesce(b.was_good, false)
      and (n.balance >= good_balance() or n.balance > day.micro and not was_warned(w.user_id, 'mail'))),
  watched as (
    insert into balance_watch as b (user_id, was_good) select user_id, is_good from changed
    on conflict (user_id) do update set was_good = excluded.was_good where b.was_good <> excluded.was_good
    returning user_id)
  select array_agg(c.user_id), array_agg(c.balance) into v_users, v_balances
  from changed c join watched w on w.user_id = c.user_id where not c.is_good;
  perform queue_notice(user_id, 'balance_low', 'mail', jsonb_build_object('at', p_at, 'balance', usd(balance)))
  from unnest(v_users, v_balances) low(user_id, balance);
end $$;

-- What may be taken out: at most what was deposited less what was spent and taken out, which is the balance less what an
-- operator gave. Ten minutes of what runs stay, as with every other charge.
create or replace function withdrawable(p_user_id uuid, p_at timestamptz)
returns bigint language sql stable as $$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_owed(p_user_id, p_at) - start_reserve(p_user_id, p_at) - coalesce((
      select sum(amount_micro) from ledger_transfer where user_id = p_user_id and code = 'credit'), 0))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)::bigint
$$;

-- What a wallet spent by month in the movements after `p_transfer`, less usage that was returned. Nothing is known of how
-- many they are when the statement is planned; they are the last of an index, so it is taken whatever is guessed.
create or replace function spent_after(p_user_id uuid, p_transfer bigint)
returns table (month date, spent_micro bigint, last_id bigint) language sql stable set enable_seqscan to off as $$
  select month_of(t),
    coalesce(sum(t.amount_micro) filter (where t.from_account = w.account_id and t.code not in ('hold', 'credit_back')), 0)::bigint
      - coalesce(sum(t.amount_micro) filter (where t.to_account = w.account_id and t.code = 'usage_return'), 0)::bigint,
    max(t.id)
  from wallets w join ledger_transfer t on t.user_id = w.user_id
  where w.user_id = p_user_id and t.id > p_transfer group by 1
$$;

drop function credit_deposit(uuid, text, bytea, integer, uuid, bigint, timestamptz, bytea, bytea, bigint, bigint, integer, timestamptz, bigint);
create or replace function credit_deposit(p_id uuid, p_chain text, p_txid bytea, p_log_index integer, p_user_id uuid, p_block_number bigint, p_block_at timestamptz, p_from20 bytea, p_to20 bytea, p_amount bigint, p_minimum bigint, p_confirmations integer, p_at timestamptz, p_review bigint default NULL::bigint, p_credit_ends_at timestamptz default NULL::timestamptz)
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
    perform grant_credit(p_user_id, d.id, d.amount_micro, p_credit_ends_at, p_at);
    v_credited := v_credited + d.amount_micro;
  end loop;
  perform settle_arrival(p_user_id, p_at);
  return v_credited;
end $$;

drop function approve_deposit(uuid, timestamptz);
-- Credits a deposit that is held for review, under its own key. False: it was approved before.
create or replace function approve_deposit(p_id uuid, p_at timestamptz default business_now(), p_credit_ends_at timestamptz default NULL::timestamptz)
returns boolean language plpgsql as $$
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
  perform grant_credit(d.user_id, d.id, d.amount_micro, p_credit_ends_at, p_at);
  perform settle_arrival(d.user_id, p_at);
  insert into event (user_id, type, at)
  select d.user_id, type, p_at from unnest(array['wallet.credited', 'wallet.updated', 'deposit.updated']) type;
  return true;
end $$;

drop function read_wallet(uuid, timestamptz, integer);
-- A wallet as its owner reads it: the balance less what has accrued, what runs costs per hour and draws on it per hour,
-- the last time that all of it is covered within `p_days` (null: longer, or nothing runs), and what a start must leave. A
-- machine that was not looked at for longer than its horizon counts as drawing nothing until it is. Meters with nothing
-- prepaid draw in proportion to their prices, so those with the same times are one; any other begins to draw when what is
-- prepaid for it ends, and stands alone. `offset 0` keeps what is used more than once from being worked out as often. The
-- edges are those of `edges_of`, the reserve is that of `reserve_of`.
create or replace function read_wallet(p_user_id uuid, p_at timestamptz, p_days integer)
returns table (account_id bigint, balance_micro bigint, spending_micro bigint, drawing_micro bigint, empty_at timestamptz, reserve_micro bigint, credit_micro bigint, credit_ends_at timestamptz) language sql stable as $$
  with alike as (
    select sum(m.price_micro)::bigint as price, sum(m.remainder)::bigint as remainder, sum((m.price_micro + 5) / 6)::bigint as ten_minutes,
      m.prepaid_micro, m.metered_to, m.paid_until, m.renews_at, m.horizon, m.kind
    from meter_now m where m.user_id = p_user_id and m.is_running
    group by m.metered_to, m.horizon, m.kind, m.paid_until, m.renews_at, m.prepaid_micro, case when m.prepaid_micro > 0 then m.id end),
  span as materialized (
    select m.price as price_micro, t.price, t.behind, began, draws_from(t.price, t.behind, began, until) as draws, renews, k.renews_ms,
      least(until, case when m.horizon < p_at then ms_of(m.horizon) end, renews) as ends, until,
      t.price * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), m.paid_until) + t.behind as used,
      m.horizon >= p_at and not in_term as counts, in_term, m.ten_minutes
    from alike m join meter_kind k on k.id = m.kind cross join lateral (
      select coalesce(m.paid_until > p_at, false) as in_term, m.price::numeric as price, ms_of(m.renews_at) as renews,
        m.remainder - m.prepaid_micro * 3600000::numeric as behind,
        ms_of(greatest(m.metered_to, m.paid_until)) as began, ms_of(p_at + p_days * interval '1 day') as until offset 0) t),
  total as (
    select coalesce(div(sum(greatest(0, used)), 3600000), 0)::bigint as accrued, coalesce(sum(price_micro) filter (where counts), 0)::bigint as spending,
      coalesce(sum(price_micro) filter (where counts and used >= 0), 0)::bigint as drawing,
      coalesce(sum(greatest(0, ten_minutes - left_of(used))) filter (where not in_term), 0)::bigint as reserve, sum(price * renews_ms) as all_months
    from span)
  select w.account_id, greatest(0, a.balance_micro - t.accrued + case when w.credit_account is null then 0 else credit_covers(p_user_id, p_at, null) end), t.spending, t.drawing,
    case when t.spending > 0 and e.ms < until then greatest(p_at, at_ms(e.ms)) end,
    t.reserve + starting_reserve(p_user_id, p_at), case when w.credit_account is null then 0 else credit_left(p_user_id, p_at) end, w.credit_ends_at
  from wallets w join ledger_account a on a.id = w.account_id cross join total t
  cross join lateral (select ms_of(p_at + p_days * interval '1 day') as until,
    most_of(a.balance_micro + case when w.credit_account is null then 0 else credit_covers(p_user_id, p_at + p_days * interval '1 day', p_at) end) as most) u
  cross join lateral (
    select meets(array(
      select row(e.at, sum(e.slope), sum(e.shift), min(e.short_at))::edge
      from (
        select greatest(draws, ms_of(p_at)) as at, price as slope, least(behind, 0) - price * began as shift, draws - (behind < 0)::int as short_at
        from span where draws < ends
        union all
        select ends, -price, price * ends, null from span where draws < ends and ends < until
        union all
        select 0, 0, behind, null from span where behind > 0
        union all
        select m.* from span s
        cross join lateral months_of(s.price * s.renews_ms, s.renews, s.renews_ms, s.until, t.all_months, u.most) m
        where s.renews is not null) e
      group by e.at), u.most) as ms offset 0) e
  where w.user_id = p_user_id
$$;

-- Its owner asks for what lapsed, and pays for its month: a settlement revives what the wallet covers, so this asks for one
-- and says whether it was enough.
create function revive_meter(p_meter uuid, p_at timestamptz) returns void language plpgsql as $$
declare m meter;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  perform settle_before((select user_id from meter where id = p_meter), p_at);
  select * into strict m from meter where id = p_meter;
  if m.lapsed_at is not null then
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = (select cost_micro(m.price_micro, renews_ms, 0)::text from meter_kind where id = m.kind);
  elsif not m.is_running then
    raise exception 'meter % is over', p_meter using errcode = 'IN409';
  end if;
end $$;
