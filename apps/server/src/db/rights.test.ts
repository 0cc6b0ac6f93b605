import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from './database.ts'
import { newId } from './ids.ts'
import { moneyFunctions, protectedTables } from './rights.ts'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

interface Routine {
  readonly name: string
  readonly text: string
}

/** Functions of ours that need rights on money, by their text, and are not listed; each with why. */
async function findUnlisted(db: Db): Promise<string[]> {
  const { rows } = await sql<Routine>`
    select proname as name, pg_get_functiondef(oid) as text from pg_proc
    where pronamespace = 'public'::regnamespace and prokind in ('f', 'p') order by 1`.execute(db)
  const tables = Object.keys(protectedTables).join('|')
  const kept = Object.entries(moneyFunctions).flatMap(([name, [caller]]) => (caller === 'server' ? [] : name))
  const signs: readonly [why: string, sign: RegExp][] = [
    [
      'writes',
      new RegExp(`(into|update|delete from|truncate|lock table) +(only +)?(public\\.)?(${tables})\\b`),
    ],
    ['locks', new RegExp(`\\b(${tables})\\b[^;]*\\bfor (no key update|update|share|key share)\\b`)],
    ['calls', new RegExp(`\\b(${kept.join('|')}) *\\(`)],
    ['runs what it is given', /\bexecute\b(?! function)/],
  ]
  return rows.flatMap(({ name, text }) => {
    if (name in moneyFunctions) return []
    const [head, ...body] = text
      .replaceAll(/--.*$/gm, '')
      .toLowerCase()
      .split(/as \$\w*\$/)
    return signs
      .filter(([, sign]) => sign.test((body.length ? body.join('') : head!).replaceAll(/\s+/g, ' ')))
      .map(([why]) => `${name} ${why}`)
  })
}

describe('the list and the catalogue', () => {
  test('a function that writes or locks a protected table, or calls one that does, is in the list', async () => {
    expect(await findUnlisted(database.kysely), 'add it to rights.ts').toEqual([])
  })

  test('what is in the list is there', async () => {
    const { rows } = await sql<{ name: string }>`
      select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      union all select proname::text from pg_proc where pronamespace = 'public'::regnamespace`.execute(
      database.kysely,
    )
    const names = new Set(rows.map(row => row.name))
    const listed = [...Object.keys(protectedTables), ...Object.keys(moneyFunctions)]
    expect(
      listed.filter(name => !names.has(name)),
      'take it out of rights.ts',
    ).toEqual([])
  })

  test('a table that nobody may change is in the list', async () => {
    const { rows } = await sql<{ name: string }>`
      select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where t.tgfoid = 'refuse_change'::regproc`.execute(database.kysely)
    expect(Object.keys(protectedTables)).toEqual(expect.arrayContaining(rows.map(row => row.name)))
    expect(rows.length).toBeGreaterThan(2)
  })

  test('such a function is found when it is new', async () => {
    await using fresh = await createTestDatabase({ as: 'owner' })
    await sql`
      create function gift(p uuid) returns void language sql as 'update ledger_account set balance_micro = 1 where owner = p';
      create function wait_for(p uuid) returns void language sql as 'select 1 from wallets where user_id = p for update';
      create function pay(p uuid) returns text language sql as 'select credit_wallet(p, 1, '''', p, now())';
      create function run(p text) returns void language plpgsql as 'begin execute p; end';
      create procedure tidy() language sql begin atomic delete from usage_line; end`.execute(fresh.kysely)
    expect(await findUnlisted(fresh.kysely)).toEqual([
      'gift writes',
      'pay calls',
      'run runs what it is given',
      'tidy writes',
      'wait_for locks',
    ])
  })

  test('what runs with the rights of another is the owner of money’s, has a search path of its own, and nobody else may call it', async () => {
    const { rows } = await sql<{
      name: string
      owner: string
      path: string[] | null
      callers: string[]
    }>`
      select proname as name, pg_get_userbyid(proowner) as owner, proconfig as path, array(
        select case when grantee = 0 then 'public' else pg_get_userbyid(grantee) end
        from aclexplode(coalesce(proacl, acldefault('f', proowner))) order by 1)::text[] as callers
      from pg_proc where prosecdef and pronamespace <> 'pg_catalog'::regnamespace order by 1`.execute(
      database.kysely,
    )
    expect(rows.length).toBeGreaterThan(10)
    for (const row of rows) {
      expect(row).toEqual({
        name: row.name,
        owner: expect.stringMatching(/_money$/) as string,
        path: ['search_path=pg_catalog, public, pg_temp'],
        callers: [expect.stringMatching(/_money$/), expect.stringMatching(/_server$/)] as string[],
      })
      expect(moneyFunctions[row.name]?.[0]).toBe('server')
    }
  })

  test('neither role has any other right: no membership, nothing of its own, no log-in of the owner', async () => {
    const { rows } = await sql`
      select rolname ~ '_server$' as logs_in, rolcanlogin, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as may,
        (select count(*)::int from pg_auth_members where member = r.oid) as member_of,
        (select count(*)::int from pg_class where relowner = r.oid) as tables,
        has_schema_privilege(r.oid, 'public', 'create') or has_database_privilege(r.oid, current_database(), 'create') as makes
      from pg_roles r where rolname like 'ingot\\_template\\_%' order by 1`.execute(database.kysely)
    expect(rows).toEqual(
      [false, true].map(logs_in => ({
        logs_in,
        rolcanlogin: logs_in,
        may: false,
        member_of: 0,
        tables: 0,
        makes: false,
      })),
    )
  })
})

const denied = '42501'
/** What PostgreSQL says to the server; nothing of it stays. */
async function answer(...statements: readonly string[]): Promise<string> {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    for (const statement of statements) await client.query(statement)
    return 'done'
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await client.query('rollback')
    client.release()
  }
}

describe('as the server', () => {
  test('protected tables are read; only the columns that the list names are written', async () => {
    const { rows } = await sql<{ table: string; columns: string[] }>`
      select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by 1 order by 1`.execute(
      database.kysely,
    )
    const written: string[] = []
    for (const { table, columns } of rows) {
      const rule = protectedTables[table]
      expect(await answer(`select from ${table}`)).toBe('done')
      // What is kept for a time only is emptied a partition at a time.
      const isPartition = /^metric_block_\d+$/.test(table)
      expect(await answer(`truncate ${table} cascade`), table).toBe(isPartition ? 'done' : denied)
      expect(await answer(`delete from ${table} where false`), table).toBe(rule ? denied : 'done')
      const inserted = await answer(`insert into ${table} default values`)
      expect(inserted === denied, table).toBe(Boolean(rule && !rule.adds))
      if (!rule) continue
      for (const column of columns)
        if ((await answer(`update ${table} set ${column} = default where false`)) !== denied)
          written.push(`${table}.${column}`)
    }
    const allowed = Object.entries(protectedTables).flatMap(([table, { columns = [] }]) =>
      columns.map(column => `${table}.${column}`),
    )
    expect(written.toSorted()).toEqual(allowed.toSorted())
    const { rows: views } = await sql<{ name: string }>`
      select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
        and has_table_privilege(oid, 'insert, update, delete')`.execute(database.kysely)
    expect(views, 'a view writes with the rights of its owner').toEqual([])
  })

  test.each([
    ['take the role of the owner of money', 'set role ingot_template_money'],
    ['take that of the owner of all', 'set role ingot'],
    ['sign in as another', 'set session authorization ingot'],
    ['switch triggers off', 'alter table ledger_transfer disable trigger all'],
    ['switch them off for the session', 'set session_replication_role = replica'],
    ['drop one', 'drop trigger append_only on ledger_transfer'],
    ['hang one up', 'create trigger t before insert on ledger_transfer execute function refuse_change()'],
    ['write a rule', 'create rule r as on insert to ledger_transfer do nothing'],
    ['drop a table', 'drop table usage_line'],
    ['take a check away', 'alter table ledger_account drop constraint ledger_account_check1'],
    [
      'give itself rights',
      'grant all on ledger_account to ingot_template_server; update ledger_account set balance_micro = 1',
    ],
    ['rise', 'alter role ingot_template_server superuser'],
    [
      'move money past the rules',
      "select ledger_post(gen_random_uuid(), 3, 100, 1, 'credit', null, null, '', now())",
    ],
    ['make money', "select credit_wallet(gen_random_uuid(), 1, '', gen_random_uuid(), now())"],
    ['change a function', 'alter function ledger_post security definer'],
    [
      'take its place',
      'create or replace function usd(p_micro bigint) returns text language sql as $$ select $$',
    ],
    ['put one beside it', 'create function public.usd(p integer) returns text language sql as $$ select $$'],
    [
      'put an operator beside its own',
      'create operator public.- (function = int8mi, leftarg = bigint, rightarg = bigint)',
    ],
    ['put a table beside its own', 'create table public.t ()'],
    ['make a schema to search', 'create schema s'],
    ['set what all sessions search', 'alter database ingot_template set search_path = pg_temp'],
    ['change the server', 'select pg_reload_conf()'],
    ['read the machine’s files', "copy schema_migration from '/etc/passwd'"],
    ['run a program', "copy (select 1) to program 'true'"],
  ])('it may not %s', async (_, statement) => {
    expect(await answer(statement)).toBe(denied)
  })

  test('it may not change a description, however it says that an account is erased', async () => {
    const [userId, idem] = [newId(), newId()]
    await sql`insert into auth_user (id) values (${userId})`.execute(database.kysely)
    await sql`select credit_wallet(${userId}, 1, 'gift', ${idem}, now())`.execute(database.owner.kysely)
    const setting = `set local ingot.erasing = '${userId}'`
    const update = `update ledger_transfer set description = 'other' where idem = '${idem}'`
    expect(await answer(setting, update)).toBe(denied)
  })
})

test('what a session puts in the way of a function is not found by it', async () => {
  const [userId, meterId] = [newId(), newId()]
  await sql`insert into auth_user (id) values (${userId})`.execute(database.kysely)
  await sql`select credit_wallet(${userId}, 5000000, 'gift', ${newId()}, now())`.execute(
    database.owner.kysely,
  )
  const client = await database.pool.connect()
  const charge = (meter: string) =>
    client.query("select public.deploy_charge($1, $2, 'box', 1000000, 1000000, null, 'box: setup', now())", [
      userId,
      meter,
    ])
  try {
    for (const table of ['ledger_account', 'ledger_transfer', 'wallets', 'meter', 'usage_line'])
      await client.query(`create temp table ${table} (like public.${table} including all)`)
    await client.query(`
      create function pg_temp.usd(bigint) returns text language plpgsql as $$ begin raise 'theirs'; end $$;
      create function pg_temp.minus(bigint, bigint) returns bigint language plpgsql as $$ begin raise 'theirs'; end $$;
      create operator pg_temp.- (function = pg_temp.minus, leftarg = bigint, rightarg = bigint)`)
    await client.query('set search_path = pg_temp, public')
    await charge(meterId)
    await client.query("set search_path = ''")
    await charge(newId())
    const { rows } = await client.query(
      `
      select (select balance_micro from public.ledger_account where kind = 'wallet' and owner = $1) as balance,
        (select count(*)::int from public.meter where user_id = $1) as meters,
        (select count(*)::int from pg_temp.meter) + (select count(*)::int from pg_temp.ledger_transfer) as theirs`,
      [userId],
    )
    expect(rows).toEqual([{ balance: 3_000_000n, meters: 2, theirs: 0 }])
  } finally {
    client.release(true)
  }
})
