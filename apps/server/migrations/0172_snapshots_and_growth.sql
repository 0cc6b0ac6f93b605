-- Snapshots are taken, restored and deleted, and volumes grow.

-- What a volume that grows paid for the rest of its month. Its month is the larger one from when it is that large: what
-- can't be made so large has cost nothing.
alter domain ledger_code drop constraint ledger_code_check;
alter domain ledger_code add constraint ledger_code_check check (value in
  ('deposit', 'deploy', 'renewal', 'growth', 'usage', 'usage_return', 'return', 'debit', 'credit', 'term', 'hold', 'release', 'refund', 'forfeit',
    'payout', 'credit_grant', 'credit_used', 'credit_back', 'credit_lapse'));

create or replace function is_invoiced(p_code ledger_code) returns boolean language sql immutable as $$
  select p_code in ('deploy', 'renewal', 'growth', 'usage', 'debit', 'return', 'usage_return')
$$;

-- Its growth was paid by this transfer, until the store made it so large.
alter table network_volumes add column growth_transfer bigint;

do $$
declare v record;
begin
  for v in
    select c.conname, pg_get_expr(c.conbin, c.conrelid) as expression from pg_constraint c
    where c.conrelid = 'notice'::regclass and c.conname = 'notice_kind_check'
  loop
    execute format('alter table notice drop constraint %I, add constraint %1$I check (%s or kind in (''snapshot_failed'', ''growth_failed''))', v.conname, v.expression);
  end loop;
end $$;

-- Of what comes back the charge that it is a part of: the first of them, where they are many. Null for all else.
create or replace function charge_of(t ledger_transfer) returns bigint language sql stable as $$
  select case t.code
    when 'usage_return' then (
      select min(c.id) from usage_return r join usage_line u on u.meter_id = r.meter_id and u.to_at > r.from_at and u.from_at < r.to_at
        join ledger_transfer c on c.idem = key_of('usage:' || u.id)
      where r.meter_id = t.ref and key_of('usage_return:' || r.id) = t.idem)
    when 'return' then coalesce((
      select c.id from ledger_transfer c where c.user_id = t.user_id and c.ref = t.ref and c.code = 'growth' and key_of('growth_back:' || c.id) = t.idem), (
      select max(c.id) from meter m join meter_kind k on k.id = m.kind and k.renews_ms is not null
        join ledger_transfer c on c.user_id = t.user_id and c.ref = t.ref and c.code = 'renewal' and c.id < t.id where m.id = t.ref),
      (select c.id from ledger_transfer c where c.idem = key_of('deploy:' || t.ref)))
  end
$$;

-- What budgets count: what the wallet pays for meters, less what returns. A growth that returns lowers the month in which it was
-- paid; any other return that of the last charge or month in advance before it.
create or replace view budget_movement as
select t.id, t.user_id, t.ref as meter_id, t.code, case when t.to_account = w.account_id then -t.amount_micro else t.amount_micro end as micro,
  coalesce(grown.month, paid.month, month_of(t)) as month
from wallets w join ledger_transfer t on t.user_id = w.user_id
left join lateral (
  select month_of(p) as month from ledger_transfer p
  where t.code = 'return' and p.user_id = t.user_id and p.ref = t.ref and p.code = 'growth' and key_of('growth_back:' || p.id) = t.idem) grown on true
left join lateral (
  select month_of(p) as month from ledger_transfer p
  where t.code = 'return' and p.user_id = t.user_id and p.ref = t.ref and p.code in ('deploy', 'renewal') and p.id < t.id order by p.id desc limit 1) paid on true
where t.code in ('deploy', 'renewal', 'growth', 'usage', 'usage_return', 'return') and w.account_id in (t.from_account, t.to_account);

-- Charges what is due up to now, and says when its month ends: null, where none runs. What is asked of a meter by the month
-- is worked out of that.
create function settle_month(p_meter uuid, p_at timestamptz) returns timestamptz language plpgsql as $$
declare v_user uuid := (select user_id from meter where id = p_meter);
begin
  perform lock_wallet(v_user);
  perform settle_before(v_user, p_at);
  return (select renews_at from meter where id = p_meter);
end $$;

-- Pays for the rest of a month what its meter will cost more. IN402 and IN403 as for a deploy. Returns the transfer, null for
-- nothing.
create function pay_growth(p_meter uuid, p_key uuid, p_cost bigint, p_words text, p_at timestamptz) returns bigint language plpgsql as $$
declare m meter; v_left bigint; v_limit bigint; v_credit bigint; v_account bigint; v_has_budgets boolean;
begin
  select * into strict m from meter where id = p_meter;
  v_left := lock_wallet(m.user_id) - wallet_owed(m.user_id, p_at) + credit_left(m.user_id, p_at) - p_cost;
  if v_left < 0 then raise exception 'insufficient funds' using errcode = 'IN402', detail = ''; end if;
  v_has_budgets := exists (select from budget where user_id = m.user_id);
  if v_has_budgets then
    select limit_micro, limit_micro - spent_micro into v_limit, v_left from budgets_now(m.user_id, p_at)
    where meter_id is null and at_limit = 'stop';
    if v_left < p_cost then
      raise exception 'budget exceeded' using errcode = 'IN403',
        detail = jsonb_build_object('limit', v_limit::text, 'left', greatest(0, v_left)::text, 'charge', p_cost::text, 'reserve', '0');
    end if;
  end if;
  if p_cost = 0 then return null; end if;
  v_account := get_or_create_wallet(m.user_id);
  v_credit := use_credit(m.user_id, p_meter, p_cost, 'growth:' || p_key, m.label || ': paid by credit', p_at);
  perform ledger_post(key_of('growth:' || p_key), v_account, m.prepaid_account, p_cost, 'growth', m.user_id, p_meter, p_words, p_at);
  update meter set credit_micro = credit_micro + v_credit where id = p_meter;
  if v_has_budgets then
    perform count_budgets(array[m.user_id], array[p_meter], array[budget_month(p_at)], array[p_cost]);
    perform note_budgets(array[m.user_id], p_at);
  end if;
  perform refresh_wallet_due(m.user_id, p_at);
  return (select id from ledger_transfer where idem = key_of('growth:' || p_key));
end $$;

-- It could not be made so large: all of what was paid for that returns. How much.
create function return_growth(p_meter uuid, p_transfer bigint, p_at timestamptz) returns bigint language plpgsql as $$
declare m meter; t ledger_transfer; v_back bigint; v_credit bigint;
begin
  select * into strict m from meter where id = p_meter;
  perform lock_wallet(m.user_id);
  perform settle_before(m.user_id, p_at);
  select * into strict m from meter where id = p_meter;
  select * into t from ledger_transfer where id = p_transfer and ref = p_meter and code = 'growth';
  if not found or exists (select from ledger_transfer where idem = key_of('growth_back:' || p_transfer)) then return 0; end if;
  -- It was settled for the smaller size all along, so what it paid for the larger one is there.
  select least(t.amount_micro, a.balance_micro) into v_back from ledger_account a where a.id = m.prepaid_account;
  if v_back = 0 then return 0; end if;
  -- Money comes back before credit.
  select greatest(0, m.credit_micro - (a.balance_micro - v_back)) into v_credit from ledger_account a where a.id = m.prepaid_account;
  perform ledger_post(key_of('growth_back:' || t.id), m.prepaid_account, (select account_id from wallets where user_id = m.user_id), v_back, 'return',
    m.user_id, p_meter, m.label || ': it was not made larger', p_at);
  perform return_credit(m.user_id, p_meter, v_credit, 'growth_back:' || t.id, m.label || ': returned to credit', p_at);
  update meter set credit_micro = credit_micro - v_credit where id = p_meter;
  perform count_budgets(array[m.user_id], array[p_meter], array[month_of(t)], array[-v_back]);
  perform settle_arrival(m.user_id, p_at);
  return v_back;
end $$;

-- What a month costs from now on, and its hour. What ran until now is charged at what it was.
create function set_month(p_meter uuid, p_month bigint, p_price bigint, p_at timestamptz) returns void language plpgsql as $$
declare v_user uuid;
begin
  select m.user_id into strict v_user from meter m join meter_kind k on k.id = m.kind and k.renews_ms is not null where m.id = p_meter;
  perform lock_wallet(v_user);
  perform settle_before(v_user, p_at);
  update meter set month_micro = p_month, price_micro = p_price where id = p_meter;
  perform refresh_wallet_due(v_user, p_at);
end $$;

-- Less is stored than was paid for: its month, which has not begun, costs so much, and the difference returns. How much.
create function lower_month(p_meter uuid, p_month bigint, p_price bigint, p_at timestamptz) returns bigint language plpgsql as $$
declare m meter; v_back bigint; v_credit bigint;
begin
  select * into strict m from meter where id = p_meter;
  perform lock_wallet(m.user_id);
  select * into strict m from meter where id = p_meter;
  if exists (select from meter_span where meter_id = p_meter) then raise exception 'the month of meter % has begun', p_meter; end if;
  v_back := m.month_micro - p_month;
  if v_back <= 0 then return 0; end if;
  select greatest(0, m.credit_micro - (a.balance_micro - v_back)) into v_credit from ledger_account a where a.id = m.prepaid_account;
  perform ledger_post(key_of('lower_month:' || m.id || ':' || p_month), m.prepaid_account, (select account_id from wallets where user_id = m.user_id), v_back, 'return',
    m.user_id, m.id, m.label || ': less is stored than was paid for', p_at);
  perform return_credit(m.user_id, m.id, v_credit, 'lowered:' || (select id from ledger_transfer where idem = key_of('lower_month:' || m.id || ':' || p_month)),
    m.label || ': returned to credit', p_at);
  perform count_budgets(array[m.user_id], array[m.id], array[budget_month(m.opened_at)], array[-v_back]);
  update meter set month_micro = p_month, price_micro = p_price, credit_micro = credit_micro - v_credit where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
  return v_back;
end $$;

-- Those of an account that is deleted are destroyed seven days later, as its screen says. A restore may still read one.
create or replace function end_snapshots(p_ids uuid[], p_times timestamptz[], p_cause text, p_at timestamptz) returns void language plpgsql as $$
begin
  perform 1 from volume_snapshots where id = any(p_ids) order by id for no key update;
  if p_cause in ('balance_empty', 'lapsed', 'budget_reached', 'account_budget_reached') then
    update volume_snapshots s set lapsed_at = e.time, updated_at = p_at
    from unnest(p_ids, p_times) e(id, time) where s.id = e.id and s.status <> 'deleting';
  elsif p_cause = 'revived' then
    update volume_snapshots set lapsed_at = null, updated_at = p_at where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'grace_over' then
    update volume_snapshots set status = 'deleting', attempts = 0, due_at = p_at, updated_at = p_at where id = any(p_ids);
  elsif p_cause = 'account_deleted' then
    update volume_snapshots set status = 'deleting', attempts = 0, due_at = p_at + interval '7 days', updated_at = p_at
    where id = any(p_ids) and status <> 'deleting';
  elsif p_cause = 'erased' then
    update volume_snapshots set name = 'deleted', volume_name = 'deleted', status_message = null where id = any(p_ids);
  else
    raise exception 'a snapshot does not know %', p_cause;
  end if;
end $$;

-- As one list: what a single value had been added to reads as two conditions.
alter table gpu_instances drop constraint gpu_instances_status_reason_check;
alter table gpu_instances add constraint gpu_instances_status_reason_check check (status_reason in
  ('balance_empty', 'budget_reached', 'crash_loop', 'delete_failed', 'ended', 'idle', 'lost', 'queued', 'restart_failed', 'start_failed', 'stop_failed',
    'term_over', 'volume_lapsed'));

-- A look found that the run ended at `p_end`, never before it was last seen. What was not charged up to then is charged,
-- and what was charged beyond it returns to the wallet. Returns the last line, and one with a negative amount for what
-- returned. Nothing when the end of the run is settled already. What ends with its term has no end to come then.
CREATE OR REPLACE FUNCTION public.end_meter(p_meter uuid, p_end timestamp with time zone, p_at timestamp with time zone)
 RETURNS SETOF settled_line
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
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
  update meter set metered_to = null, ended_at = null, renews_at = null where id = p_meter;
  perform settle_arrival(m.user_id, p_at);
end $function$;
