-- Automated replies: whether they are written, and one row for each message of a customer that may get one.
create table ai_reply_settings (
  is_only boolean primary key default true check (is_only),
  enabled boolean not null default false,
  -- Also while staff are there.
  force_enabled boolean not null default false,
  updated_by uuid references auth_user on delete set null,
  updated_at timestamptz,
  check (enabled or not force_enabled)
);
insert into ai_reply_settings default values;

-- When each member of staff last wrote to a ticket or changed one, on the business clock.
create table support_activity (
  user_id uuid primary key references auth_user on delete cascade,
  at timestamptz not null
);

create table support_replies (
  -- What it answers: at most one for a message.
  message_id uuid primary key references support_messages on delete cascade,
  ticket_id uuid not null references support_tickets on delete cascade,
  user_id uuid not null references auth_user on delete cascade,
  -- What became of it; null while it waits.
  outcome text check (outcome in ('answered', 'unknown', 'handed_over', 'limited', 'person', 'superseded', 'off', 'late')),
  -- What was written.
  reply_id uuid unique references support_messages on delete set null,
  writer text check (writer in ('facts', 'model')),
  -- Why what the model wrote was not sent.
  refused text check (length(refused) between 1 and 200),
  -- How often the model was asked, and what of its budget that took.
  asked integer not null default 0,
  tokens integer not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz,
  due_at timestamptz,
  lock_token uuid,
  lock_expires_at timestamptz,
  check ((outcome is null) = (due_at is not null)),
  check ((outcome is null) = (ended_at is null))
);
create index support_replies_due on support_replies (due_at) where due_at is not null;
create index support_replies_ticket on support_replies (ticket_id);
create index support_replies_user on support_replies (user_id, ended_at);
create index support_replies_ended on support_replies (ended_at);
create index support_replies_created on support_replies (created_at) where tokens > 0;

-- Where an automated reply is from, for its reader, and what it was made of, for staff.
alter table support_messages
  add column sources jsonb not null default '[]',
  add column facts jsonb not null default '[]';

-- How they are written is a subject of the audit log, beside whatever is one already.
do $$
declare v_kinds text;
begin
  select string_agg(distinct quote_literal(m[1]), ', ') into v_kinds
  from pg_constraint c, regexp_matches(pg_get_expr(c.conbin, c.conrelid) || '''ai_settings''::text', '''([a-z_]+)''::text', 'g') m
  where c.conrelid = 'audit_log'::regclass and c.conname = 'audit_log_subject_kind_check';
  execute format('alter table audit_log drop constraint audit_log_subject_kind_check, add constraint audit_log_subject_kind_check check (subject_kind in (%s)) not valid', v_kinds);
  alter table audit_log validate constraint audit_log_subject_kind_check;
end $$;
