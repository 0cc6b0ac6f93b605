-- What carries this id on a container engine is found again by it, and by nothing else: it stays as it was drawn.

create trigger append_only before update or delete on installation for each row execute function refuse_change();
create trigger append_only_all before truncate on installation for each statement execute function refuse_change();

-- Append-only, with one exception: while an account is erased, the words of its own transfers (they hold the names its
-- owner gave to instances) may be replaced, and nothing else of them. (Here of tables too that know of no user.)
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'ledger_transfer'
    and current_setting('ingot.erasing', true) = to_jsonb(old) ->> 'user_id'
    and to_jsonb(new) - 'description' = to_jsonb(old) - 'description' then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'IN001';
end $$;

-- What a start waits for, and how far it is; null: nothing that could be told.
alter table gpu_instances add column progress jsonb check (jsonb_typeof(progress) = 'object' and octet_length(progress::text) <= 200);
