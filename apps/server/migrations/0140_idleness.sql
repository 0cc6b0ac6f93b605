-- What counts as work is told apart, a stop by itself can be put off, and it is told before and after.

alter table gpu_instances
  -- How the last input came.
  add column last_input_by text check (last_input_by in ('terminal', 'ssh')),
  -- When a request that may change something came through one of its ports last. Business time, as `last_activity_at`.
  add column last_request_at timestamptz,
  -- The same as it stood at the last look.
  add column seen_request_at timestamptz,
  -- When each signal counted last, by its name: `{"at", "amount", "card"}`, `at` in real time.
  add column signals jsonb not null default '{}',
  -- It is not stopped as idle before then. Real time.
  add column snoozed_until timestamptz,
  -- The end of the work after which it was warned: once for each.
  add column warned_busy_at timestamptz;

alter table notice
  drop constraint notice_kind_check,
  add constraint notice_kind_check check (kind in ('balance_low', 'balance_ending', 'balance_hour', 'balance_minutes',
    'balance_empty', 'lapsed', 'lapse_ending', 'grace_over', 'budget_used', 'budget_reached', 'term_ending', 'term_over', 'start_failed', 'lost', 'ended',
    'idle_soon', 'idle_stopped'));

-- What somebody can still prevent does not wait with others of its kind: a mail goes once a minute at most, a text, which
-- costs money, once a quarter of an hour.
create function note_idle_soon(p_user_id uuid, p_item jsonb) returns void language sql as $$
  insert into notice as n (user_id, kind, channel, items, queued_at, due_at)
  select p_user_id, 'idle_soon', channel, jsonb_build_array(p_item), now(), now() from unnest(array['mail', 'sms']) channel order by channel
  on conflict (user_id, kind, channel) do update set queued_at = now(),
    items = case when jsonb_array_length(n.items) < 20 then n.items || excluded.items else n.items end,
    due_at = coalesce(n.due_at, greatest(now(), n.sent_at + case n.channel when 'mail' then interval '1 minute' else interval '15 minutes' end))
$$;

-- In the transaction of the fact, so that none is missed and none is told twice.
create or replace function notice_event() returns trigger language plpgsql as $$
begin
  perform queue_notice(new.user_id,
    case new.type when 'instance.start_failed' then 'start_failed' when 'instance.auto_stopped' then 'idle_stopped' else new.data ->> 'reason' end,
    channel, jsonb_build_object('at', new.at, 'name', new.data ->> 'name', 'message', new.data ->> 'message'))
  from unnest(case new.type when 'instance.auto_stopped' then array['mail', 'sms'] else array['mail'] end) channel;
  -- A warning of it that still waits for its turn comes too late.
  if new.type = 'instance.auto_stopped' then
    update notice n set items = k.items, due_at = case when jsonb_array_length(k.items) > 0 then n.due_at end
    from notice o cross join lateral (
      select coalesce(jsonb_agg(item order by place), '[]') as items
      from jsonb_array_elements(o.items) with ordinality as each (item, place) where item ->> 'id' <> new.subject_id::text) k
    where n.id = o.id and o.user_id = new.user_id and o.kind = 'idle_soon' and o.due_at > now();
  end if;
  return null;
end $$;
drop trigger notice_event on event;
create trigger notice_event after insert on event for each row when (new.type in ('instance.start_failed', 'instance.auto_stopped')
  or (new.type = 'instance.stopped' and new.data ->> 'reason' in ('lost', 'ended')))
execute function notice_event();
