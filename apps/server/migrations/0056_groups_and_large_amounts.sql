-- A group of movements is refused wherever one of them would be refused by itself. Every amount that a wallet can hold is
-- written exactly, and how long it lasts is known.

-- Moves money many times in one statement, each movement once per key: what was posted before is left out, the same key
-- for another movement, posted or in this group, raises IN409, too little in a paying account raises IN402. Raising undoes
-- all. Returns how many were new.
create or replace function ledger_post_many(p_movements movement[]) returns integer language plpgsql as $$
declare v_new movement[]; v_used uuid; v_table text;
begin
  perform 1 from ledger_account where id in (
    select unnest(array[from_account, to_account]) from unnest(p_movements)) and id >= 100
  order by id for no key update;
  select idem into v_used from (
    select idem, from_account, to_account, amount_micro from unnest(p_movements)
    union
    select t.idem, t.from_account, t.to_account, t.amount_micro from unnest(p_movements) m join ledger_transfer t on t.idem = m.idem) each
  group by idem having count(*) > 1 limit 1;
  if found then raise exception 'transfer key % was used for another movement', v_used using errcode = 'IN409'; end if;
  select array_agg(row(idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at)::movement
    order by place) into v_new
  from (select distinct on (idem) * from unnest(p_movements)
    with ordinality m(idem, from_account, to_account, amount_micro, code, user_id, ref, description, effective_at, place)
    order by idem, place) m
  where not exists (select from ledger_transfer t where t.idem = m.idem);
  perform ledger_append(v_new);
  return coalesce(cardinality(v_new), 0);
exception when check_violation then
  get stacked diagnostics v_table = table_name;
  if v_table <> 'ledger_account' then raise; end if;
  raise exception 'insufficient funds' using errcode = 'IN402';
end $$;

-- Plain charges of many wallets in one statement, each once per its key. For operators and benchmarks, as `debit_wallet`.
-- Whoever has no wallet is no account that could pay: that undoes all. Returns how many were new.
create or replace function debit_wallets(p_users uuid[], p_amounts bigint[], p_descriptions text[], p_idems uuid[], p_at timestamptz)
returns integer language sql as $$
  select ledger_post_many(array_agg(
    row(d.idem, w.account_id, 2, d.amount, 'debit', d.user_id, null, d.description, p_at)::movement order by d.place))
  from unnest(p_users, p_amounts, p_descriptions, p_idems) with ordinality d(user_id, amount, description, idem, place)
  left join wallets w on w.user_id = d.user_id
$$;

-- The last millisecond at which the line does not exceed `p_most`; null when it never does. No time is later than
-- a bigint.
create or replace function meets(p_edges edge[], p_most numeric) returns bigint language sql immutable as $$
  select min(case
    when drawn > p_most then short_at
    when slope > 0 and (next is null or at + div(p_most - drawn, slope) < next)
      then least(at + div(p_most - drawn, slope), 9223372036854775807) end)::bigint
  from (
    select at, short_at, lead(at) over upto as next, sum(slope) over upto as slope, sum(shift) over upto + sum(slope) over upto * at as drawn
    from unnest(p_edges) window upto as (order by at)) piece
$$;

-- Micro-USD as the decimal string of the wire: a quotient of so large numbers would be rounded.
create or replace function usd(p_micro bigint) returns text language sql immutable as $$
  select (p_micro * 0.000001)::numeric(20, 6)::text
$$;
