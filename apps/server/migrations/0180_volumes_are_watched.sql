-- Since when a volume is nearly full; its owner is told of it as long as it is so.
alter table network_volumes add column full_at timestamptz;

-- Facts of volumes name the instance, those of snapshots the volume: the activity log is read by both.
create index event_of_instance on event ((data ->> 'instance_id'), at desc, id desc) where data ? 'instance_id';
create index event_of_volume on event ((data ->> 'volume_id')) where data ? 'volume_id';
