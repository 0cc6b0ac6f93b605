-- A look is asked for at one time and answered at a later one. What was settled in between may have stood at the horizon
-- and left the wallet without a timer; and so may a clock that was set back.

drop function see_meter(uuid, timestamptz);

-- A look at `p_seen`, answered at `p_at`, found the machine in the run that is metered: its horizon moves. Had it passed,
-- the gap is charged, and the wallet has its timer again.
create function see_meter(p_meter uuid, p_seen timestamptz, p_at timestamptz)
returns table (meter_id uuid, from_at timestamptz, to_at timestamptz, amount_micro bigint, prepaid_micro bigint, wallet_micro bigint, closed_at timestamptz)
language plpgsql as $$
declare m meter;
begin
  select * into m from meter where id = p_meter and metered_to is not null;
  if not found or p_seen <= m.seen_at then return; end if;
  update meter set seen_at = p_seen where id = p_meter;
  if horizon_of(m) <= greatest(p_at, m.metered_to) then return query select * from settle_wallet(m.user_id, p_at, p_meter); end if;
end $$;
