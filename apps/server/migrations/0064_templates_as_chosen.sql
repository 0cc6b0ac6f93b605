-- A template says how a machine starts, and may be somebody's own. An instance keeps what its customer chose, as it was at
-- the deploy: a template that is edited or deleted later changes no machine that exists.

alter table gpu_templates
  -- Null: the operator's.
  add column owner uuid references auth_user on delete cascade,
  -- Null: the image's own.
  add column command text[] check (octet_length(command::text) <= 16384),
  add column env jsonb not null default '{}' check (jsonb_typeof(env) = 'object' and octet_length(env::text) <= 65536),
  add column ports integer[] not null default '{}' check (cardinality(ports) <= 20 and 1 <= all(ports) and 65535 >= all(ports)),
  -- Sealed for the owner.
  add column registry_credentials bytea check (octet_length(registry_credentials) <= 16384),
  add column network boolean not null default true,
  add constraint a_private_template_is_somebodys check (is_public or owner is not null),
  add constraint credentials_are_somebodys check (registry_credentials is null or not is_public);

create table instance_template (
  instance_id uuid primary key references gpu_instances on delete cascade,
  docker_image text not null,
  command text[],
  env jsonb not null,
  ports integer[] not null,
  registry_credentials bytea,
  network boolean not null
);
insert into instance_template
select i.id, coalesce(t.docker_image, ''), null, '{}', '{}', null, true
from gpu_instances i left join gpu_templates t on t.id = i.template_id where i.status <> 'terminated';
