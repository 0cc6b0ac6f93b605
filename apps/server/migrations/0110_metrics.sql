-- What instances used. One row holds five minutes of one instance and is written when they are over, so nothing is ever
-- updated, and a server that is killed loses at most those.

-- Twelve partitions of three days each take turns, and one is emptied as a whole before its turn comes again: a row is
-- kept for at least 30 days and at most 33. The server may not make or drop tables, so they are there for good.
create table metric_block (
  -- Which partition: the days since 1970, by three, modulo twelve.
  turn smallint not null,
  instance_id uuid not null,
  -- Of its five minutes, on the business clock. After a restart of the server there may be two rows of the same.
  began_at timestamptz not null,
  -- Mean load of the cards, 0 to 1, for strips that show many instances.
  load real,
  -- A line for each figure, with ten looks each, half a minute apart; null: nothing was measured. Lines: processors in
  -- use, bytes of memory, bytes of disk, bytes received and sent a second; then for each card its load, bytes of memory,
  -- degrees Celsius and watts.
  figures real[] not null,
  -- Processors, bytes of memory and of disk that it may use, then each card's bytes of memory.
  limits real[] not null
) partition by list (turn);

do $$ begin
  for turn in 0..11 loop
    execute format('create table metric_block_%s partition of metric_block for values in (%s)', turn, turn);
  end loop;
end $$;

create index metric_block_instance on metric_block (instance_id, began_at) include (load);

-- Who measures the machines of a driver, where several servers have it. On the real clock.
create table metric_lease (
  driver text primary key,
  holder uuid not null,
  expires_at timestamptz not null
);
