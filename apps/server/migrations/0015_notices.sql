-- What users are told without having asked: one row per user, kind and way, made by the first such message and used again.

create table notice (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth_user on delete cascade,
  kind text not null check (kind in ('balance_low', 'balance_ending', 'balance_empty', 'start_failed', 'lost')),
  channel text not null check (channel in ('mail', 'sms')),
  -- What happened and is not told yet, oldest first.
  items jsonb not null default '[]',
  attempts integer not null default 0,
  sent_at timestamptz,
  -- Real time.
  due_at timestamptz,
  lock_token uuid,
  lock_expires_at timestamptz,
  unique (user_id, kind, channel)
);
create index notice_due on notice (due_at) where due_at is not null;

-- Adds to what is to be told. What comes within a quarter of an hour of the last message waits, and goes in one.
create function queue_notice(p_user_id uuid, p_kind text, p_channel text, p_item jsonb) returns void language sql as $$
  insert into notice as n (user_id, kind, channel, items, due_at)
  values (p_user_id, p_kind, p_channel, jsonb_build_array(p_item), now())
  on conflict (user_id, kind, channel) do update set
    items = case when jsonb_array_length(n.items) < 20 then n.items || excluded.items else n.items end,
    due_at = coalesce(n.due_at, greatest(now(), n.sent_at + interval '15 minutes'))
$$;

-- In the transaction of the fact, so that none is missed and none is told twice.
create function notice_event() returns trigger language plpgsql as $$
declare
  v_kind text := case new.type when 'instance.start_failed' then 'start_failed' else new.data ->> 'reason' end;
  v_item jsonb := jsonb_build_object('at', new.at, 'name', new.data ->> 'name', 'message', new.data ->> 'message');
begin
  perform queue_notice(new.user_id, v_kind, 'mail', v_item);
  if v_kind = 'balance_empty' then perform queue_notice(new.user_id, v_kind, 'sms', v_item); end if;
  return null;
end $$;
create trigger notice_event after insert on event for each row
when (new.type = 'instance.start_failed'
  or (new.type = 'instance.stopped' and new.data ->> 'reason' in ('balance_empty', 'lost')))
execute function notice_event();

-- What was said about a balance.
create table balance_watch (
  user_id uuid primary key references auth_user on delete cascade,
  -- It was good, and that it no longer is has not been said.
  was_good boolean not null,
  -- What it was when its end within a day was told, by each way; null: not told.
  mailed_micro bigint,
  texted_micro bigint
);

-- Whether one about the balance waits, or went less than a day ago.
create function was_warned(p_user_id uuid, p_channel text) returns boolean language sql stable as $$
  select exists (
    select from notice where user_id = p_user_id and channel = p_channel and kind in ('balance_low', 'balance_ending')
      and (due_at is not null or sent_at > now() - interval '1 day'))
$$;

-- Looks at a wallet that something draws on, or soon will: told are the fall below `p_good`, and the end of balance and
-- prepaid time within a day. Each once, until the balance has risen; a day apart, so the second may wait for the next
-- look. The wallet's lock is held.
create function note_balance(p_user_id uuid, p_at timestamptz, p_good bigint) returns void language plpgsql as $$
declare
  v_tomorrow timestamptz := p_at + interval '1 day';
  v_day_cost bigint; v_balance bigint; v_empty_at timestamptz; v_old balance_watch; v_new balance_watch; v_item jsonb;
begin
  select sum(price_micro) * 24 into v_day_cost from meter
  where user_id = p_user_id and metered_to is not null and (paid_until is null or paid_until < v_tomorrow);
  if coalesce(v_day_cost, 0) = 0 then return; end if;
  select a.balance_micro - wallet_accrued(p_user_id, p_at) into strict v_balance
  from wallets w join ledger_account a on a.id = w.account_id where w.user_id = p_user_id;
  if v_balance <= v_day_cost then
    v_empty_at := nullif(wallet_lasts_until(p_user_id, p_at, v_tomorrow), v_tomorrow);
  end if;
  select * into v_old from balance_watch where user_id = p_user_id;
  v_new := (p_user_id, coalesce(v_old.was_good, false), v_old.mailed_micro, v_old.texted_micro);
  v_item := jsonb_build_object('at', p_at, 'balance', usd(greatest(0, v_balance)), 'empty_at', v_empty_at);

  if v_empty_at is not null then
    if v_new.mailed_micro is null and not was_warned(p_user_id, 'mail') then
      perform queue_notice(p_user_id, 'balance_ending', 'mail', v_item);
      v_new.mailed_micro := v_balance;
      v_new.was_good := false;
    end if;
    if v_new.texted_micro is null and not was_warned(p_user_id, 'sms') then
      perform queue_notice(p_user_id, 'balance_ending', 'sms', v_item);
      v_new.texted_micro := v_balance;
    end if;
  else
    if v_balance > v_new.mailed_micro then v_new.mailed_micro := null; end if;
    if v_balance > v_new.texted_micro then v_new.texted_micro := null; end if;
    if v_balance >= p_good then
      v_new.was_good := true;
    elsif v_new.was_good and not was_warned(p_user_id, 'mail') then
      perform queue_notice(p_user_id, 'balance_low', 'mail', v_item);
      v_new.was_good := false;
    end if;
  end if;

  if v_new is distinct from v_old then
    insert into balance_watch select v_new.* on conflict (user_id) do update
    set was_good = excluded.was_good, mailed_micro = excluded.mailed_micro, texted_micro = excluded.texted_micro;
  end if;
end $$;
