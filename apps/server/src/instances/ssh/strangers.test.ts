/** What strangers and tenants may do to the gateway: nothing that anybody else would notice. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import ssh2, { type Client } from 'ssh2'
import { beforeAll, expect, test } from 'vitest'
import { type TestUser, until } from '../../product/test-server.ts'
import { useGateway } from './test-clients.ts'

const gateway = await useGateway()
const { port, server } = gateway

let user: TestUser
let box: Awaited<ReturnType<typeof gateway.instance>>
let key: Awaited<ReturnType<typeof gateway.key>>
beforeAll(async () => {
  user = await server.user('25')
  box = await gateway.instance(user, { region: 'Middle-East' })
  key = await gateway.key(user)
}, 60_000)

type Settings = Parameters<Client['connect']>[0]
const reach = (settings: Settings): Promise<Client | Error> => {
  const client = new ssh2.Client()
  return new Promise(resolve => {
    client.once('ready', () => resolve(client)).once('error', resolve)
    client.on('error', () => {})
    client.connect({ host: '127.0.0.1', port, ...settings })
  })
}
const byKey = () => reach({ username: box.user, privateKey: key.text })
const run = (client: Client, command: string): Promise<string> =>
  new Promise((resolve, reject) =>
    client.exec(command, (error, channel) => {
      if (error) return reject(error)
      let out = ''
      channel.on('data', (data: Buffer) => (out += String(data)))
      channel.stderr.on('data', (data: Buffer) => (out += String(data)))
      channel.on('close', () => resolve(out))
    }),
  )

/** So many wrong passwords over one connection. */
const guess = (username: string, times: number) => {
  let left = times
  return reach({
    username,
    readyTimeout: 60_000,
    authHandler: ((_left: unknown, _partial: unknown, next: (how: object | false) => void) =>
      next(
        left-- > 0 && { type: 'password', username, password: randomBytes(9).toString('base64') },
      )) as never,
  })
}

test(
  '1,000 wrong passwords make their sender wait, and never the owner’s key',
  { timeout: 60_000 },
  async () => {
    const { password } = await user.client.instances.sshPassword({ id: box.id })
    const right = await reach({ username: box.user, password })
    expect(right).toBeInstanceOf(ssh2.Client)
    ;(right as Client).end()

    const began = Date.now()
    const all = await Promise.all(Array.from({ length: 50 }, () => guess(box.user, 20)))
    expect(all.every(each => each instanceof Error)).toBe(true)
    expect(Date.now() - began).toBeLessThan(45_000)
    const { rows } = await server.services.database.pool.query<{ count: number; waits: boolean }>(
      `select count, locked_until > clock_timestamp() as waits from auth_failure where key like 'ssh:%'`,
    )
    expect(rows).toHaveLength(1)
    expect(rows[0]!.waits).toBe(true)
    // Not even looked at while they wait, so most were not counted.
    expect(rows[0]!.count).toBeLessThan(1_000)
    expect(await reach({ username: box.user, password })).toBeInstanceOf(Error)

    const owner = await byKey()
    expect(await run(owner as Client, 'whoami')).toBe('root\n')
    ;(owner as Client).end()
  },
)

test('a refusal takes as long for a user name that exists as for one that does not', async () => {
  const other = await gateway.instance(user, { region: 'Middle-East', name: 'other' })
  await user.client.instances.sshPassword({ id: other.id })
  const timeOf = async (username: string) => {
    const began = performance.now()
    await guess(username, 1)
    return performance.now() - began
  }
  const times = { known: [] as number[], unknown: [] as number[] }
  for (let at = 0; at < 6; at++) {
    times.known.push(await timeOf(other.user))
    times.unknown.push(await timeOf(`zzzzzzz${at + 2}`))
  }
  const middle = (list: number[]) => list.toSorted((a, b) => a - b)[3]!
  expect(Math.abs(middle(times.known) - middle(times.unknown))).toBeLessThan(40)
})

test('nonsense, silence and half a handshake harm nobody', async () => {
  const garbage = [
    randomBytes(100_000),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), randomBytes(50_000)]),
    Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.of(0xff, 0xff, 0xff, 0xff)]),
    Buffer.from('SSH-1.5-old\r\n'),
  ]
  await Promise.all(
    garbage.map(async bytes => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      socket.resume().end(bytes)
      await once(socket, 'close')
    }),
  )
  const client = await byKey()
  expect(await run(client as Client, 'whoami')).toBe('root\n')
  ;(client as Client).end()
})

test('strangers fill up their own network’s places, and give them back', async () => {
  const sockets = Array.from({ length: 80 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  const closed = () => sockets.filter(socket => socket.closed).length
  for (const socket of sockets) socket.resume()
  await until(
    async () => closed(),
    count => count >= 16,
  )
  expect(closed()).toBe(16)
  for (const socket of sockets) socket.destroy()
  await until(byKeyIsIn, isIn => isIn)
})
const byKeyIsIn = async () => {
  const client = await byKey()
  if (client instanceof Error) return false
  client.end()
  return true
}

test('an instance has so many clients at most, and one more is told so', { timeout: 30_000 }, async () => {
  const clients: Client[] = []
  for (let at = 0; at < 51; at++) clients.push((await byKey()) as Client)
  expect(await run(clients[49]!, 'whoami')).toBe('root\n')
  expect(await run(clients[50]!, 'whoami')).toMatch('Too many SSH connections')
  for (const client of clients) client.end()
  await until(
    async () => {
      const client = (await byKey()) as Client
      const said = await run(client, 'whoami')
      client.end()
      return said
    },
    said => said === 'root\n',
  )
})

test('the host key stays the same, and each user name is its own', async () => {
  const again = await user.client.instances.ssh({ id: box.id })
  expect(again.host_key).toBe(box.host_key)
  expect(again).toMatchObject({ host: '127.0.0.1', port, user: box.user })
  expect(box.user).toMatch(/^[a-z][a-z0-9]{7}$/)
  const stored = await server.services.database.kysely.selectFrom('ssh_host_key').selectAll().execute()
  expect(stored).toHaveLength(1)
  expect(stored[0]!.private_key_sealed.toString('latin1')).not.toContain('PRIVATE KEY')
})

test('an API key is not told the password', async () => {
  const { key_value } = await user.client.accounts.generateApiKey({})
  const client = server.client(key_value)
  expect((await client.instances.ssh({ id: box.id })).user).toBe(box.user)
  for (const ask of [client.instances.sshPassword, client.instances.renewSshPassword])
    await expect(ask({ id: box.id })).rejects.toMatchObject({ code: 'not_allowed' })
})
