-- Reads that cost by what is asked for, not by what ever was.

-- Every instance of a user, the terminated ones too: what the activity log can be narrowed down to, and what erasing an
-- account empties. Without it both read the whole table.
create index gpu_instances_of_user on gpu_instances (user_id, id desc);

-- Places are counted from the index alone.
drop index gpu_instances_placed;
create index gpu_instances_placed on gpu_instances (driver, gpu_type, gpu_count)
where status in ('starting', 'running', 'stopping');

-- The list of accounts passes over none that was deleted.
drop index auth_user_newest;
create index auth_user_newest on auth_user (created_at desc, id desc) where deleted_at is null;

-- What the scanner need not read again: final transfers of the last blocks.
create index chain_deposit_final on chain_deposit (chain, block_number) where state in ('credited', 'held');
