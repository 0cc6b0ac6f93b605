import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { DriverName } from '../config.ts'
import { a40 } from '../instances/test-rows.ts'
import { until, useTestServer } from '../product/test-server.ts'

const server = useTestServer({
  drivers: now =>
    new Map([
      [
        'simulated' as DriverName,
        createSimulatedDriver({
          dir: null,
          now,
          startMs: 0,
          stopMs: 0,
          wait: (_ms, then) => (setImmediate(then), () => {}),
        }),
      ],
    ]),
})
const db = () => server.services.database.kysely
const status = async (token: string) => (await server.fetch('/v1/wallet', { token })).status

/** An event stream; `ended` resolves to how many ms after `since` it ended. */
async function openStream(token: string) {
  const response = await server.fetch('/v1/events', { token })
  expect(response.status).toBe(200)
  const reader = response.body!.getReader()
  const ended = (async () => {
    for (;;) if ((await reader.read()).done) return Date.now()
  })()
  return { ended, cancel: () => reader.cancel() }
}

test('ending one is effective with its next call; the present one and another user’s stay', async () => {
  const user = await server.user()
  const [other, stranger] = [await server.signIn(user.id), await server.user()]
  const end = (id: string) => user.client.accounts.endSession({ id })
  await expect(end(user.sessionId)).rejects.toMatchObject({
    code: 'invalid_state',
    message: 'Cannot terminate current session',
  })
  await expect(end(user.sessionId.toUpperCase())).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(end(stranger.sessionId)).rejects.toMatchObject({ code: 'not_found' })
  await end(other.sessionId)
  await expect(end(other.sessionId)).rejects.toMatchObject({ code: 'not_found' })
  expect([await status(user.token), await status(other.token), await status(stranger.token)]).toEqual([
    200, 401, 200,
  ])
})

test('ending all others leaves this one', async () => {
  const user = await server.user()
  const others = [await server.signIn(user.id), await server.signIn(user.id)]
  expect(await user.client.accounts.endOtherSessions()).toEqual({ ended: 2 })
  expect(await user.client.accounts.endOtherSessions()).toEqual({ ended: 0 })
  expect(await Promise.all([user, ...others].map(({ token }) => status(token)))).toEqual([200, 401, 401])
})

test('the event stream of an ended session ends within 2 s, that of another one goes on', async () => {
  const user = await server.user()
  const other = await server.signIn(user.id)
  const [ending, staying] = [await openStream(other.token), await openStream(user.token)]
  const since = Date.now()
  await user.client.accounts.endSession({ id: other.sessionId })
  expect((await ending.ended) - since).toBeLessThan(2_000)
  expect(await Promise.race([staying.ended, Promise.resolve('open')])).toBe('open')
  await staying.cancel()
})

test('a ban, and the end of an API key, end their streams as well', async () => {
  const [banned, keyed] = [await server.user(), await server.user()]
  const { key_value } = await keyed.client.accounts.generateApiKey({})
  const streams = [await openStream(banned.token), await openStream(key_value)]
  const since = Date.now()
  await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${banned.id}`.execute(
    db(),
  )
  await keyed.client.accounts.generateApiKey({})
  for (const { ended } of streams) expect((await ended) - since).toBeLessThan(2_000)
})

test('open terminals of an ended session or key close within 2 s, and nothing more is typed', async () => {
  const user = await server.user('25')
  const other = await server.signIn(user.id)
  const { key_value } = await user.client.accounts.generateApiKey({})
  const { id } = await user.client.instances.create(a40())
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'running',
  )
  const open = async (bearer: string, terminal_id: string) => {
    const { url } = await server.client(bearer).instances.terminal({ id, terminal_id })
    const socket = new WebSocket(server.url.replace('http', 'ws') + url)
    const closed = new Promise<{ code: number; at: number }>(resolve =>
      socket.once('close', code => resolve({ code, at: Date.now() })),
    )
    await new Promise(resolve => socket.once('message', resolve))
    return { socket, closed }
  }
  const [own, ofOther, ofKey] = [
    await open(user.token, 'own'),
    await open(other.token, 'other'),
    await open(key_value, 'key'),
  ]
  const since = Date.now()
  await user.client.accounts.endOtherSessions()
  await user.client.accounts.revokeApiKey()
  for (const { closed } of [ofOther, ofKey]) {
    const { code, at } = await closed
    expect(code).toBe(1008)
    expect(at - since).toBeLessThan(2_000)
  }
  expect(own.socket.readyState).toBe(WebSocket.OPEN)
  own.socket.terminate()
})

test('a ticket of a session or key that has ended opens nothing', async () => {
  const user = await server.user('25')
  const other = await server.signIn(user.id)
  const { key_value } = await user.client.accounts.generateApiKey({})
  const { id } = await user.client.instances.create(a40())
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'running',
  )
  const urls = await Promise.all(
    [other.token, key_value].map(
      async bearer => (await server.client(bearer).instances.terminal({ id, terminal_id: 'a' })).url,
    ),
  )
  await user.client.accounts.endOtherSessions()
  await user.client.accounts.revokeApiKey()
  for (const url of urls) {
    const socket = new WebSocket(server.url.replace('http', 'ws') + url)
    socket.on('error', () => {})
    const refused = await new Promise(resolve =>
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode)),
    )
    expect(refused).toBe(401)
  }
})
