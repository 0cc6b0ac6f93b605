-- The end of the money is told a day, an hour and ten minutes before it comes, each at its own moment.

-- `ms`: told when balance and what is prepaid end within so long. `pause`: in real time; the same is not told again sooner,
-- unless money came in.
create function runway_thresholds() returns table (ms bigint, kind text, pause interval) language sql immutable as $$
  values (86400000::bigint, 'balance_ending', interval '1 day'), (3600000, 'balance_hour', interval '1 hour'),
    (600000, 'balance_minutes', interval '1 hour')
$$;

-- The smallest threshold that a runway is below. The one that it was below, it is until it is a sixtieth of it above.
create function runway_under(p_last timestamptz, p_at timestamptz, p_was bigint) returns bigint language sql stable as $$
  select min(ms) from runway_thresholds() where p_last < p_at + case when ms = p_was then ms * 61 / 60 else ms end * interval '1 ms'
$$;

alter table notice
  -- When something was added last, told or not. Real time.
  add column queued_at timestamptz,
  drop constraint notice_kind_check,
  add constraint notice_kind_check check (kind in ('balance_low', 'balance_ending', 'balance_hour', 'balance_minutes',
    'balance_empty', 'lapsed', 'grace_over', 'start_failed', 'lost', 'ended'));
update notice set queued_at = sent_at;

alter table balance_watch
  -- The smallest threshold that its runway is below; null: none.
  add column under_ms bigint,
  -- The last movement of the wallet when that was told last.
  add column warned_transfer bigint;
update balance_watch set under_ms = 86400000, warned_transfer = 0 where mailed_micro is not null or texted_micro is not null;
alter table balance_watch drop column mailed_micro, drop column texted_micro;

-- Adds to what is to be told. What comes within a quarter of an hour of the last message waits, and goes in one.
create or replace function queue_notice(p_user_id uuid, p_kind text, p_channel text, p_item jsonb) returns void language sql as $$
  insert into notice as n (user_id, kind, channel, items, queued_at, due_at)
  values (p_user_id, p_kind, p_channel, jsonb_build_array(p_item), now(), now())
  on conflict (user_id, kind, channel) do update set queued_at = now(),
    items = case when jsonb_array_length(n.items) < 20 then n.items || excluded.items else n.items end,
    due_at = coalesce(n.due_at, greatest(now(), n.sent_at + interval '15 minutes'))
$$;

-- Whether one about the balance waits, or went less than a day ago.
create or replace function was_warned(p_user_id uuid, p_channel text) returns boolean language sql stable as $$
  select exists (
    select from notice where user_id = p_user_id and channel = p_channel
      and kind in ('balance_low', 'balance_ending', 'balance_hour', 'balance_minutes')
      and (due_at is not null or sent_at > now() - interval '1 day'))
$$;

-- Looks at wallets that something draws on, or soon will: told is the fall below `good_balance`, once, until the balance
-- has risen; a day apart from any other warning, so it may wait for the next look. One that does not last a day is told by
-- `note_runways` alone. The wallets are locked.
create or replace function note_balances(p_users uuid[], p_at timestamptz) returns void language plpgsql as $$
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
    cross join lateral (select a.balance_micro - wallet_accrued(w.user_id, p_at) as balance offset 0) n
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

-- What the runways of wallets are at `p_at` (null: longer than any threshold): a fall below one is told, by mail and text,
-- a rise only kept. Of several at once, and of those that are a sixtieth of their time away, the most urgent is told. What
-- ended before is told by what it ended. The wallets are locked.
create function note_runways(p_users uuid[], p_lasts timestamptz[], p_at timestamptz) returns void language plpgsql as $$
begin
  with stands as materialized (
    select u.user_id, u.last_at, b.warned_transfer, coalesce(n.ms < b.under_ms, n.ms is not null) as is_fall,
      case when coalesce(n.ms < b.under_ms, n.ms is not null) then s.ms else n.ms end as under_ms
    from unnest(p_users, p_lasts) u(user_id, last_at) left join balance_watch b on b.user_id = u.user_id
    cross join lateral (select runway_under(u.last_at, p_at, b.under_ms) as ms offset 0) n
    cross join lateral (
      select min(t.ms) as ms from runway_thresholds() t where u.last_at < p_at + t.ms * 61 / 60 * interval '1 ms') s
    where n.ms is distinct from b.under_ms and (u.last_at < p_at) is not true),
  told as materialized (
    select s.user_id, t.kind, jsonb_build_object('at', p_at, 'balance', usd(greatest(0, n.balance)), 'empty_at', s.last_at,
      'day', usd(n.day), 'ends', e.ends, 'more', e.more, 'is_month', e.is_month) as item
    from stands s join runway_thresholds() t on t.ms = s.under_ms
    join wallets w on w.user_id = s.user_id join ledger_account a on a.id = w.account_id
    cross join lateral (
      select a.balance_micro - x.accrued as balance, wallet_accrued(s.user_id, p_at + interval '24 hours', p_at) - x.accrued
        + coalesce((select sum(cost_micro(m.price_micro, k.renews_ms, 0))::bigint from meter m join meter_kind k on k.id = m.kind
          where m.user_id = s.user_id and m.is_running and m.renews_at <= p_at + interval '24 hours'), 0) as day
      from (select wallet_accrued(s.user_id, p_at) as accrued offset 0) x) n
    -- A month that is not covered ends its meter alone.
    cross join lateral (
      select jsonb_agg(jsonb_build_object('name', d.label, 'noun', d.noun) order by d.id) filter (where d.place <= 3) as ends,
        greatest(0, count(*) - 3) as more, coalesce(bool_or(d.is_month), false) as is_month
      from (
        select o.*, row_number() over (order by o.id) as place
        from (
          select m.id, m.label, k.noun, x.is_month, bool_or(x.is_month) over () as is_any_month,
            m.behind + m.price_micro::numeric * billable_ms(m.metered_to, least(s.last_at + interval '1 ms', m.renews_at), m.paid_until) > 0 as draws
          from meter_now m join meter_kind k on k.id = m.kind
          cross join lateral (select coalesce(k.renews_ms is not null and m.renews_at = s.last_at + interval '1 ms', false) as is_month) x
          where m.user_id = s.user_id and m.is_running) o
        where case when o.is_any_month then o.is_month else o.draws end) d) e
    where s.is_fall and not (
      exists (select from notice o where o.user_id = s.user_id and o.kind = t.kind and o.channel = 'mail' and o.queued_at > now() - t.pause)
      and not exists (select from ledger_transfer r
        where r.user_id = s.user_id and r.id > s.warned_transfer and r.code in ('deposit', 'credit', 'release')))),
  watched as (
    insert into balance_watch as b (user_id, was_good, under_ms, warned_transfer)
    select s.user_id, false, s.under_ms,
      case when t.user_id is not null then coalesce((select max(id) from ledger_transfer r where r.user_id = s.user_id), 0) end
    from stands s left join told t on t.user_id = s.user_id
    on conflict (user_id) do update set under_ms = excluded.under_ms,
      was_good = b.was_good and excluded.warned_transfer is null,
      warned_transfer = coalesce(excluded.warned_transfer, b.warned_transfer))
  -- The last says it all, and none of them waits.
  insert into notice as n (user_id, kind, channel, items, queued_at, due_at)
  select user_id, kind, channel, jsonb_build_array(item), now(), now() from told cross join unnest(array['mail', 'sms']) channel
  order by user_id, kind, channel
  on conflict (user_id, kind, channel) do update set items = excluded.items, queued_at = now(), due_at = now();
end $$;

-- Sets the timers of wallets: the earliest of exhaustion, of what warns of it, a meter that wants settling for its own sake
-- (an hour has passed, its prepaid part, term or month ends) and the end of a grace. A meter that was charged up to its
-- horizon waits for a look, not for a time. Null while nothing is to come. What the runways crossed is told.
create or replace function refresh_wallets_due(p_users uuid[], p_at timestamptz) returns void language plpgsql as $$
declare v_users uuid[]; v_untils timestamptz[]; v_idle uuid[]; v_crossed uuid[]; v_lasts timestamptz[];
begin
  perform plan_once();
  -- A round of looks that sets a timer is over, or waits: what it moved is in the statements that follow.
  perform 1 from wallets where user_id = any(p_users) order by user_id for no key update;
  with next as materialized (
    select u.user_id, least((
      select min(least(m.metered_to + interval '1 hour', m.renews_at, case
        when m.paid_until > m.metered_to then m.paid_until
        when m.behind < 0 and m.price_micro > 0 then m.metered_to + ceil(-m.behind / m.price_micro) * interval '1 millisecond' end))
      from meter_now m where m.user_id = u.user_id and m.is_running and m.metered_to < m.horizon), (
      select min(m.lapsed_at + k.grace_days * interval '1 day')
      from meter m join meter_kind k on k.id = m.kind where m.user_id = u.user_id and m.lapsed_at is not null)) as at
    from unnest(p_users) u(user_id)),
  near as (
    update wallets w set due_at = n.at from next n
    where w.user_id = n.user_id and (n.at > p_at) is not true and w.due_at is distinct from n.at)
  select array_agg(user_id) filter (where at > p_at), array_agg(at + interval '24 hours') filter (where at > p_at),
    array_agg(user_id) filter (where at is null) into v_users, v_untils, v_idle from next;
  with far as materialized (
    select l.user_id, l.until_at - interval '24 hours' as next_at, case when l.last_at < l.until_at then l.last_at end as last_at
    from wallets_last(v_users, v_untils, p_at) l),
  timer as (
    select f.user_id, least(f.next_at, f.last_at + interval '1 ms', (
      select min(c.at) from runway_thresholds() t cross join lateral (select f.last_at + interval '1 ms' - t.ms * interval '1 ms' as at) c
      where c.at > p_at)) as at
    from far f),
  due as (
    update wallets w set due_at = t.at from timer t where w.user_id = t.user_id and w.due_at is distinct from t.at)
  select array_agg(f.user_id), array_agg(f.last_at) into v_crossed, v_lasts
  from (select user_id, last_at from far union all select user_id, null from unnest(v_idle) user_id) f
  left join balance_watch b on b.user_id = f.user_id
  where runway_under(f.last_at, p_at, b.under_ms) is distinct from b.under_ms;
  if v_crossed is not null then perform note_runways(v_crossed, v_lasts, p_at); end if;
end $$;
