/** Roles belong to the whole PostgreSQL: each test makes a database and users of its own, and takes them away again. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { migrate } from './migrate.ts'
import { planRights } from './rights-plan.ts'
import { openServerRole, rolesOf } from './server-role.ts'
import { withDatabase, withLogin } from './url.ts'

let cluster: pg.Client
let name: string
/** As the user of DATABASE_URL, who owns the database. */
let url: string
const roles = () => rolesOf(name)

beforeEach(async () => {
  cluster = new pg.Client({ connectionString: inject('clusterUrl') })
  await cluster.connect()
  name = `t_${randomBytes(8).toString('hex')}`
  await cluster.query(`create role ${name} login password 'own'`)
  await cluster.query(`create database ${name} owner ${name}`)
  url = withLogin(withDatabase(inject('clusterUrl'), name), name, 'own')
})
afterEach(async () => {
  await cluster.query(`drop database ${name} with (force)`)
  for (const role of [name, roles().money, roles().server]) await cluster.query(`drop role if exists ${role}`)
  await cluster.end()
})

async function ask<Row extends pg.QueryResultRow>(at: string, statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: at })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
const denied = { code: '42501' }
const take = "update ledger_account set kind = 'custody' where false"
const useMoney = "select credit_wallet(gen_random_uuid(), 0, '', gen_random_uuid(), now())"

async function openPlanned(): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await planRights(client, roles())
  } finally {
    await client.end()
  }
}

test('a user who may create roles gets a role that logs in by itself; a second start changes nothing; a later migration by the same user works', async () => {
  await cluster.query(`alter role ${name} createrole`)
  await migrate(url)
  const first = await openServerRole(url, 'secret')
  expect(first).toEqual({ url: expect.stringContaining(`${name}_server:secret@`) as string, lost: null })
  expect(await ask(first.url, 'select session_user::text as session, current_user::text as now')).toEqual([
    { session: roles().server, now: roles().server },
  ])
  await expect(ask(first.url, take)).rejects.toMatchObject(denied)
  await expect(ask(first.url, `set role ${name}`)).rejects.toMatchObject(denied)
  expect(await openPlanned()).toEqual([])
  expect(await openServerRole(url, 'secret')).toEqual(first)

  // As a migration does. What it makes anew loses `security definer` and is anybody's to call until the step comes.
  await ask(
    url,
    `create or replace function lock_wallet(p_user_id uuid) returns bigint language sql as 'select 1::bigint';
     drop function set_meter_label; create function set_meter_label(p_meter uuid, p_label text) returns void language sql as '';
     create table later (id int primary key)`,
  )
  expect(await openPlanned()).toHaveLength(3)
  expect(await openServerRole(url, 'secret')).toEqual(first)
  expect(await openPlanned()).toEqual([])
  expect(await ask(first.url, 'select lock_wallet(null), set_meter_label(null, null)')).toHaveLength(1)
  await ask(first.url, 'insert into later values (1)')
})

test('another secret is another password, and the old one is worth nothing', async () => {
  await cluster.query(`alter role ${name} createrole`)
  await migrate(url)
  const { url: old } = await openServerRole(url, 'secret')
  const { url: fresh, lost } = await openServerRole(url, 'another')
  expect(lost).toBeNull()
  expect(await ask(fresh, 'select 1 as one')).toEqual([{ one: 1 }])
  await expect(ask(old, 'select 1')).rejects.toMatchObject({ code: '28P01' })
})

test('a user who is a member of roles that are there takes one of them for each session, which can be left again: the server says so', async () => {
  const { money, server } = roles()
  await cluster.query(`create role ${money}; create role ${server}; grant ${money}, ${server} to ${name}`)
  await migrate(url)
  const role = await openServerRole(url, 'secret')
  expect(role.lost).toMatch(/could leave it again.* docs\/operations\.md/)
  expect(await ask(role.url, "select current_user::text as now, current_setting('role') as role")).toEqual([
    { now: server, role: server },
  ])
  await expect(ask(role.url, take)).rejects.toMatchObject(denied)
  await expect(ask(role.url, `reset role; ${take}`)).rejects.toMatchObject(denied)
  await ask(role.url, `set role none; ${take}`)
})

test('a user who may neither create roles nor is a member stays the owner, and the server says what is lost', async () => {
  await migrate(url)
  const role = await openServerRole(url, 'secret')
  expect(role.url).toBe(url)
  expect(role.lost).toMatch(
    /was not made \(permission denied to create role\).*balances.*docs\/operations\.md/,
  )
  await ask(role.url, take)
  await expect(ask(role.url, useMoney)).rejects.toMatchObject({ code: '23503' })
})

test.each([
  ['the user of DATABASE_URL', 'createrole', (role: string) => `alter database ${name} owner to ${role}`],
  ['a superuser', 'superuser', () => 'select'],
  ['a member of the owner', '', (role: string) => `grant ${name} to ${role}`],
])(
  'a role of that name that is %s is left as it is, and is not what protects money',
  async (who, right, make) => {
    const { server } = roles()
    const itself = withLogin(url, server, 'its own')
    await cluster.query(
      `alter role ${name} superuser; create role ${server} login password 'its own' ${right}`,
    )
    await cluster.query(make(server))
    const owner = who === 'the user of DATABASE_URL' ? itself : url
    await migrate(owner)
    const role = await openServerRole(owner, 'secret')
    expect(role).toEqual({
      url: owner,
      lost: expect.stringMatching(/was not made .*_server was there.*could change balances/),
    })
    expect(await ask(itself, "select prosecdef from pg_proc where proname = 'lock_wallet'")).toEqual([
      { prosecdef: false },
    ])
  },
)

test('two servers that start at once make one role, and both get in', async () => {
  await cluster.query(`alter role ${name} createrole`)
  await migrate(url)
  const both = await Promise.all([openServerRole(url, 'secret'), openServerRole(url, 'secret')])
  expect(both.map(role => role.lost)).toEqual([null, null])
})

test('names of roles fit, however long the name of the database is', () => {
  const { money, server } = rolesOf('ä'.repeat(31))
  expect(Buffer.byteLength(money)).toBeLessThan(63)
  expect(money).not.toBe(server)
  expect(rolesOf('ingot')).toEqual({ money: 'ingot_money', server: 'ingot_server' })
})
