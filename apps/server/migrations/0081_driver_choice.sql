-- Which driver serves the regions that the operator binds to none: what the first start found, kept by all later ones.
create table driver_choice (
  one boolean primary key default true check (one),
  driver text not null,
  -- Of a container engine that nobody named.
  address text,
  why text not null,
  chosen_at timestamptz not null default now()
);
