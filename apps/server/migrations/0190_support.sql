-- Support: tickets and their messages. All of it goes with its account.
create table support_tickets (
  id uuid primary key,
  user_id uuid not null references auth_user on delete cascade,
  title text not null check (length(title) between 1 and 200),
  status text not null default 'open' check (status in ('open', 'in_progress', 'resolved', 'closed')),
  priority text not null default 'medium' check (priority in ('low', 'medium', 'high')),
  -- The number of the last message. Whoever writes locks the row, so numbers have no gap and follow time.
  last_seq integer not null default 0,
  -- How far the customer and staff have read.
  user_read_seq integer not null default 0,
  staff_read_seq integer not null default 0,
  first_reply_at timestamptz,
  first_person_at timestamptz,
  person_asked_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((closed_at is not null) = (status = 'closed'))
);
create index support_tickets_list on support_tickets (user_id, updated_at desc, id desc);
create index support_tickets_all on support_tickets (updated_at desc, id desc);
create index support_tickets_status on support_tickets (status, updated_at desc, id desc);
create index support_tickets_unread on support_tickets (user_id) where user_read_seq < last_seq;

create table support_messages (
  id uuid primary key,
  ticket_id uuid not null references support_tickets on delete cascade,
  seq integer not null check (seq > 0),
  content text not null check (length(content) between 1 and 10000),
  sender_type text not null check (sender_type in ('user', 'admin')),
  is_automated boolean not null default false,
  -- Who wrote it; null: the service itself.
  user_id uuid references auth_user on delete set null,
  client_id text check (length(client_id) between 1 and 64),
  -- What it is about, as that was then.
  links jsonb not null default '[]',
  created_at timestamptz not null,
  unique (ticket_id, seq),
  check (not is_automated or sender_type = 'admin' and user_id is null)
);
-- What was sent is sent once, whoever asks again.
create unique index support_messages_client on support_messages (ticket_id, sender_type, client_id) where client_id is not null;

create table support_attachments (
  id uuid primary key,
  -- Who uploaded it. It goes with that account, or with the ticket.
  user_id uuid not null references auth_user on delete cascade,
  -- Null until it is sent; what nobody sends within a day is deleted.
  message_id uuid references support_messages on delete cascade,
  place smallint,
  name text not null check (length(name) between 1 and 200),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/gif', 'image/webp', 'text/plain')),
  content bytea not null check (length(content) between 1 and 5242880),
  created_at timestamptz not null default now()
);
create index support_attachments_message on support_attachments (message_id) where message_id is not null;
create index support_attachments_unsent on support_attachments (user_id, created_at) where message_id is null;

-- A ticket is a subject of the audit log.
alter table audit_log drop constraint audit_log_subject_kind_check, add constraint audit_log_subject_kind_check
  check (subject_kind in ('account', 'factor', 'identity', 'api_key', 'ssh_key', 'sso_provider', 'inquiry', 'ticket')) not valid;
alter table audit_log validate constraint audit_log_subject_kind_check;

-- Customers are told of replies.
do $$
declare v record;
begin
  for v in
    select c.conname, pg_get_expr(c.conbin, c.conrelid) as expression from pg_constraint c
    where c.conrelid = 'notice'::regclass and c.conname = 'notice_kind_check'
  loop
    execute format('alter table notice drop constraint %I, add constraint %1$I check (%s or kind in (''ticket_reply'', ''ticket_resolved''))', v.conname, v.expression);
  end loop;
end $$;
