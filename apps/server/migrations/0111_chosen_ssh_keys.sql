-- Which of its owner's keys open an instance, and whether whoever comes in by SSH may start it.
alter table gpu_instances
  -- Null: every key that the account has. A key that is gone opens nothing, whether it is named here or not.
  add column ssh_key_ids uuid[] check (cardinality(ssh_key_ids) <= 50),
  -- To somebody at a terminal, for the price that is shown there.
  add column ssh_offers_start boolean not null default false;

-- A key opens machines: who added it and who removed it is kept.
alter table audit_log drop constraint audit_log_subject_kind_check, add constraint audit_log_subject_kind_check
  check (subject_kind in ('account', 'factor', 'identity', 'api_key', 'ssh_key', 'sso_provider', 'inquiry')) not valid;
alter table audit_log validate constraint audit_log_subject_kind_check;
create function audit_ssh_key() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform audit_append('ssh_key', new.id, new.user_id, '{}', jsonb_build_object('name', new.name, 'fingerprint', new.fingerprint));
  else
    perform audit_append('ssh_key', old.id, old.user_id, jsonb_build_object('name', old.name, 'fingerprint', old.fingerprint), '{}');
  end if;
  return null;
end $$;
create trigger audit_made after insert on ssh_key for each row execute function audit_ssh_key();
create trigger audit_removed after delete on ssh_key for each row execute function audit_ssh_key();
