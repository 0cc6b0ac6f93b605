-- A wallet that lasts longer than anybody asks for has no end: `greatest` would take its beginning for one.

-- A wallet as its owner reads it: the balance less what has accrued, what runs costs per hour and draws on it per hour,
-- the last time that all of it is covered within `p_days` (null: longer, or nothing runs), and what a start must leave. A
-- machine that was not looked at for longer than its horizon counts as drawing nothing until it is.
create or replace function read_wallet(p_user_id uuid, p_at timestamp with time zone, p_days integer)
 RETURNS TABLE(account_id bigint, balance_micro bigint, spending_micro bigint, drawing_micro bigint, empty_at timestamp with time zone, reserve_micro bigint)
 LANGUAGE sql
 STABLE
AS $function$
  with span as materialized (
    select m.price_micro, m.price_micro::numeric as price, m.behind, ms_of(greatest(m.metered_to, m.paid_until)) as began,
      draws_from(m.price_micro, m.behind, ms_of(greatest(m.metered_to, m.paid_until)), ms_of(p_at + p_days * interval '1 day')) as draws,
      case when m.horizon < p_at then ms_of(m.horizon) end as stop, ms_of(m.renews_at) as renews, k.renews_ms,
      m.price_micro::numeric * billable_ms(m.metered_to, least(p_at, m.horizon, m.renews_at), m.paid_until) + m.behind as used,
      m.horizon >= p_at and not t.in_term as counts, t.in_term
    from meter_now m join meter_kind k on k.id = m.kind cross join lateral (select coalesce(m.paid_until > p_at, false) as in_term) t
    where m.user_id = p_user_id and m.is_running),
  total as (
    select coalesce(div(sum(greatest(0, used)), 3600000), 0)::bigint as accrued, coalesce(sum(price_micro) filter (where counts), 0)::bigint as spending,
      coalesce(sum(price_micro) filter (where counts and used >= 0), 0)::bigint as drawing,
      coalesce(sum(reserve_of(price_micro, used)) filter (where not in_term), 0)::bigint as reserve, sum(price * renews_ms) as all_months
    from span)
  select w.account_id, greatest(0, a.balance_micro - t.accrued), t.spending, t.drawing,
    case when t.spending > 0 and e.ms < until then greatest(p_at, at_ms(e.ms)) end,
    t.reserve + starting_reserve(p_user_id, p_at)
  from wallets w join ledger_account a on a.id = w.account_id cross join total t
  cross join lateral (select ms_of(p_at + p_days * interval '1 day') as until) u
  cross join lateral (
    select meets(array(
      select row(e.at, sum(e.slope), sum(e.shift), min(e.short_at))::edge
      from span s cross join lateral (
        select * from edges_of(s.price, s.behind, s.began, s.draws, least(until, s.stop, s.renews), ms_of(p_at), until)
        union all
        select * from months_of(s.price * s.renews_ms, s.renews, s.renews_ms, until, t.all_months, most_of(a.balance_micro))) e
      group by e.at), most_of(a.balance_micro)) as ms) e
  where w.user_id = p_user_id
$function$;
