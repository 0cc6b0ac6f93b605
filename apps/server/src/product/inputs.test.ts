import { createHash } from 'node:crypto'
import { api } from '@ingot/contracts/api'
import { inputSchemas } from '@ingot/contracts/json-schema'
import { needsCaller, type Operation } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { a40 } from '../instances/test-rows.ts'
import { useTestServer } from './test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])
const pathOf = (op: Operation) =>
  op.path
    .replace('{port}', '8888')
    .replace('{offset}', '0')
    .replace(/\{\w+\}/g, '01980000-0000-7000-8000-0000000000ff')

describe('a call that documents no body works without one', () => {
  const bodyless = operations.filter(
    op =>
      op.method !== 'GET' &&
      needsCaller(op.who) &&
      !Object.keys(inputSchemas(op).body?.properties ?? {}).length &&
      // Without a query neither.
      !inputSchemas(op).querystring?.required?.length,
  )
  const json = { 'content-type': 'application/json' }
  const bodies: readonly (readonly [string, () => RequestInit])[] = [
    ['no body', () => ({})],
    ['no body, and a JSON content type', () => ({ headers: json })],
    ['no body, and the content type of a form', () => ({ body: new URLSearchParams() })],
    ['an empty body in chunks', () => ({ body: new Blob([]).stream(), duplex: 'half' })],
    ['an empty object', () => ({ body: '{}' })],
  ]

  test('the contract has such calls', () => expect(bodyless.length).toBeGreaterThanOrEqual(8))
  test.each(
    bodyless.flatMap(op =>
      bodies.map(([what, init]) => [`${op.method} ${op.path}`, what, op, init] as const),
    ),
  )('%s with %s', async (_, __, op, init) => {
    const { token } = await server.user()
    const request = { method: op.method, token, ...init() }
    const response = await server.fetch(pathOf(op), request)
    expect([op.status, 403, 404]).toContain(response.status)
  })

  test.each(['start', 'stop', 'restart', 'clone'])('POST …/%s without a body does it', async act => {
    const user = await server.user('25')
    const { id } = await user.client.instances.create(a40({ start: false }))
    const response = await server.fetch(`/v1/instances/${id}/${act}`, { method: 'POST', token: user.token })
    // A machine that never ran may be started and cloned; the others are refused by its status, not by its body.
    expect(response.status).toBe(act === 'start' || act === 'clone' ? { start: 202, clone: 201 }[act] : 409)
  })

  test('a call that needs fields names them when there is no body', async () => {
    const { token } = await server.user()
    const path = '/v1/instances/01980000-0000-7000-8000-0000000000ff/terminal'
    const response = await server.fetch(path, { method: 'POST', token })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      error: { code: 'validation_failed', fields: { terminal_id: 'is required' } },
    })
  })
})

describe('text that cannot be stored is refused with its field', () => {
  test.each([
    ['NUL', 'a\0b'],
    ['the first half of a pair', 'a\ud800'],
    ['the second half of a pair', '\udfffb'],
  ])('%s', async (_, name) => {
    const { token } = await server.user('25')
    const send = (path: string, body: object) =>
      server.fetch(path, { method: 'POST', token, body: JSON.stringify(body) })
    const answers = [
      await send('/v1/api-key', { name }),
      await send('/v1/instances', a40({ name })),
      await server.fetch(`/v1/instances?search=${name.includes('\0') ? 'a%00b' : '%ed%a0%80'}`, { token }),
    ]
    expect(answers.map(({ status }) => status).slice(0, 2)).toEqual([422, 422])
    expect(await answers[0]!.json()).toMatchObject({
      error: { fields: { name: 'holds characters that cannot be stored' } },
    })
    expect(answers[2]!.status).toBeLessThan(500)
  })

  test('in the name of a field, too', async () => {
    const { token } = await server.user()
    const body = JSON.stringify({ name: 'x', 'a\0': 1 })
    const response = await server.fetch('/v1/api-key', { method: 'POST', token, body })
    expect(response.status).toBe(422)
  })

  test('whole pairs, accents and every other character are kept as they are', async () => {
    const { client } = await server.user()
    const name = 'Zoë 👩🏽‍💻 \u2028 ﷽'
    await client.accounts.generateApiKey({ name })
    expect((await client.accounts.apiKey()).key!.name).toBe(name)
  })
})

describe('a cursor of another form is refused with its field', () => {
  const lists = operations.filter(
    op => op.method === 'GET' && 'cursor' in op.input.shape && needsCaller(op.who),
  )
  const malformed = [
    'x',
    '-'.repeat(36),
    '|',
    `9999-99-99T99:99:99.999Z|${'0'.repeat(36)}`,
    '%00',
    '9'.repeat(19),
    'NaN',
    '1e3',
  ]

  /** What such a call needs beside. */
  const rest: Readonly<Record<string, string>> = {
    previewPrice: '&gpu_type=A40&hourly=1&three_months=500&year=1000',
  }

  test('the contract has lists in pages', () => expect(lists.length).toBeGreaterThanOrEqual(5))
  test.each(lists.flatMap(op => malformed.map(cursor => [op.path, cursor, op] as const)))(
    'GET %s?cursor=%s',
    async (_, cursor, op) => {
      const { id, token } = await server.user()
      await sql`insert into user_roles (user_id, role) values (${id}, 'admin')`.execute(db())
      const response = await server.fetch(`${pathOf(op)}?cursor=${cursor}${rest[op.id] ?? ''}`, { token })
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({
        error: { code: 'validation_failed', fields: { cursor: expect.any(String) } },
      })
    },
  )
})

describe('an Idempotency-Key', () => {
  const send = (token: string, body: string) =>
    server.fetch('/v1/instances', { method: 'POST', token, body, headers: { 'idempotency-key': 'one' } })

  test('names the same write whatever the order of its fields', async () => {
    const { token, client } = await server.user('25')
    const input = a40({ start: false })
    const first = await (await send(token, JSON.stringify(input))).json()
    const turned = JSON.stringify(Object.fromEntries(Object.entries(input).toReversed()))
    const second = await send(token, turned)
    expect(second.status).toBe(201)
    expect(await second.json()).toEqual(first)
    expect((await client.instances.list({})).items).toHaveLength(1)
  })

  test('that was kept before fields had one order still names its write', async () => {
    const { token } = await server.user()
    const input = { last_name: 'Lovelace', first_name: 'Ada' }
    const send = () =>
      server.fetch('/v1/profile', {
        method: 'PATCH',
        token,
        body: JSON.stringify(input),
        headers: { 'idempotency-key': 'earlier' },
      })
    expect((await send()).status).toBe(200)
    const asSent = createHash('sha256')
      .update(JSON.stringify(['updateProfile', input]))
      .digest()
    await sql`update idempotency set input_hash = ${asSent} where key = 'earlier'`.execute(db())
    expect((await send()).status).toBe(200)
  })

  test('with another value is refused', async () => {
    const { token } = await server.user('25')
    await send(token, JSON.stringify(a40({ start: false })))
    expect((await send(token, JSON.stringify(a40({ start: false, name: 'other' })))).status).toBe(409)
  })
})

test('a body that a call has no use for is not read, however deep it is', async () => {
  const { token } = await server.user()
  const answer = await server.fetch(`/v1/instances/${newId()}`, {
    method: 'DELETE',
    token,
    headers: { 'content-type': 'application/json', 'idempotency-key': newId() },
    body: '['.repeat(100_000) + ']'.repeat(100_000),
  })
  expect(answer.status).toBe(404)
})
