-- What visitors of the public site send, and how the service was doing.

-- Contacts, applications and document requests: whatever a person reads and answers.
create table site_inquiry (
  -- Sorts by time of sending.
  id uuid primary key,
  kind text not null check (kind in ('contact', 'application', 'document')),
  status text not null default 'open' check (status in ('open', 'answered', 'closed')),
  name text not null check (length(name) <= 250),
  email text not null check (length(email) <= 254),
  company text not null default '',
  -- In words: a contact's type, an application's job, a request's document.
  subject text not null,
  message text not null default '' check (length(message) <= 5000),
  file_name text,
  file_type text,
  file_bytes integer check (file_bytes <= 5 * 1024 * 1024),
  file_sealed bytea,
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  check ((file_name is null) = (file_sealed is null) and (file_type is null) = (file_sealed is null)
    and (file_bytes is null) = (file_sealed is null)),
  check ((closed_at is null) = (status <> 'closed'))
);
create index on site_inquiry (status, id);

create table site_answer (
  id uuid primary key,
  inquiry_id uuid not null references site_inquiry on delete cascade,
  text text not null check (length(text) <= 5000),
  -- The administrator; no reference, since the answer outlives the account.
  answered_by uuid not null,
  created_at timestamptz not null default now()
);
create index on site_answer (inquiry_id, id);

-- Hash of what was sent lately: the same thing sent again within a day is stored once.
create table site_sent (
  hash bytea primary key,
  sent_at timestamptz not null
);

-- An address is erased when its subscription ends; the row stays, so that the link in an old mail still says so.
create table site_subscription (
  id uuid primary key,
  email text check (email = lower(email) and length(email) <= 254),
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  ended_at timestamptz,
  check ((email is null) = (ended_at is not null))
);
create unique index on site_subscription (email) where email is not null;

-- SHA-256 of the tokens in mails. One that ends a subscription never expires.
create table site_token (
  hash bytea primary key,
  subscription_id uuid not null references site_subscription on delete cascade,
  purpose text not null check (purpose in ('confirm', 'end')),
  expires_at timestamptz,
  check ((purpose = 'confirm') = (expires_at is not null))
);
create index on site_token (subscription_id);

create table site_waitlist (
  product text not null,
  email text not null check (email = lower(email) and length(email) <= 254),
  created_at timestamptz not null default now(),
  primary key (product, email)
);

-- What the last check found, whichever process made it.
create table site_status (
  one boolean primary key default true check (one),
  state text not null check (state in ('operational', 'degraded', 'down')),
  checks jsonb not null,
  checked_at timestamptz not null
);

-- One row a day (UTC). A minute counts once, however many checks fell into it, and is good when all of them were.
create table site_status_day (
  day date primary key,
  ok_minutes integer not null,
  measured_minutes integer not null,
  last_minute timestamptz not null,
  last_ok boolean not null,
  check (ok_minutes between 0 and measured_minutes)
);

create function site_measure(p_at timestamptz, p_ok boolean) returns void language sql as $$
  insert into site_status_day as d (day, ok_minutes, measured_minutes, last_minute, last_ok)
  values ((p_at at time zone 'UTC')::date, p_ok::int, 1, date_trunc('minute', p_at), p_ok)
  on conflict (day) do update set
    measured_minutes = d.measured_minutes + (excluded.last_minute > d.last_minute)::int,
    ok_minutes = d.ok_minutes + case
      when excluded.last_minute > d.last_minute then excluded.ok_minutes
      when d.last_ok and not excluded.last_ok then -1
      else 0 end,
    last_ok = excluded.last_ok and (d.last_ok or excluded.last_minute > d.last_minute),
    last_minute = excluded.last_minute
  where excluded.last_minute >= d.last_minute
$$;

-- Drops what no longer has a use: old days, hashes of yesterday, and addresses that nobody confirmed.
create function site_sweep(p_days integer) returns void language sql as $$
  delete from site_status_day where day < (now() at time zone 'UTC')::date - p_days;
  delete from site_sent where sent_at < now() - interval '1 day';
  delete from site_subscription s where s.confirmed_at is null and s.ended_at is null
    and not exists (select from site_token t where t.subscription_id = s.id and t.expires_at > now());
  delete from site_token where expires_at < now() - interval '1 day';
$$;
