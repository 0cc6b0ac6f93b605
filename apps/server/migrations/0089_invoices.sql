-- Invoices: what a wallet paid for, month by month (UTC), and credit notes for what came back of it later.

-- What stands on an invoice: what a wallet pays for, and what of that comes back. Money that comes in, is set aside or is
-- paid out is no revenue.
create function is_invoiced(p_code ledger_code) returns boolean language sql immutable as $$
  select p_code in ('deploy', 'renewal', 'usage', 'debit', 'return', 'usage_return')
$$;

-- To the cent, halves to even, as `amountText` in packages/contracts/src/money.ts.
create function to_cent(p_micro bigint) returns bigint language sql immutable as $$
  select sign(p_micro)::bigint * ((abs(p_micro) + 5000) / 10000 - case when abs(p_micro) % 20000 = 5000 then 1 else 0 end) * 10000
$$;

-- How much tax is in a total that includes it, to the cent: the rate in hundredths of a percent.
create function tax_in(p_total bigint, p_rate integer) returns bigint language sql immutable as $$
  select (round(p_total::numeric * p_rate / (10000 + p_rate) / 10000) * 10000)::bigint
$$;

create table billing_details (
  user_id uuid primary key references auth_user on delete cascade,
  sealed bytea not null,
  updated_at timestamptz not null default now()
);

-- Up to which month each wallet's movements were looked through for invoices, and its last movement then.
create table invoicing (
  user_id uuid primary key references wallets on delete restrict,
  month date not null default '-infinity',
  transfer_id bigint not null default 0
);
create index invoicing_month on invoicing (month);
insert into invoicing (user_id) select user_id from wallets;

create function begin_invoicing() returns trigger language plpgsql as $$
begin
  insert into invoicing (user_id) values (new.user_id);
  return null;
end $$;
create trigger wallets_are_invoiced after insert on wallets for each row execute function begin_invoicing();

-- A month of a wallet that has something on an invoice. It holds the movements up to `transfer_id` that count in this
-- month or an earlier one, and that no month before holds: so what is charged later for a month that is closed stands in
-- the next. All movements before `open_from` are in this month or earlier.
create table invoice_month (
  user_id uuid not null references wallets on delete restrict,
  month date not null check (extract(day from month) = 1),
  transfer_id bigint not null,
  open_from bigint not null,
  opening_micro bigint not null,
  paid_in_micro bigint not null,
  charged_micro bigint not null,
  other_micro bigint not null,
  closing_micro bigint not null,
  primary key (user_id, month),
  check (closing_micro = opening_micro + paid_in_micro - charged_micro + other_micro)
);

-- Numbers have no gap: the row is locked from when one is taken until its invoice is on disk.
create table invoice_counter (
  one boolean primary key default true check (one),
  last_serial bigint not null default 0
);
insert into invoice_counter default values;

create table invoice (
  id uuid primary key,
  serial bigint not null unique,
  number text not null unique check (length(number) <= 40),
  user_id uuid not null,
  month date not null,
  kind text not null check (kind in ('invoice', 'credit_note')),
  -- The sum of the lines; the total is that to the cent.
  exact_micro bigint not null,
  total_micro bigint not null,
  tax_micro bigint not null,
  -- Operator and customer as they were when it was written.
  seller jsonb not null,
  customer_sealed bytea not null,
  issued_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  unique (user_id, month, kind),
  foreign key (user_id, month) references invoice_month on delete restrict,
  check (total_micro = to_cent(exact_micro)),
  check ((kind = 'credit_note') <= (exact_micro < 0))
);
create index invoice_user on invoice (user_id, serial desc);

-- What was charged for one thing, at one price, in one month of its own.
create table invoice_line (
  invoice_id uuid not null references invoice on delete restrict,
  place integer not null,
  code ledger_code not null,
  meter_id uuid,
  label text not null,
  words text not null,
  detail text,
  from_at timestamptz not null,
  to_at timestamptz not null,
  price_micro bigint,
  amount_micro bigint not null,
  movements integer not null,
  -- Of a credit note: the invoice that it was charged on.
  corrects uuid references invoice on delete restrict,
  primary key (invoice_id, place),
  check (movements > 0),
  check ((code in ('return', 'usage_return')) = (amount_micro < 0)),
  check (corrects is null or amount_micro < 0)
);

create trigger invoice_is_final before update or delete on invoice for each row execute function refuse_change();
create trigger invoice_stays before truncate on invoice for each statement execute function refuse_change();
create trigger invoice_line_is_final before update or delete on invoice_line for each row execute function refuse_change();
create trigger invoice_line_stays before truncate on invoice_line for each statement execute function refuse_change();
create trigger invoice_month_is_final before update or delete on invoice_month for each row execute function refuse_change();
create trigger invoice_month_stays before truncate on invoice_month for each statement execute function refuse_change();

-- Movements of a wallet that are on no invoice yet, and the month that each will be in.
create function not_invoiced(p_user_id uuid) returns table (month date, transfer_id bigint, code ledger_code, change_micro bigint)
language sql stable as $$
  select greatest(month_of(t), (i.month + interval '1 month')::date), t.id, t.code,
    case when t.to_account = w.account_id then t.amount_micro else -t.amount_micro end
  from wallets w join invoicing i on i.user_id = w.user_id
  left join lateral (
    select m.* from invoice_month m where m.user_id = w.user_id order by m.month desc limit 1) last on true
  join ledger_transfer t on t.user_id = w.user_id and t.id >= coalesce(last.open_from, 0)
    and w.account_id in (t.from_account, t.to_account)
  where w.user_id = p_user_id and (last.month is null or t.id > last.transfer_id or month_of(t) > last.month)
$$;

-- On which invoice a movement was charged, where it was.
create function invoice_of(p_user_id uuid, p_transfer bigint) returns uuid language sql stable as $$
  select i.id from ledger_transfer t join invoice_month m on m.user_id = p_user_id and m.month >= month_of(t) and m.transfer_id >= t.id
  left join invoice i on i.user_id = m.user_id and i.month = m.month and i.kind = 'invoice'
  where t.id = p_transfer order by m.month limit 1
$$;

-- Of what comes back the charge that it is a part of: the first of them, where they are many. Null for all else.
create function charge_of(t ledger_transfer) returns bigint language sql stable as $$
  select case t.code
    when 'usage_return' then (
      select min(c.id) from usage_return r join usage_line u on u.meter_id = r.meter_id and u.to_at > r.from_at and u.from_at < r.to_at
        join ledger_transfer c on c.idem = key_of('usage:' || u.id)
      where r.meter_id = t.ref and key_of('usage_return:' || r.id) = t.idem)
    when 'return' then coalesce((
      select max(c.id) from meter m join meter_kind k on k.id = m.kind and k.renews_ms is not null
        join ledger_transfer c on c.user_id = t.user_id and c.ref = t.ref and c.code = 'renewal' and c.id < t.id where m.id = t.ref),
      (select c.id from ledger_transfer c where c.idem = key_of('deploy:' || t.ref)))
  end
$$;

-- The lines of what these movements say, in the order of a bill. What comes back of something that an invoice charged
-- already names it. Charges of one thing at one price in one month are one line. Without names where an account is erased.
create function invoice_lines(p_user_id uuid, p_transfers bigint[], p_is_nameless boolean) returns setof invoice_line language sql stable as $$
  with moved as materialized (
    select t.*, month_of(t) as month, charge_of(t) as charge_id, case when t.to_account = w.account_id then -t.amount_micro else t.amount_micro end as charge
    from wallets w join ledger_transfer t on t.user_id = w.user_id and t.id = any(p_transfers)
    where w.user_id = p_user_id),
  line as (
    select t.id, t.code, t.ref, t.charge, t.month, coalesce(case when p_is_nameless then k.noun else m.label end, t.description) as label,
      case t.code when 'usage' then k.usage_words when 'usage_return' then 'usage returned' when 'debit' then ''
        else regexp_replace(t.description, '^.*: ', '', 's') end as words,
      i.gpu_count || ' × ' || i.gpu_type || ', ' || i.region as detail,
      coalesce(u.from_at, r.from_at, t.effective_at) as from_at,
      coalesce(u.to_at, r.to_at, case t.code when 'renewal' then t.effective_at + k.renews_ms * interval '1 millisecond'
        when 'deploy' then coalesce(m.paid_until, t.effective_at + coalesce(k.renews_ms, 0) * interval '1 millisecond') else t.effective_at end) as to_at,
      coalesce(u.price_micro, r.price_micro) as price_micro,
      invoice_of(p_user_id, t.charge_id) as corrects
    from moved t left join meter m on m.id = t.ref left join meter_kind k on k.id = m.kind
    left join usage_line u on t.code = 'usage' and u.meter_id = t.ref and u.to_at = t.effective_at
    left join usage_return r on t.code = 'usage_return' and r.meter_id = t.ref and key_of('usage_return:' || r.id) = t.idem
    left join gpu_instances i on i.id = m.id)
  select null::uuid, (row_number() over (order by min(from_at), min(id)))::integer, code, ref, min(label), words, min(detail),
    min(from_at), max(to_at), price_micro, sum(charge)::bigint, count(*)::integer, corrects
  from line
  group by code, ref, words, price_micro, corrects, month, case when code not in ('usage', 'usage_return') then id end
$$;

-- Closes the months of a wallet up to `p_month`, each that has something on it with an invoice, a credit note or both.
-- What ran in them and is not charged yet is charged first. What is closed stays closed: called again it does
-- nothing. A month that is not over is refused, unless the account is (`p_is_last`). Returns what was written.
create function issue_invoices(p_user_id uuid, p_month date, p_at timestamptz, p_prefix text, p_seller jsonb, p_customer bytea,
  p_is_last boolean default false) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  v_closed date; v_month date; v_last invoice_month; v_transfers bigint[]; v_to bigint; v_open bigint;
  v_lines invoice_line[]; v_kind text; v_serial bigint; v_exact bigint; v_id uuid;
begin
  if not p_is_last and p_at < (p_month + interval '1 month') at time zone 'UTC' then
    raise exception '% is not over', p_month using errcode = 'IN409';
  end if;
  perform lock_wallet(p_user_id);
  if exists (
    select from meter where user_id = p_user_id and is_running and metered_to < (p_month + interval '1 month') at time zone 'UTC') then
    perform settle_wallets(array[p_user_id], p_at);
  end if;
  select month into v_closed from invoicing where user_id = p_user_id for no key update;
  if v_closed is null or v_closed >= p_month then return; end if;
  select max(id) into v_to from ledger_transfer where user_id = p_user_id;

  for v_month in
    select distinct n.month from not_invoiced(p_user_id) n where n.month <= p_month and is_invoiced(n.code) order by 1
  loop
    v_last := null;
    select * into v_last from invoice_month where user_id = p_user_id order by month desc limit 1;
    select array_agg(n.transfer_id) filter (where is_invoiced(n.code) and n.month <= v_month),
      coalesce(min(n.transfer_id) filter (where n.month > v_month), v_to + 1)
    into v_transfers, v_open from not_invoiced(p_user_id) n;
    select array_agg(l order by l.place) into v_lines from invoice_lines(p_user_id, v_transfers, p_is_last) l;

    insert into invoice_month
    select p_user_id, v_month, v_to, v_open, coalesce(v_last.closing_micro, 0), paid_in, charged, other,
      coalesce(v_last.closing_micro, 0) + paid_in - charged + other
    from (
      select coalesce(sum(n.change_micro) filter (where n.code = 'deposit'), 0)::bigint as paid_in,
        coalesce(-sum(n.change_micro) filter (where is_invoiced(n.code)), 0)::bigint as charged,
        coalesce(sum(n.change_micro) filter (where n.code <> 'deposit' and not is_invoiced(n.code)), 0)::bigint as other
      from not_invoiced(p_user_id) n where n.month <= v_month) s;

    foreach v_kind in array array['invoice', 'credit_note'] loop
      select sum(l.amount_micro)::bigint into v_exact from unnest(v_lines) l where (l.corrects is not null) = (v_kind = 'credit_note');
      continue when v_exact is null;
      v_id := key_of('invoice:' || p_user_id || ':' || v_month || ':' || v_kind);
      update invoice_counter set last_serial = last_serial + 1 returning last_serial into v_serial;
      insert into invoice (id, serial, number, user_id, month, kind, exact_micro, total_micro, tax_micro, seller, customer_sealed, issued_at)
      values (v_id, v_serial, p_prefix || '-' || to_char(p_at at time zone 'UTC', 'YYYY') || '-' || lpad(v_serial::text, greatest(6, length(v_serial::text)), '0'),
        p_user_id, v_month, v_kind, v_exact, to_cent(v_exact), tax_in(to_cent(v_exact), coalesce((p_seller->>'tax_rate')::integer, 0)),
        p_seller, p_customer, p_at);
      insert into invoice_line
      select v_id, row_number() over (order by l.place), l.code, l.meter_id, l.label, l.words, l.detail, l.from_at, l.to_at,
        l.price_micro, l.amount_micro, l.movements, l.corrects
      from unnest(v_lines) l where (l.corrects is not null) = (v_kind = 'credit_note');
      return next v_id;
    end loop;
  end loop;
  update invoicing set month = p_month, transfer_id = coalesce(v_to, 0) where user_id = p_user_id;
end $$;

-- The same for many: those of them that nobody holds. Returns whose were looked through.
create function issue_due_invoices(p_users uuid[], p_customers bytea[], p_month date, p_at timestamptz, p_prefix text, p_seller jsonb)
returns uuid[] language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare v_users uuid[]; v_user uuid;
begin
  select array_agg(user_id order by id) into v_users from (
    select w.user_id, a.id from wallets w join ledger_account a on a.id = w.account_id
    where w.user_id = any(p_users) order by a.id for no key update of a skip locked) w;
  foreach v_user in array coalesce(v_users, '{}') loop
    perform issue_invoices(v_user, p_month, p_at, p_prefix, p_seller, p_customers[array_position(p_users, v_user)]);
  end loop;
  return coalesce(v_users, '{}');
end $$;
