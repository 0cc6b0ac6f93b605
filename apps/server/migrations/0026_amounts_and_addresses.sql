-- An amount as a person reads it, as `amountText` in packages/contracts/src/money.ts: two decimals, halves to even, and
-- every digit below one cent.
create function amount_text(p_micro bigint) returns text language sql immutable as $$
  select case when p_micro < 0 then '-' || amount_text(-p_micro)
    when p_micro between 1 and 9999 then rtrim(usd(p_micro), '0')
    else (((p_micro + 5000) / 10000 - case when p_micro % 20000 = 5000 then 1 else 0 end)::numeric / 100)::numeric(20, 2)::text end
$$;

-- An address that can have an account can write to us too: `maxEmailLength` is the one limit.
alter table site_inquiry drop constraint site_inquiry_email_check, add check (length(email) <= 255);
alter table site_subscription drop constraint site_subscription_email_check,
  add check (email = lower(email) and length(email) <= 255);
alter table site_waitlist drop constraint site_waitlist_email_check,
  add check (email = lower(email) and length(email) <= 255);
