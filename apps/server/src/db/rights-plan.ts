/**
 * What the list of rights still asks for, as statements, read from the catalogue: none where everything is as it should
 * be. So nothing is remembered beside the rights themselves, and whatever changed them is put right: a migration that
 * made a function anew (`create or replace` keeps its owner and grants, but neither `security definer` nor its
 * `search_path`), a new table, a grant by hand.
 */
import type pg from 'pg'
import { moneyFunctions, protectedTables } from './rights.ts'

export interface Roles {
  /** Owns the functions that write protected tables; nobody logs in as it. */
  readonly money: string
  /** The server connects as it. */
  readonly server: string
}

/** The schema of temporary objects comes last: where it is not named it is searched first. */
export const searchPath = 'pg_catalog, public, pg_temp'

const writes = 'select, insert, update, delete'
const writesOf = (role: string) =>
  `(select bool_and(has_table_privilege(${role}, t.oid, p)) from unnest(string_to_array('${writes}', ', ')) p)`

/** `protected.columns` are null where the server may write the table; `adds`: it may insert rows, and change none. */
const ofTables = `
  select concat_ws('; ',
    case when not ${writesOf('r.money')} then format('grant ${writes} on %s to %I', name, r.money) end,
    case when t.columns is null and not ${writesOf('r.server')} then format('grant ${writes} on %s to %I', name, r.server) end,
    case when t.columns is not null and not (may.read and may.add = adds and not may.more and may.columns = wanted.columns)
      then concat_ws('; ',
        format('revoke all on %s from public, %I', name, r.server),
        format('grant select on %s to %I', name, r.server),
        case when adds then format('grant insert on %s to %I', name, r.server) end,
        case when wanted.columns <> '{}' then format('grant update (%s) on %s to %I',
          (select string_agg(quote_ident(c), ', ') from unnest(wanted.columns) c), name, r.server) end) end)
  from roles r, (
    select t.oid, t.oid::regclass as name, p.columns, p.adds from pg_class t left join protected p on p.name = t.relname
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')) t,
  lateral (
    select has_table_privilege(r.server, t.oid, 'select') as read,
      has_any_column_privilege(r.server, t.oid, 'insert') as add,
      has_table_privilege(r.server, t.oid, 'update, delete, truncate, references, trigger') as more,
      array(select attname::text from pg_attribute
        where attrelid = t.oid and attnum > 0 and not attisdropped
          and has_column_privilege(r.server, t.oid, attnum, 'update, references')
        order by attname) as columns) may,
  lateral (
    select array(select attname::text from pg_attribute
      where attrelid = t.oid and not attisdropped and attname = any(t.columns) order by attname) as columns) wanted`

const ofFunctions = `
  select concat_ws('; ',
    case when f.proowner <> r.money_id then format('alter routine %s owner to %I', name, r.money) end,
    case when is_entry and (not f.prosecdef or f.proconfig is distinct from array['search_path=' || r.path])
      then format('alter routine %s security definer set search_path = %s', name, r.path) end,
    case when not is_entry and (f.prosecdef or f.proconfig is not null)
      then format('alter routine %s security invoker reset all', name) end,
    case when is_public or is_servers <> is_entry then concat_ws('; ',
      format('revoke all on routine %s from public, %I', name, r.server),
      case when is_entry then format('grant execute on routine %s to %I', name, r.server) end) end)
  from roles r, (
    select f.*, f.oid::regprocedure as name, l.caller = 'server' as is_entry
    from pg_proc f join listed l on l.name = f.proname where f.pronamespace = 'public'::regnamespace) f,
  lateral (
    select coalesce(bool_or(grantee = 0), false) as is_public,
      coalesce(bool_or(grantee = r.server_id), false) as is_servers
    from aclexplode(coalesce(f.proacl, acldefault('f', f.proowner)))) granted
  union all
  select format('alter routine %s security invoker reset all; alter routine %1$s owner to current_user', f.oid::regprocedure)
  from roles r, pg_proc f
  where f.pronamespace = 'public'::regnamespace and f.proowner = r.money_id and f.proname <> all (select name from listed)`

/** Numbers of a sequence that is no column's own, views, partitions that are emptied as a whole, and the schema itself. */
const ofTheRest = `
  select format('grant truncate on %s to %I', t.oid::regclass, r.server) from roles r, pg_class t
  where t.relnamespace = 'public'::regnamespace and t.relispartition and t.relkind = 'r'
    and not has_table_privilege(r.server, t.oid, 'truncate')
  union all
  select format('grant usage on sequence %s to %I, %I', s.oid::regclass, r.money, r.server) from roles r, pg_class s
  where s.relnamespace = 'public'::regnamespace and s.relkind = 'S'
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = s.oid and d.deptype = 'i')
    and not (has_sequence_privilege(r.money, s.oid, 'usage') and has_sequence_privilege(r.server, s.oid, 'usage'))
  union all
  select format('grant select on %s to %I, %I', v.oid::regclass, r.money, r.server) from roles r, pg_class v
  where v.relnamespace = 'public'::regnamespace and v.relkind = 'v'
    and not (has_table_privilege(r.money, v.oid, 'select') and has_table_privilege(r.server, v.oid, 'select'))
  union all
  select format('revoke create on schema public from public, %I', r.server) from roles r
  where has_schema_privilege(r.server, 'public', 'create')
  union all
  select format('grant usage on schema public to %I, %I', r.money, r.server) from roles r
  where not has_schema_privilege(r.money, 'public', 'usage') or not has_schema_privilege(r.server, 'public', 'usage')
  union all
  select format('grant connect on database %I to %I', current_database(), r.server) from roles r
  where not has_database_privilege(r.server, current_database(), 'connect')`

const plan = `
  with roles as (
      select money, server, path, to_regrole(quote_ident(money)) as money_id, to_regrole(quote_ident(server)) as server_id
      from (values ($1::text, $2::text, $3::text)) _ (money, server, path)),
    protected as (select * from jsonb_to_recordset($4) as _(name text, columns text[], adds boolean)),
    listed as (select * from jsonb_to_recordset($5) as _(name text, caller text))
  select statement from (${ofTables} union all ${ofFunctions} union all ${ofTheRest}) as _ (statement) where statement <> ''`

export async function planRights(client: pg.ClientBase, { money, server }: Roles): Promise<string[]> {
  const tables = Object.entries(protectedTables).map(([name, { columns = [], adds = false }]) => ({
    name,
    columns,
    adds,
  }))
  const functions = Object.entries(moneyFunctions).map(([name, [caller]]) => ({ name, caller }))
  const { rows } = await client.query<{ statement: string }>(plan, [
    money,
    server,
    searchPath,
    JSON.stringify(tables),
    JSON.stringify(functions),
  ])
  return rows.map(row => row.statement)
}
