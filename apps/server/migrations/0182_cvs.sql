-- CVs that wait for their application.
create table site_cv (
  -- Of the ticket.
  hash bytea primary key,
  name text not null check (length(name) <= 200),
  type text not null,
  sealed bytea not null,
  expires_at timestamptz not null
);
create index on site_cv (expires_at);

-- Drops what no longer has a use: old days, hashes of yesterday, addresses that nobody confirmed, CVs that nobody applied with.
create or replace function site_sweep(p_days integer) returns void language sql as $$
  delete from site_status_day where day < (now() at time zone 'UTC')::date - p_days;
  delete from site_sent where sent_at < now() - interval '1 day';
  delete from site_subscription s where s.confirmed_at is null and s.ended_at is null
    and not exists (select from site_token t where t.subscription_id = s.id and t.expires_at > now());
  delete from site_token where expires_at < now() - interval '1 day';
  delete from site_cv where expires_at < now();
$$;
