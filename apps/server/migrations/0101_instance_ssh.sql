-- How an instance is reached by SSH: a user name that is its own for life and no other's ever, and a password once its
-- owner asked for one.

-- Eight letters and digits that nobody mixes up, the first one a letter.
create function new_ssh_user() returns text language plpgsql as $$
declare v_bytes bytea; v_name text;
begin
  loop
    v_bytes := sha256(uuid_send(gen_random_uuid()));
    v_name := substr('abcdefghijkmnpqrstuvwxyz', 1 + get_byte(v_bytes, 0) % 24, 1);
    for i in 1..7 loop
      v_name := v_name || substr('abcdefghijkmnpqrstuvwxyz23456789', 1 + get_byte(v_bytes, i) % 32, 1);
    end loop;
    exit when not exists (select from gpu_instances where ssh_user = v_name);
  end loop;
  return v_name;
end $$;

alter table gpu_instances
  add column ssh_user text unique,
  add column ssh_password_sealed bytea;
update gpu_instances set ssh_user = new_ssh_user();
alter table gpu_instances
  alter column ssh_user set not null,
  alter column ssh_user set default new_ssh_user();

-- What it was reached with goes with it.
create function forget_ssh_password() returns trigger language plpgsql as $$
begin
  new.ssh_password_sealed := null;
  return new;
end $$;
create trigger forget_ssh_password before update on gpu_instances for each row
when (new.desired = 'deleted' and new.ssh_password_sealed is not null) execute function forget_ssh_password();

-- By which this installation is known to SSH clients, made when it is first needed.
create table ssh_host_key (
  one boolean primary key default true check (one),
  private_key_sealed bytea not null,
  created_at timestamptz not null default now()
);
