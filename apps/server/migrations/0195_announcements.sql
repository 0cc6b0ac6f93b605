-- What the operator tells everybody: announcements, and that the service is in maintenance.
create table site_announcement (
  id uuid primary key,
  tone text not null check (tone in ('info', 'warn')),
  place text not null check (place in ('site', 'console', 'both')),
  text text not null check (length(text) between 1 and 300),
  link_label text check (length(link_label) between 1 and 40),
  link_href text check (length(link_href) between 1 and 500),
  -- Of its text: whoever dismissed another one sees this one.
  revision integer not null default 1,
  shown_from timestamptz not null,
  shown_until timestamptz,
  created_at timestamptz not null,
  created_by uuid references auth_user on delete set null,
  check ((link_label is null) = (link_href is null)),
  check (shown_until >= shown_from)
);
create index site_announcement_until on site_announcement (coalesce(shown_until, 'infinity'));

-- One row: whether customers' writes are refused. Every server keeps a copy, and reads it again when it changes.
create table site_maintenance (
  one boolean primary key default true check (one),
  is_on boolean not null default false,
  text text not null default '' check (length(text) <= 300),
  reason text not null default '' check (length(reason) <= 500),
  planned_end timestamptz,
  changed_at timestamptz,
  changed_by uuid references auth_user on delete set null,
  check (not is_on or text <> '' and changed_at is not null)
);
insert into site_maintenance default values;

-- Read by their newest.
alter table site_waitlist add column id bigint generated always as identity unique;
create index site_subscription_newest on site_subscription (id desc) where ended_at is null;

-- Both are subjects of the audit log.
do $$
declare v record;
begin
  for v in
    select c.conname, pg_get_expr(c.conbin, c.conrelid) as expression from pg_constraint c
    where c.conrelid = 'audit_log'::regclass and c.conname = 'audit_log_subject_kind_check'
  loop
    execute format('alter table audit_log drop constraint %I, add constraint %1$I check (%s or subject_kind in (''announcement'', ''maintenance'')) not valid', v.conname, v.expression);
    execute format('alter table audit_log validate constraint %I', v.conname);
  end loop;
end $$;
