-- Wrong passwords and codes from elsewhere keep nobody out where they signed in before.

-- Where a user signed in: `device:` and the hash of what a browser of theirs says of itself, or `network:` and an
-- address. One that was not seen for 90 days is as good as unknown.
create table auth_place (
  user_id uuid not null references auth_user on delete cascade,
  place text not null,
  seen_at timestamptz not null default now(),
  primary key (user_id, place)
);
create index auth_place_seen_at on auth_place (seen_at);
insert into auth_place (user_id, place)
select distinct user_id, 'network:' || host(ip) from auth_session where family(ip) = 4;

-- Under which key wrong tries are counted: strangers' under one, and those from each place that is the user's under
-- another. A device says more than a network, which others may share.
create function auth_failure_key(p_key text, p_user_id uuid, p_places text[]) returns text language sql stable as $$
  select coalesce((
    select p_key || '@' || place from auth_place
    where user_id = p_user_id and place = any(p_places) and seen_at > now() - interval '90 days'
    order by place limit 1), p_key)
$$;

-- From where the last message to an address was asked for.
alter table auth_sending add column asked_by text[] not null default '{}';

drop function auth_claim_sending(text, integer);
-- Takes the next slot for a message: 0, or the seconds until there is one.
create function auth_claim_sending(p_key text, p_seconds integer, p_places text[]) returns integer language plpgsql as $$
declare v_free boolean;
begin
  insert into auth_sending as s (key, sent_at, asked_by) values (p_key, clock_timestamp(), p_places)
  on conflict (key) do update set sent_at = clock_timestamp(), asked_by = p_places
  where s.sent_at <= clock_timestamp() - p_seconds * interval '1 second'
  returning true into v_free;
  if v_free then return 0; end if;
  return (select greatest(1, ceil(extract(epoch from sent_at - clock_timestamp()) + p_seconds))::integer
    from auth_sending where key = p_key);
end $$;

-- The same for a message to a phone. What sends nothing (the number is somebody's already, or nobody waits for a code
-- there) takes a slot that holds up its own sender alone, so that strangers take none from the number's user.
create function auth_claim_sms(p_key text, p_seconds integer, p_places text[], p_sends boolean)
returns integer language plpgsql as $$
declare v_own text := p_key || '@' || coalesce(p_places[array_length(p_places, 1)], ''); v_left integer;
begin
  select greatest(0, ceil(extract(epoch from max(sent_at) - clock_timestamp()) + p_seconds))::integer into v_left
  from auth_sending where key in (p_key, v_own);
  if v_left > 0 then return v_left; end if;
  return auth_claim_sending(case when p_sends then p_key else v_own end, p_seconds, p_places);
end $$;

-- Wrong tries by whoever asked for the code; those of strangers are `failed_attempts`, and end it for strangers alone.
alter table auth_otp add column asker_failures integer not null default 0;

-- Under which key wrong tries at a phone's codes are counted, and who makes them: the phone's user from a place of theirs
-- (`home`), whoever asked for the last message (`asker`), or anybody else. `p_sending`: the key of that message.
create function auth_code_key(p_key text, p_phone text, p_sending text, p_places text[])
returns table (key text, standing text) language sql stable as $$
  with at_home as (
    select place from unnest(p_places) place where exists (
      select from auth_place p join auth_user u on u.id = p.user_id
      where p.place = place and p.seen_at > now() - interval '90 days' and (u.phone = p_phone or u.new_phone = p_phone))),
  asking as (
    select unnest(asked_by) as place from auth_sending s where s.key = p_sending),
  standings as (
    select 1 as rank, place, 'home' as standing from at_home
    union all select 2, place, 'asker' from asking where place = any(p_places)
    union all select 3, null, 'stranger')
  select p_key || coalesce('@' || place, ''), standing from standings order by rank, place limit 1
$$;

-- Drops what no longer limits anybody, and codes that are over. Both halves of a change of address end together.
create or replace function auth_sweep() returns void language sql as $$
  delete from auth_bucket where refilled_at < now() - interval '1 day';
  delete from auth_failure where failed_at < now() - interval '1 day' and (locked_until is null or locked_until < now());
  delete from auth_code where expires_at < now() - interval '1 day';
  delete from auth_otp where expires_at < now() - interval '1 day';
  delete from auth_sending where sent_at < now() - interval '1 day';
  delete from auth_place where seen_at < now() - interval '90 days';
$$;
