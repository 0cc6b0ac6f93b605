-- The types of facts that kinds of meter have: the activity log shows them, and they are kept. `p_type`: that one alone;
-- `p_subject`: those about it.
create function kind_events(p_type text default null, p_subject text default null) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct type order by type), '{}')
  from meter_kind k cross join unnest(array[k.charged_event, k.closed_event, k.lapsed_event, k.renewed_event, k.revived_event]) type
  where type is not null and (p_type is null or type = p_type) and (p_subject is null or split_part(type, '.', 1) = p_subject)
$$;
