-- What is paid in advance, and comes back, with credit (ADR 38).

-- Pays the next month of meters whose month is over or, with `p_lapsed`, of those that lapsed: then the month begins when
-- they did. What came first goes first. A month that the wallet does not cover ends that meter alone; one that lapsed
-- stays lapsed. Returns those that ended, and those that were paid.
create or replace function pay_months(p_users uuid[], p_ats timestamptz[], p_lapsed boolean, OUT ended uuid[], OUT paid uuid[])
returns record language plpgsql as $$
declare r record; v_user uuid; v_left bigint; v_credit bigint; v_began timestamptz[]; v_users uuid[]; v_months date[]; v_costs bigint[];
begin
  for r in
    select m.id, m.user_id, m.label, m.prepaid_account, m.metered_to, m.lapsed_at, coalesce(m.lapsed_at, m.renews_at) as began, u.at, w.account_id,
      a.balance_micro, k.renews_ms, k.renewal_words, case when p_lapsed then k.revived_event else k.renewed_event end as event,
      cost_micro(m.price_micro, k.renews_ms, 0) as cost
    from unnest(p_users, p_ats) u(user_id, at)
    join meter m on m.user_id = u.user_id and (m.renews_at is not null or m.lapsed_at is not null)
      and case when p_lapsed then m.lapsed_at is not null else m.renews_at <= u.at end
    join meter_kind k on k.id = m.kind and k.renews_ms is not null
    join wallets w on w.user_id = m.user_id join ledger_account a on a.id = w.account_id
    order by m.user_id, m.id
  loop
    if r.user_id is distinct from v_user then
      v_user := r.user_id;
      v_left := r.balance_micro - wallet_owed(v_user, r.at) + credit_left(v_user, r.at);
    end if;
    if r.cost > v_left then
      if not p_lapsed then ended := ended || r.id; end if;
      continue;
    end if;
    v_left := v_left - r.cost;
    paid := paid || r.id;
    v_began := v_began || r.began;
    v_users := v_users || r.user_id;
    v_months := v_months || budget_month(r.at);
    v_costs := v_costs || r.cost;
    v_credit := use_credit(r.user_id, r.id, r.cost, 'month:' || r.id || ':' || ms_of(r.began), r.label || ': paid by credit', r.at);
    if r.cost > 0 then
      perform ledger_post(key_of('month:' || r.id || ':' || ms_of(r.began)), r.account_id, r.prepaid_account, r.cost, 'renewal', r.user_id, r.id,
        r.label || ': ' || r.renewal_words, r.at);
    end if;
    update meter set metered_to = coalesce(metered_to, lapsed_at), lapsed_at = null, credit_micro = credit_micro + v_credit, renews_at = r.began + r.renews_ms * interval '1 millisecond'
    where id = r.id;
    insert into meter_span (meter_id, user_id, kind, what, at, cause)
    select id, user_id, kind, 'open', r.began, 'revived' from meter where id = r.id and p_lapsed;
    insert into event (user_id, type, subject_id, data, at)
    select r.user_id, r.event, r.id, jsonb_build_object('name', r.label, 'charged', usd(r.cost)), r.at where r.event is not null;
  end loop;
  if paid is not null then perform count_budgets(v_users, paid, v_months, v_costs); end if;
  perform stop_meters(ended, 'balance_empty');
  if p_lapsed then perform tell_kinds(paid, v_began, 'revived', p_ats[1]); end if;
end $$;

-- Moves what is paid in advance from credit and wallet to the prepaid account of a new meter: an hour, a term, a month, or nothing
-- where its kind says so. With `p_starts` ten minutes of what runs stay in the wallet, and in a budget of the account that
-- stops.
create or replace function deploy_charge(p_user_id uuid, p_meter uuid, p_label text, p_price bigint, p_total bigint, p_paid_until timestamptz, p_description text, p_at timestamptz, p_starts boolean default false, p_kind text default 'instance'::text)
returns void language plpgsql as $$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_prepaid bigint; v_left bigint; v_reserve bigint := 0;
  v_has_budgets boolean; v_limit bigint; v_credit bigint;
begin
  v_left := lock_wallet(p_user_id) - wallet_owed(p_user_id, p_at) + credit_left(p_user_id, p_at) - p_total;
  if p_starts then v_reserve := start_reserve(p_user_id, p_at); end if;
  if v_left < v_reserve then
    -- Too little even for the charge, or only for what runs beside it.
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = case when v_left < 0 then '' else v_reserve::text end;
  end if;
  v_has_budgets := exists (select from budget where user_id = p_user_id);
  if v_has_budgets then
    select limit_micro, limit_micro - spent_micro into v_limit, v_left from budgets_now(p_user_id, p_at)
    where meter_id is null and at_limit = 'stop';
    if v_left < p_total + v_reserve then
      raise exception 'budget exceeded' using errcode = 'IN403',
        detail = jsonb_build_object('limit', v_limit::text, 'left', greatest(0, v_left)::text, 'charge', p_total::text, 'reserve', v_reserve::text);
    end if;
  end if;
  insert into ledger_account (kind, owner) values ('prepaid', p_meter) returning id into v_prepaid;
  v_credit := use_credit(p_user_id, p_meter, p_total, 'deploy:' || p_meter, p_label || ': paid by credit', p_at);
  insert into meter (id, user_id, kind, prepaid_account, label, price_micro, paid_until, opened_at, credit_micro)
  values (p_meter, p_user_id, p_kind, v_prepaid, p_label, p_price, p_paid_until, p_at, v_credit);
  if p_total <> 0 or (select is_prepaid from meter_kind where id = p_kind) then
    perform ledger_post(key_of('deploy:' || p_meter), v_account, v_prepaid, p_total, 'deploy', p_user_id, p_meter, p_description, p_at);
  end if;
  if v_has_budgets then
    perform count_budgets(array[p_user_id], array[p_meter], array[budget_month(p_at)], array[p_total]);
    perform note_budgets(array[p_user_id], p_at);
  end if;
  perform refresh_wallet_due(p_user_id, p_at);
end $$;

-- A look found that the run ended at `p_end`, never before it was last seen. What was not charged up to then is charged,
-- and what was charged beyond it returns to the wallet. Returns the last line, and one with a negative amount for what
-- returned. Nothing when the end of the run is settled already.
create or replace function end_meter(p_meter uuid, p_end timestamptz, p_at timestamptz)
returns setof settled_line language plpgsql as $$
declare m meter_now; v_to timestamptz; v_end timestamptz; v_excess numeric; v_back bigint; v_credit bigint; v_id bigint;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  select * into strict m from meter_now where id = p_meter;
  v_to := coalesce(m.metered_to, m.ended_at);
  if v_to is null then return; end if;
  v_end := greatest(date_trunc('milliseconds', p_end), least(m.last_seen, v_to));
  if v_end > v_to then
    update meter set metered_to = v_to, ended_at = null, seen_at = v_end, is_missed = true where id = p_meter;
    return query select * from close_meter(p_meter, v_end, 'last_look');
  else
    if v_end < v_to then
      -- What the last charge rounded off is taken from it first.
      v_excess := m.price_micro::numeric * billable_ms(v_end, v_to, m.paid_until) - m.remainder;
      v_back := greatest(0, ceil(v_excess / 3600000));
      -- Of what was paid for that time the money comes back first.
      select greatest(0, v_back - coalesce(sum(amount_micro - prepaid_credit_micro - credit_micro), 0)) into v_credit
      from usage_line where meter_id = m.id and to_at > v_end and from_at < v_to;
      insert into usage_return
        (meter_id, user_id, from_at, to_at, price_micro, amount_micro, remainder_before, remainder_after, credit_micro)
      values (m.id, m.user_id, v_end, v_to, m.price_micro, v_back, m.remainder, v_back * 3600000 - v_excess, v_credit)
      returning id into v_id;
      if v_back > 0 then
        perform ledger_post(key_of('usage_return:' || v_id), 2, (select account_id from wallets where user_id = m.user_id),
          v_back, 'usage_return', m.user_id, m.id, format('%s: usage returned, %s s after its machine %s, at $%s per hour', m.label,
            to_char(extract(epoch from v_to - v_end), 'FM999999990.000'),
            case when v_end > m.last_seen then 'had ended' else 'was last seen' end, usd(m.price_micro)), p_at);
        perform return_credit(m.user_id, m.id, v_credit, 'usage_return:' || v_id, m.label || ': returned to credit', p_at);
        perform count_budgets(array[m.user_id], array[m.id], array[budget_month(p_at)], array[-v_back]);
        return next (m.id, v_end, v_to, -v_back, 0, -v_back, null)::settled_line;
      end if;
      update meter set remainder = v_back * 3600000 - v_excess where id = p_meter;
    end if;
    if v_end < v_to or m.metered_to is not null then
      insert into meter_span (meter_id, user_id, kind, what, at, cause) values (m.id, m.user_id, m.kind, 'close', v_end, 'last_look');
    end if;
  end if;
  update meter set metered_to = null, ended_at = null where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
end $$;

-- Empties the prepaid account of a meter that is over: the rest goes to wallet and credit, what was used or is kept is earned.
-- Returns what came back. The wallet is locked.
create or replace function empty_prepaid(p_meter uuid, p_at timestamptz)
returns bigint language plpgsql as $$
declare m meter_now; k meter_kind; v_balance bigint; v_rest bigint; v_money bigint;
begin
  select * into strict m from meter_now where id = p_meter;
  select * into strict k from meter_kind where id = m.kind;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  v_rest := rest_of(m, p_at);
  v_money := money_rest_of(m, p_at);
  if v_balance > v_rest then
    perform ledger_post(key_of('term:' || m.id), m.prepaid_account, 2, v_balance - v_rest, 'term', m.user_id, m.id,
      m.label || ': ' || case when m.paid_until is null then 'not returned' else 'upfront term, time held' end, p_at);
  end if;
  if v_rest > 0 then
    perform ledger_post(key_of('return:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
      v_rest, 'return', m.user_id, m.id, m.label || ': ' || k.return_words, p_at);
    perform return_credit(m.user_id, m.id, v_rest - v_money, 'return:' || m.id, m.label || ': returned to credit', p_at);
    if exists (select from budget where user_id = m.user_id) then
      perform count_budgets(array[m.user_id], array[m.id], array[month_of(p)], array[-v_rest])
      from (select p from ledger_transfer p where p.user_id = m.user_id and p.ref = m.id and p.code in ('deploy', 'renewal') order by p.id desc limit 1) p;
    end if;
  end if;
  update meter set credit_micro = 0 where id = p_meter and credit_micro > 0;
  return v_rest;
end $$;

-- It never ran: what was paid for it goes back whole, and it is billed by the hour from now on. Returns how much.
create or replace function return_first_start(p_meter uuid, p_at timestamptz)
returns bigint language plpgsql as $$
declare m meter; v_balance bigint;
begin
  perform lock_wallet((select user_id from meter where id = p_meter));
  select * into strict m from meter where id = p_meter;
  if exists (select from meter_span where meter_id = p_meter) then return 0; end if;
  select balance_micro into strict v_balance from ledger_account where id = m.prepaid_account;
  if v_balance = 0 then return 0; end if;
  perform ledger_post(key_of('first_start:' || m.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id),
    v_balance, 'return', m.user_id, m.id, m.label || ': its first start failed, the charge is returned', p_at);
  perform return_credit(m.user_id, m.id, m.credit_micro, 'first_start:' || m.id, m.label || ': returned to credit', p_at);
  perform count_budgets(array[m.user_id], array[m.id], array[budget_month(m.opened_at)], array[-v_balance]);
  update meter set paid_until = null, ends_with_term = false, credit_micro = 0 where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
  return v_balance;
end $$;

-- Empties a wallet for good: to what former customers are owed, or to what was earned. Returns how much. The wallet's
-- lock is held and no instance of it is left; no last look changes what was charged any more.
create or replace function close_wallet(p_user_id uuid, p_code text, p_ref uuid, p_at timestamptz)
returns bigint language plpgsql as $$
declare v_account bigint; v_balance bigint;
begin
  select w.account_id, a.balance_micro into strict v_account, v_balance
  from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id;
  perform lapse_credits(array[p_user_id], array['infinity'::timestamptz]);
  update meter set ended_at = null where user_id = p_user_id and ended_at is not null;
  if v_balance > 0 then
    perform ledger_post(key_of(p_code || ':' || p_user_id), v_account, case p_code when 'refund' then 4 when 'forfeit' then 2 end,
      v_balance, p_code, p_user_id, p_ref,
      case p_code when 'refund' then 'Account deleted: balance to be refunded' else 'Account deleted: balance given up' end, p_at);
  end if;
  return v_balance;
end $$;

-- What the wallet would hold if everything were deleted at `p_at`: the balance less what has accrued, and what comes back
-- of what is prepaid.
create or replace function balance_after_closing(p_user_id uuid, p_at timestamptz)
returns bigint language sql stable as $$
  select coalesce((
    select greatest(0, a.balance_micro - wallet_owed(p_user_id, p_at))
    from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id), 0)
  + coalesce((select sum(money_rest_of(m, p_at)) from meter_now m where m.user_id = p_user_id), 0)::bigint
$$;
