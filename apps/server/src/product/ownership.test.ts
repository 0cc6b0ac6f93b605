import { existsSync, readdirSync } from 'node:fs'
import { api } from '@ingot/contracts/api'
import { inQuery, type Operation, pathKeys } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { toJSONSchema } from 'zod/v4/core'
import type { RowMakers } from '../http/test-owner.ts'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, useTestServer } from './test-server.ts'

const server = useTestServer({ worker: false })
const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])
const ofOwner = (op: Operation): boolean => op.who === 'user' || op.who === 'session'
const ofOneRow = operations.filter(op => ofOwner(op) && pathKeys(op.path).length)

/** By the first segment of the path, from the `test-rows.ts` of each room. A new noun fails here until it has one. */
const source = new URL('..', import.meta.url)
const files = readdirSync(source).map(room => new URL(`${room}/test-rows.ts`, source))
const found = await Promise.all(
  files.filter(existsSync).map(file => import(file.href) as Promise<{ rows: RowMakers }>),
)
const makers: RowMakers = Object.assign({}, ...found.map(({ rows }) => rows))

function rowOf(op: Operation, owner: TestUser): Promise<string> {
  const segment = op.path.split('/')[2]!
  const make = makers[segment]
  if (!make) throw new Error(`no test-rows.ts makes a row for /v1/${segment}/{id}`)
  return make({ ...owner, db: server.owner, signIn: () => server.signIn(owner.id) })
}

const someSchedule = { action: 'stop' as const, time: '20:00', weekdays: [5 as const], time_zone: 'UTC' }
/** What stands in a path behind the row, and is a part of it. */
const parts: Record<string, (owner: TestUser, id: string) => Promise<string>> = {
  offset: async () => '0',
  schedule_id: async ({ client }, id) => (await client.instances.createSchedule({ id, ...someSchedule })).id,
}

/** A body that passes the schema, so that ownership and not validation answers. */
function bodyFor(op: Operation): Record<string, unknown> {
  const schema = toJSONSchema(op.input, { target: 'draft-7', io: 'input' }) as { required?: string[] }
  const known: Record<string, unknown> = {
    terminal_id: 'a',
    path: '/x',
    to: '/y',
    bytes: 10,
    url: 'https://files.example/x',
    sha256: '0'.repeat(64),
    name: 'x',
    port: 8888,
    size_gb: 60,
    status: 'resolved',
    content: 'x',
    seq: 1,
    instance_id: '01980000-0000-7000-8000-0000000000fe',
    until: new Date(Date.now() + 3_600_000).toISOString(),
    ...someSchedule,
  }
  return Object.fromEntries(
    (schema.required ?? []).filter(key => !pathKeys(op.path).includes(key)).map(key => [key, known[key]]),
  )
}

describe('another user’s row is 404 on every route, like one that never existed', () => {
  test('the contract has such routes', () => expect(ofOneRow.length).toBeGreaterThanOrEqual(8))

  /** Nobody’s role opens somebody else’s row on the calls of users. */
  const strangers: string[] = []
  beforeAll(async () => {
    for (const role of ['user', 'moderator', 'admin']) {
      const { id, token } = await server.user('25')
      const { database } = server.services
      if (role !== 'user')
        await sql`insert into user_roles (user_id, role) values (${id}, ${role})`.execute(database.kysely)
      strangers.push(token)
    }
  })

  test.each(ofOneRow.map(op => [`${op.method} ${op.path}`, op] as const))('%s', async (_, op) => {
    const owner = await server.user('25')
    const id = await rowOf(op, owner)
    let path: string = op.path
    for (const key of pathKeys(op.path).slice(1))
      if (parts[key]) path = path.replace(`{${key}}`, await parts[key](owner, id))
    const ask = async (token: string, rowId: string) => {
      const fields = bodyFor(op)
      const body = inQuery(op) ? undefined : JSON.stringify(fields)
      const query = inQuery(op) ? `?${new URLSearchParams(fields as Record<string, string>)}` : ''
      const response = await server.fetch(path.replace(/\{\w+\}/, rowId).replace('{port}', '8888') + query, {
        method: op.method,
        token,
        body,
      })
      return { status: response.status, body: (await response.text()).replace(/"request_id":"[^"]+"/, '') }
    }
    for (const token of strangers) {
      const foreign = await ask(token, id)
      expect(foreign.status).toBe(404)
      expect(foreign).toEqual(await ask(token, '01980000-0000-7000-8000-0000000000ff'))
    }
    expect((await ask(owner.token, id)).status).not.toBe(404)
  })
})

describe('lists show their owner’s rows only', () => {
  const lists = operations.filter(op => ofOwner(op) && op.method === 'GET' && !pathKeys(op.path).length)
  test.each(lists.map(op => [`${op.method} ${op.path}`, op] as const))('%s', async (_, op) => {
    const owner = await server.user('25')
    const stranger = await server.user('0')
    const { id } = await owner.client.instances.create(a40({ start: false, name: 'secret-name' }))
    const { masked } = await owner.client.accounts.generateApiKey({ name: 'secret-name' })
    const text = await (await server.fetch(op.path, { token: stranger.token })).text()
    expect(text).not.toContain(id)
    expect(text).not.toContain(owner.id)
    expect(text).not.toContain('secret-name')
    expect(text).not.toContain(owner.sessionId)
    expect(text).not.toContain(masked)
  })
})

describe('who calls', () => {
  test('signing out ends it with the next request', async () => {
    const { client, token, id } = await server.user('25')
    await client.wallet.get()
    await server.services.database.kysely.deleteFrom('auth_session').where('user_id', '=', id).execute()
    expect((await server.fetch('/v1/wallet', { token })).status).toBe(401)
  })
})
