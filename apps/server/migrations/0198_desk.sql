-- Staff are told of new tickets and of customers who ask for a person.
do $$
declare v record;
begin
  for v in
    select conname, pg_get_expr(conbin, conrelid) as expression from pg_constraint
    where conrelid = 'notice'::regclass and conname = 'notice_kind_check'
  loop
    execute format('alter table notice drop constraint %I, add constraint %1$I check (%s or kind in (''ticket_opened'', ''person_asked''))', v.conname, v.expression);
  end loop;
end $$;

-- How soon a person has answered lately.
create index support_tickets_answered on support_tickets (first_person_at) include (created_at) where first_person_at is not null;
