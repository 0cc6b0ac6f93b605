-- What a start needs: money for ten minutes of everything that runs, and a place.

-- What a start leaves in the wallet: ten minutes of everything that runs, or was asked to, beyond what is prepaid for it.
create function start_reserve(p_user_id uuid, p_at timestamptz) returns bigint language sql stable as $$
  select coalesce(sum(greatest(0, (m.price_micro + 5) / 6
    - greatest(0, prepaid_for_usage(m, a.balance_micro) - case when m.metered_to is null then 0 else meter_cost(m, p_at) end))), 0)::bigint
  from (
    select * from meter where user_id = p_user_id and metered_to is not null
    union all
    select m.* from gpu_instances i join meter m on m.id = i.id
    where i.user_id = p_user_id and i.status <> 'terminated' and i.status in ('starting', 'stopping')
      and i.desired = 'running' and m.metered_to is null
  ) m join ledger_account a on a.id = m.prepaid_account
  where not coalesce(m.paid_until > p_at, false)
$$;

-- The deploy charge: opens the prepaid account and the meter of a new instance and fills it from the wallet. One that
-- `p_starts` leaves ten minutes of what runs; its own are in what it pays.
drop function deploy_charge(uuid, uuid, text, bigint, bigint, timestamptz, text, timestamptz);
create function deploy_charge(
  p_user_id uuid, p_meter uuid, p_label text, p_price bigint, p_total bigint, p_paid_until timestamptz, p_description text,
  p_at timestamptz, p_starts boolean default false
) returns void language plpgsql as $$
declare
  v_account bigint := get_or_create_wallet(p_user_id); v_prepaid bigint; v_left bigint; v_reserve bigint := 0;
begin
  v_left := lock_wallet(p_user_id) - wallet_accrued(p_user_id, p_at) - p_total;
  if p_starts then v_reserve := start_reserve(p_user_id, p_at); end if;
  if v_left < v_reserve then
    -- Too little even for the charge, or only for what runs beside it.
    raise exception 'insufficient funds' using errcode = 'IN402',
      detail = case when v_left < 0 then '' else v_reserve::text end;
  end if;
  insert into ledger_account (kind, owner) values ('prepaid', p_meter) returning id into v_prepaid;
  insert into meter (id, user_id, prepaid_account, label, price_micro, paid_until, opened_at)
  values (p_meter, p_user_id, v_prepaid, p_label, p_price, p_paid_until, p_at);
  perform ledger_post(key_of('deploy:' || p_meter), v_account, v_prepaid, p_total, 'deploy', p_user_id, p_meter, p_description, p_at);
  perform refresh_wallet_due(p_user_id, p_at);
end $$;

-- A place is held from the moment a start is asked for until the machine has stopped.
create index gpu_instances_placed on gpu_instances (driver, gpu_type) where status in ('starting', 'running', 'stopping');

-- Places of a driver that are held: by each machine one, or of one GPU type a place for each card.
create function places_held(p_driver text, p_gpu_type text) returns bigint language sql stable as $$
  select coalesce(sum(case when p_gpu_type is null then 1 else gpu_count end), 0)::bigint from gpu_instances
  where driver = p_driver and status in ('starting', 'running', 'stopping') and (p_gpu_type is null or gpu_type = p_gpu_type)
$$;

-- Holds `p_takes` of `p_places` for the row that the calling statement writes, and answers its driver; IN410 when too few
-- are free. The lock makes starts on one pool take turns until they are committed; it is the last that a command takes.
create function hold_place(p_driver text, p_gpu_type text, p_takes integer, p_places integer) returns text language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(':', 'places', p_driver, p_gpu_type), 0));
  if places_held(p_driver, p_gpu_type) + p_takes > p_places then
    raise exception 'no place is free' using errcode = 'IN410';
  end if;
  return p_driver;
end $$;
