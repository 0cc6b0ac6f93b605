-- One role per user: where somebody had two, the stronger one stays. Who has none is a user.
delete from user_roles weaker
where role = 'moderator' and exists (select from user_roles where user_id = weaker.user_id and role = 'admin');
alter table user_roles drop constraint user_roles_pkey, add primary key (user_id);
