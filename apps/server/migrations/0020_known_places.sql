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

-- Drops what no longer limits anybody, and codes that are over. Both halves of a change of address end together.
create or replace function auth_sweep() returns void language sql as $$
  delete from auth_bucket where refilled_at < now() - interval '1 day';
  delete from auth_failure where failed_at < now() - interval '1 day' and (locked_until is null or locked_until < now());
  delete from auth_code where expires_at < now() - interval '1 day';
  delete from auth_otp where expires_at < now() - interval '1 day';
  delete from auth_sending where sent_at < now() - interval '1 day';
  delete from auth_place where seen_at < now() - interval '90 days';
$$;
