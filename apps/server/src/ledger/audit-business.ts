/** Rules of the audit about the sums of the whole business: each is added up again from what it counts. */

export const businessRules: Readonly<Record<string, string>> = {
  'what moved on a day is the sum of the movements that were counted': `
    with part as (
      select day_of(t) as day, t.code::text, f.kind as from_kind, o.kind as to_kind, t.amount_micro::numeric as micro, 1 as movements,
        t.id as counted, null::bigint as last
      from money_counted c join ledger_transfer t on t.id <= c.transfer_id
      join ledger_account f on f.id = t.from_account join ledger_account o on o.id = t.to_account
      union all
      select day, code, from_kind, to_kind, -amount_micro, -movements, null, last_id from money_day)
    select concat_ws(' ', day, code, from_kind, to_kind) || ' is off by ' || sum(micro) || ' micro-USD and ' || sum(movements) || ' movements'
      || case when max(counted) is distinct from max(last) then ', and its last is not ' || coalesce(max(last)::text, 'there') else '' end
    from part group by day, code, from_kind, to_kind
    having sum(micro) <> 0 or sum(movements) <> 0 or max(counted) is distinct from max(last)`,

  // The region of a volume goes with the volume.
  'what was earned on a day and in a month, and what ran, is the sum of what was counted': `
    with moved as (
      select day_of(t) as day, t.user_id, t.ref as meter_id, case when t.to_account = 2 then t.amount_micro else -t.amount_micro end::numeric as micro, 0 as ms
      from money_counted c join ledger_transfer t on t.id <= c.transfer_id and 2 in (t.from_account, t.to_account)
      union all
      select ((u.to_at - interval '1 millisecond') at time zone 'UTC')::date, u.user_id, u.meter_id, 0, ms_of(u.to_at) - ms_of(u.from_at)
      from money_counted c join usage_line u on u.id <= c.line_id
      union all
      select ((r.to_at - interval '1 millisecond') at time zone 'UTC')::date, r.user_id, r.meter_id, 0, ms_of(r.from_at) - ms_of(r.to_at)
      from money_counted c join usage_return r on r.id <= c.return_id),
    part as (
      select p.day, p.user_id, coalesce(m.kind, '') as kind, coalesce(i.gpu_type, '') as gpu_type,
        case when m.kind = 'instance' then coalesce(i.region, '') else '' end as region, p.micro, p.ms, p.ms * coalesce(i.gpu_count, 0) as gpu_ms
      from moved p left join meter m on m.id = p.meter_id left join gpu_instances i on i.id = p.meter_id),
    sums as (
      select concat_ws(' ', day, kind, gpu_type, region) as what, micro, ms, gpu_ms from part
      union all
      select concat_ws(' ', day, kind, gpu_type, case when kind = 'instance' then region else '' end), -revenue_micro, -used_ms, -gpu_ms from usage_day
      union all
      select concat_ws(' ', date_trunc('month', day)::date, user_id), micro, 0, gpu_ms from part where user_id is not null
      union all
      select concat_ws(' ', month, user_id), -revenue_micro, 0, -gpu_ms from customer_month
      union all
      select concat_ws(' ', 'day', day, user_id), micro, 0, 0 from part where user_id is not null
      union all
      select concat_ws(' ', 'day', day, user_id), -revenue_micro, 0, 0 from customer_day
      union all
      select concat_ws(' ', 'lately', d.user_id), d.revenue_micro, 0, 0 from money_counted c join customer_day d on d.day >= c.lately_from
      union all
      select concat_ws(' ', 'lately', user_id), -revenue_micro, 0, 0 from customer_lately)
    select what || ' is off by ' || sum(micro) || ' micro-USD, ' || sum(ms) || ' ms and ' || sum(gpu_ms) || ' ms of cards'
    from sums group by what having sum(micro) <> 0 or sum(ms) <> 0 or sum(gpu_ms) <> 0`,
}
