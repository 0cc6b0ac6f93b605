-- The month (UTC) that a movement counts in. Usage bears the time at which it ended, and up to the end of a month that is
-- the first moment of the next.
create function month_of(t ledger_transfer) returns date language sql immutable as $$
  select date_trunc('month', (t.effective_at - case t.code when 'usage' then interval '1 millisecond' else interval '0' end)
    at time zone 'UTC')::date
$$;

-- What a wallet spent by month in the movements after `p_transfer`, less usage that was returned. Nothing is known of how
-- many they are when the statement is planned; they are the last of an index, so it is taken whatever is guessed.
create or replace function spent_after(p_user_id uuid, p_transfer bigint)
returns table (month date, spent_micro bigint, last_id bigint) language sql stable set enable_seqscan = off as $$
  select month_of(t),
    coalesce(sum(t.amount_micro) filter (where t.from_account = w.account_id and t.code <> 'hold'), 0)::bigint
      - coalesce(sum(t.amount_micro) filter (where t.to_account = w.account_id and t.code = 'usage_return'), 0)::bigint,
    max(t.id)
  from wallets w join ledger_transfer t on t.user_id = w.user_id
  where w.user_id = p_user_id and t.id > p_transfer group by 1
$$;

-- What was counted is counted again.
delete from spending_month;
delete from spending_counted;
update roll_up set seen_id = 0 where source in ('ledger_transfer', 'usage_line');
