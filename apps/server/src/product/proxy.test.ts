import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { ConfigError } from '../config/config-error.ts'
import { readConfig } from '../config.ts'
import { hashPassword } from '../auth/passwords/passwords.ts'
import { type TestServer, useTestServer } from './test-server.ts'

const password = 'correct horse'
const visitor = '198.51.100.7'

/** Signs in as a browser behind a proxy would, and answers which address the session was kept with. */
async function addressOfSession(server: TestServer, forwarded: string | null): Promise<string | null> {
  const { database } = server.services
  const id = newId()
  await sql`insert into auth_user (id, email, email_confirmed_at, password_hash)
    values (${id}, ${`${id}@example.com`}, now(), ${await hashPassword(password)})`.execute(database.kysely)
  const response = await server.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers: forwarded ? { 'x-forwarded-for': forwarded } : {},
    body: JSON.stringify({ email: `${id}@example.com`, password }),
  })
  expect(response.status).toBe(200)
  const { access_token } = (await response.json()) as { access_token: string }
  const { items } = await server.client(access_token).accounts.sessions({})
  return items[0]!.ip
}

/** The networks that limits were counted for. */
async function countedNetworks(server: TestServer): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`select key from auth_bucket order by key`.execute(
    server.services.database.kysely,
  )
  return [...new Set(rows.map(({ key }) => key.slice(key.indexOf(':') + 1)))]
}

const sendForm = (server: TestServer, forwarded: string) =>
  server.fetch('/v1/subscriptions', {
    method: 'POST',
    headers: { 'x-forwarded-for': forwarded },
    body: '{}',
  })

describe('behind one proxy, a client that forges X-Forwarded-For', () => {
  const server = useTestServer({ env: { INGOT_TRUST_PROXY: '1' }, worker: false })

  test('does not choose its address: sessions, limits and forms go by the one that the proxy added', async () => {
    expect(await addressOfSession(server, `203.0.113.9, ${visitor}`)).toBe(visitor)
    expect(await addressOfSession(server, `127.0.0.1, 10.0.0.1, ${visitor}`)).toBe(visitor)
    await sendForm(server, `203.0.113.77, ${visitor}`)
    expect(await countedNetworks(server)).toEqual([visitor])
  })
})

describe('with the addresses of the proxies', () => {
  const trusting = useTestServer({ env: { INGOT_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' }, worker: false })
  const strange = useTestServer({ env: { INGOT_TRUST_PROXY: '192.0.2.1' }, worker: false })

  test('the nearest address that is none of them counts', async () => {
    expect(await addressOfSession(trusting, `203.0.113.9, ${visitor}, 10.1.2.3`)).toBe(visitor)
  })

  test('nothing is believed that comes from elsewhere', async () => {
    expect(await addressOfSession(strange, visitor)).toBe('127.0.0.1')
  })
})

describe('without a word about proxies', () => {
  const server = useTestServer({ worker: false })

  test('nothing is believed', async () => {
    expect(await addressOfSession(server, visitor)).toBe('127.0.0.1')
  })
})

describe('INGOT_TRUST_PROXY', () => {
  const read = (value: string) => readConfig({ INGOT_TRUST_PROXY: value }).trustProxy

  test('is a number of proxies or a list of their addresses', () => {
    expect(readConfig({}).trustProxy).toBe(0)
    expect(read('0')).toBe(0)
    // What the documentation called the default.
    expect(read('false')).toBe(0)
    expect(read('2')).toBe(2)
    expect(read('10.0.0.5, 192.168.0.0/16,fd00::/8')).toEqual(['10.0.0.5', '192.168.0.0/16', 'fd00::/8'])
  })

  test('is refused as true, with what to write instead', () => {
    expect(() => read('true')).toThrow(ConfigError)
    expect(() => read('true')).toThrow(
      'INGOT_TRUST_PROXY is "true". Write the number of proxies in front of the server, such as 1, or their addresses, such as 10.0.0.5,192.168.0.0/16',
    )
  })

  test.each([
    '-1',
    '1.5',
    '11',
    'proxy.example.com',
    '10.0.0.5/33',
    '::/0',
    '0.0.0.0/0',
    '10.0.0.5/',
    '10.0.0.5,',
  ])('is refused as %s', value => {
    expect(() => read(value)).toThrow(/INGOT_TRUST_PROXY is .* Write the number of proxies/)
  })
})
