-- Several servers of one database may use the same container engines. What their drivers keep stands here: what is known
-- of each machine beside what the engine knows, where the keeper of an engine's terminals listens, and a clock that all
-- of them read the same.

create table engine_machine (
  driver text not null,
  ref text not null check (length(ref) <= 64),
  record jsonb not null,
  -- Grows with each change: whoever read an older one changes nothing.
  version bigint not null default 1,
  changed_at timestamptz not null default now(),
  primary key (driver, ref)
);

create table engine_keeper (
  driver text primary key,
  host text not null check (length(host) <= 255),
  port integer not null check (port between 1 and 65535),
  noted_at timestamptz not null default now()
);

-- What a host adds to the time since it booted. It is never changed: a clock that is set moves no time.
create table host_clock (
  boot_id text primary key check (length(boot_id) <= 64),
  offset_ms bigint not null,
  noted_at timestamptz not null default now()
);

-- Those were told by the clock of one host.
update driver_look set driver_ms = null where driver like 'docker%';
