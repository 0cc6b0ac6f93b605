-- Names this installation where it makes things beside others', as on a container engine. One for all servers of a
-- database, whatever folders and keys they have.

create table installation (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid()
);
insert into installation default values;
