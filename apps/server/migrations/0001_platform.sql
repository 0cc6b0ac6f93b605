-- What every noun stands on: the business clock, idempotency, the outbox of facts, and mail.

-- The business clock is real time plus this offset. It only grows.
create table business_clock (
  one boolean primary key default true check (one),
  offset_ms bigint not null default 0 check (offset_ms >= 0)
);
insert into business_clock default values;

create function business_clock_only_forward() returns trigger language plpgsql as $$
begin
  if new.offset_ms < old.offset_ms then raise exception 'the business clock never goes back'; end if;
  return new;
end $$;
create trigger only_forward before update on business_clock for each row execute function business_clock_only_forward();

-- The answer to a write, kept under the caller's key: a retry gets the same answer and does nothing.
create table idempotency (
  caller uuid not null,
  key text not null check (length(key) between 1 and 200),
  operation text not null,
  input_hash bytea not null,
  status smallint,
  response jsonb,
  created_at timestamptz not null default now(),
  primary key (caller, key)
);
create index on idempotency (created_at);

-- The outbox: one fact per row, written by the transaction that made it true. Ids alone would lose facts to a reader
-- (1 may commit after 2 was read), so readers go by transaction: below the oldest one still open, in (xid, id) order.
create table event (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  user_id uuid,
  type text not null,
  subject_id uuid,
  data jsonb not null default '{}',
  at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp()
);
create index event_stream on event (user_id, xid, id);
create index event_log on event (user_id, id desc);
create index event_subject on event (subject_id, id desc) where subject_id is not null;

-- Mail to send. Bodies hold links that sign people in, so they are encrypted and dropped once delivered by SMTP.
create table mail (
  id uuid primary key,
  recipient text not null,
  subject text not null,
  body_sealed bytea,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  attempts integer not null default 0,
  last_error text,
  due_at timestamptz default now(),
  lock_token uuid,
  lock_expires_at timestamptz
);
create index mail_due on mail (due_at) where due_at is not null;
create index mail_newest on mail (created_at desc);
