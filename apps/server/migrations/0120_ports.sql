-- HTTP ports of an instance that the service lets people reach, and links to them that end.
create table instance_port (
  instance_id uuid not null references gpu_instances on delete cascade,
  port integer not null check (port between 1 and 65535),
  name text not null check (length(name) between 1 and 40),
  -- Where 'Open' leads.
  path text not null default '/' check (length(path) between 1 and 500),
  -- Whoever knows the address may come in.
  is_public boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (instance_id, port)
);

create table port_share (
  id uuid primary key,
  instance_id uuid not null,
  port integer not null,
  -- Of the secret in the link.
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  foreign key (instance_id, port) references instance_port on delete cascade
);
create index on port_share (instance_id, port);

-- With which a browser goes from the console to the origin of a port, once.
create table port_ticket (
  hash bytea primary key,
  instance_id uuid not null,
  port integer not null,
  session_id uuid,
  key_id uuid,
  expires_at timestamptz not null,
  check (num_nonnulls(session_id, key_id) = 1),
  foreign key (instance_id, port) references instance_port on delete cascade
);
create index on port_ticket (expires_at);
create index on port_ticket (instance_id, port);

insert into instance_port (instance_id, port, name)
select distinct t.instance_id, p, 'Port ' || p from instance_template t, unnest(t.ports) p;

-- What it was reached through goes with it.
create function forget_ports() returns trigger language plpgsql as $$
begin
  delete from instance_port where instance_id = new.id;
  return null;
end $$;
create trigger forget_ports after update of desired on gpu_instances for each row
when (new.desired = 'deleted' and old.desired <> 'deleted') execute function forget_ports();
