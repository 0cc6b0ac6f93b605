-- A kind of meter may take nothing in advance. A price that cannot be set is an error.

alter table meter_kind add column is_prepaid boolean not null default true;
comment on column meter_kind.is_prepaid is 'Something is paid when it is made; otherwise all of it is paid from the wallet as it runs.';

-- Moves what is paid in advance from the wallet to the prepaid account of a new meter: an hour, a term, a month, or nothing
-- where its kind says so. With `p_starts` ten minutes of what runs stay in the wallet.
create or replace function deploy_charge(p_user_id uuid, p_meter uuid, p_label text, p_price bigint, p_total bigint, p_paid_until timestamptz,
  p_description text, p_at timestamptz, p_starts boolean default false, p_kind text default 'instance')
returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
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
  insert into meter (id, user_id, kind, prepaid_account, label, price_micro, paid_until, opened_at)
  values (p_meter, p_user_id, p_kind, v_prepaid, p_label, p_price, p_paid_until, p_at);
  if p_total <> 0 or (select is_prepaid from meter_kind where id = p_kind) then
    perform ledger_post(key_of('deploy:' || p_meter), v_account, v_prepaid, p_total, 'deploy', p_user_id, p_meter, p_description, p_at);
  end if;
  perform refresh_wallet_due(p_user_id, p_at);
end $$;

-- While nothing of it runs, and the last look has said when it ended: what ran is charged at one price, and returned at it.
create or replace function set_meter_price(p_meter uuid, p_price bigint) returns void language plpgsql
  security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update meter set price_micro = p_price where id = p_meter and metered_to is null and ended_at is null;
  if not found then raise exception 'the price of meter % stands while it runs', p_meter; end if;
end $$;
