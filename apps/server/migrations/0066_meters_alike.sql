-- A wallet with a thousand meters is read in a third of the time: what runs alike is added up before anything is worked
-- out, and the meters of a wallet, which are settled together, nearly all do.

-- A wallet as its owner reads it: the balance less what has accrued, what runs costs per hour and draws on it per hour,
-- the last time that all of it is covered within `p_days` (null: longer, or nothing runs), and what a start must leave. A
-- machine that was not looked at for longer than its horizon counts as drawing nothing until it is. Meters with nothing
-- prepaid draw in proportion to their prices, so those with the same times are one; any other begins to draw when what is
-- prepaid for it ends, and stands alone. `offset 0` keeps what is used more than once from being worked out as often. The
-- edges are those of `edges_of`, the reserve is that of `reserve_of`.
create or replace function read_wallet(p_user_id uuid, p_at timestamptz, p_days integer)
returns table (account_id bigint, balance_micro bigint, spending_micro bigint, drawing_micro bigint, empty_at timestamptz, reserve_micro bigint)
language sql stable as $$
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
  select w.account_id, greatest(0, a.balance_micro - t.accrued), t.spending, t.drawing,
    case when t.spending > 0 and e.ms < until then greatest(p_at, at_ms(e.ms)) end,
    t.reserve + starting_reserve(p_user_id, p_at)
  from wallets w join ledger_account a on a.id = w.account_id cross join total t
  cross join lateral (select ms_of(p_at + p_days * interval '1 day') as until) u
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
        cross join lateral months_of(s.price * s.renews_ms, s.renews, s.renews_ms, s.until, t.all_months, most_of(a.balance_micro)) m
        where s.renews is not null) e
      group by e.at), most_of(a.balance_micro)) as ms offset 0) e
  where w.user_id = p_user_id
$$;
