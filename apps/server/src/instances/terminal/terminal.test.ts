import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { terminalLimits } from '@ingot/contracts/instance/terminal'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { DriverName } from '../../config.ts'
import { a40 } from '../test-rows.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'

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

async function runningInstance(user: TestUser): Promise<string> {
  const { id } = await user.client.instances.create(a40())
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'running',
  )
  return id
}

/** A socket with everything it received; `status` is the HTTP status when the upgrade was refused. */
function open(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(server.url.replace('http', 'ws') + url, { headers })
  const received = { text: '', controls: [] as { type: string }[], closed: null as number | null }
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) received.text += data.toString()
    else received.controls.push(JSON.parse(data.toString()) as { type: string })
  })
  socket.on('close', code => (received.closed = code))
  const status = new Promise<number>(resolve => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.once('open', () => resolve(101))
    socket.once('error', () => {})
  })
  return { socket, received, status }
}
const shows = (received: { text: string }, text: string) =>
  until(
    async () => received.text,
    all => all.includes(text),
  )
const ticketFor = async (user: TestUser, id: string, terminal_id = 'one') =>
  (await user.client.instances.terminal({ id, terminal_id })).url

test('a ticket opens the shell: what is typed is run, and the same id returns to the same shell and screen', async () => {
  const user = await server.user('25')
  const id = await runningInstance(user)
  const first = open(`${await ticketFor(user, id)}&cols=100&rows=30&flow=ack`)
  expect(await first.status).toBe(101)
  await shows(first.received, '#')
  expect(first.received.controls).toEqual([{ type: 'ready' }])
  first.socket.send(JSON.stringify({ type: 'resize', cols: 120, rows: 40 }))
  first.socket.send(Buffer.from('whoami\r'))
  await shows(first.received, 'root')
  first.socket.terminate()

  const again = open(`${await ticketFor(user, id)}&cols=100&rows=30`)
  await shows(again.received, 'whoami')
  expect((await user.client.instances.get({ id })).last_activity_at).not.toBeNull()
  again.socket.send(Buffer.from('exit\r'))
  await until(
    async () => again.received.closed,
    code => code === 1000,
  )
})

test('a ticket is good once, for its own instance, and not after signing out', async () => {
  const user = await server.user('25')
  const id = await runningInstance(user)
  const url = await ticketFor(user, id)
  const first = open(url)
  expect(await first.status).toBe(101)
  expect(await open(url).status).toBe(401)
  expect(await open('/v1/terminal').status).toBe(401)
  expect(await open('/v1/terminal?ticket=guess').status).toBe(401)
  first.socket.terminate()

  const late = await ticketFor(user, id)
  await server.services.database.kysely.deleteFrom('auth_session').where('user_id', '=', user.id).execute()
  expect(await open(late).status).toBe(401)
})

test('only our own pages may open it; programs that name no page may', async () => {
  const user = await server.user('25')
  const id = await runningInstance(user)
  expect(await open(await ticketFor(user, id), { origin: 'https://evil.example.com' }).status).toBe(403)
  const own = open(await ticketFor(user, id), { origin: server.url })
  expect(await own.status).toBe(101)
  own.socket.terminate()
})

test('a stopped instance hands out no ticket, and one handed out before opens nothing', async () => {
  const user = await server.user('25')
  const id = await runningInstance(user)
  const url = await ticketFor(user, id)
  await user.client.instances.stop({ id })
  expect(await open(url).status).toBe(401)
  await expect(ticketFor(user, id)).rejects.toMatchObject({ code: 'invalid_state' })
})

test('nonsense in control frames and huge input frames harm nobody', async () => {
  const user = await server.user('25')
  const id = await runningInstance(user)
  const { socket, received, status } = open(await ticketFor(user, id))
  expect(await status).toBe(101)
  for (const text of [
    '{',
    'null',
    '[]',
    '{"type":"resize","cols":-1,"rows":1e9}',
    '{"type":"ack","bytes":-5}',
    '{"type":"other"}',
  ])
    socket.send(text)
  socket.send(Buffer.from('pwd\r'))
  await shows(received, '/root')
  socket.send(Buffer.alloc(300 * 1024))
  await until(
    async () => received.closed,
    code => code === 1009,
  )
})

test('a shell is ended by who looks at it, and an instance has so many of them at a time as the contract says', async () => {
  const user = await server.user('25')
  const id = await runningInstance(user)
  const shells = []
  for (let at = 0; at < terminalLimits.terminals; at++) {
    const shell = open(await ticketFor(user, id, `shell-${at}`))
    await shows(shell.received, '#')
    shells.push(shell)
  }
  const more = open(await ticketFor(user, id, 'one-more'))
  await until(
    async () => more.received.closed,
    code => code === 1013,
  )
  expect(more.received.controls).toEqual([
    { type: 'error', message: expect.stringMatching(/terminals/i) as string },
  ])

  const [first] = shells
  first!.socket.send(JSON.stringify({ type: 'end' }))
  await until(
    async () => first!.received.closed,
    code => code === 1000,
  )
  const other = open(await ticketFor(user, id, 'one-more'))
  await shows(other.received, '#')
  for (const { socket } of [...shells, other]) socket.terminate()
})
