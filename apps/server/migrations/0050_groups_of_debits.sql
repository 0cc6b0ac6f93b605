-- Plain charges of many wallets in one statement, each once per its key. For operators and benchmarks, as `debit_wallet`.
-- Returns how many were new.
create function debit_wallets(p_users uuid[], p_amounts bigint[], p_descriptions text[], p_idems uuid[], p_at timestamptz)
returns integer language sql as $$
  select ledger_post_many(array_agg(
    row(d.idem, w.account_id, 2, d.amount, 'debit', d.user_id, null, d.description, p_at)::movement order by d.place))
  from unnest(p_users, p_amounts, p_descriptions, p_idems) with ordinality d(user_id, amount, description, idem, place)
  join wallets w on w.user_id = d.user_id
$$;
