-- Templates that customers make, with secrets and a link to share them by. Secrets are sealed for the owner and go with
-- the owner's own deploys alone.

alter table gpu_templates
  add column secrets bytea check (octet_length(secrets) <= 524288),
  -- What of them may be shown.
  add column secret_names text[] not null default '{}' check (cardinality(secret_names) <= 100),
  add column disk_gb integer check (disk_gb between 1 and 1000),
  add column readme text not null default '' check (length(readme) <= 20000),
  -- Null: not shared.
  add column link_key text check (length(link_key) = 32),
  add constraint secrets_are_somebodys check (secrets is null or not is_public),
  add constraint a_public_template_needs_no_link check (link_key is null or not is_public),
  -- As many letters take up to four times the bytes.
  drop constraint gpu_templates_env_check,
  add constraint gpu_templates_env_check check (jsonb_typeof(env) = 'object' and octet_length(env::text) <= 524288),
  drop constraint gpu_templates_command_check,
  add constraint gpu_templates_command_check check (octet_length(command::text) <= 131072);
create index gpu_templates_owner on gpu_templates (owner) where owner is not null;

alter table instance_template
  add column secrets bytea,
  -- Ends of the start command, one after the other, within a minute of its start each.
  add column quick_ends integer not null default 0;

-- One reason more, beside whichever there are.
do $$
declare
  v_check text := (select pg_get_constraintdef(oid) from pg_constraint
    where conrelid = 'gpu_instances'::regclass and conname = 'gpu_instances_status_reason_check');
begin
  alter table gpu_instances drop constraint gpu_instances_status_reason_check;
  execute 'alter table gpu_instances add constraint gpu_instances_status_reason_check '
    || replace(v_check, 'ARRAY[', 'ARRAY[''crash_loop''::text, ');
end $$;
