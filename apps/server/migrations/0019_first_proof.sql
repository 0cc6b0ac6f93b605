-- Whoever opens an account may give another person's address. What was set before an address was proved is dropped by
-- the first proof, but for what the very request set whose link or code it was.

-- Accounts from before: who has a confirmed address proved it by a link, a code or a provider.
alter table auth_user
  -- Somebody has proved an address of this account, or an administrator made it. Confirmed is not proved: accounts may
  -- open without a mail, and an administrator may confirm an address that anybody gave.
  add column is_proved boolean not null default true,
  -- An administrator set the password: the first proof leaves it.
  add column password_given boolean not null default false,
  -- The first proof took the password away, and none was set since.
  add column password_dropped boolean not null default false;
alter table auth_user alter column is_proved set default false;

-- What the request set that a link or code was sent for. An identity may be gone by the time the link is opened.
alter table auth_otp
  add column password_hash text,
  add column identity_id uuid;

-- Accounts that wait. Only an administrator's identities came without a sign-in.
update auth_user u set is_proved = false
where email_confirmed_at is null and phone_confirmed_at is null and deleted_at is null and not exists (
  select from auth_identity i where i.user_id = u.id and i.provider in ('email', 'phone') and i.last_sign_in_at is null);

-- Links and codes on their way keep what was written in the transaction that sent them.
update auth_otp o set password_hash = u.password_hash from auth_user u
where u.id = o.user_id and o.kind in ('signup', 'sms') and o.sent_at = u.created_at and not u.is_proved;
update auth_otp o set identity_id = i.id from auth_identity i
where i.user_id = o.user_id and o.kind = 'signup' and i.provider not in ('email', 'phone') and i.last_sign_in_at = o.sent_at;
