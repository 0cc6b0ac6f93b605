import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { ConfigError } from './config-error.ts'
import { sections } from './variables.ts'

/** Right for nothing that has a form. */
const wrong = 'not a value '.repeat(10).trim()
const withForm = sections
  .flatMap(({ variables }) => Object.entries(variables))
  .filter(([, { advice }]) => advice !== '')

describe('a wrong value refuses the start with the variable’s name and what to write', () => {
  test.each(withForm)('%s', (name, { advice }) => {
    const read = () => readConfig({ [name]: wrong })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(`${name} `)
    expect(read).toThrow(`. ${advice}`)
  })

  test.each([
    ['DATABASE_URL', 'mysql://ada:hunter2@db.example.com/x'],
    ['INGOT_SMTP_URL', 'https://ada:hunter2@mail.example.com'],
    ['INGOT_SMS_URL', 'http://ada:hunter2@sms.example.com'],
    ['INGOT_TRON_ENDPOINT', 'ftp://ada:hunter2@tron.example.com'],
    ['INGOT_SERVICE_KEY', 'hunter2'],
    ['INGOT_AUTH_TEST_OTP', '4915112345678=hunter2'],
  ])('and without what may be a secret: %s', (name, value) => {
    const said = () => {
      try {
        readConfig({ [name]: value })
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    expect(said()).toContain(name)
    expect(said()).not.toContain('hunter2')
  })

  test.each([
    ['INGOT_HOST', 'two words'],
    ['INGOT_PUBLIC_URL', 'https://two words'],
    ['INGOT_PUBLIC_URL', 'https://cloud.example.com/path'],
    // What was meant to insist and does not must not pass in silence.
    ['INGOT_PUBLIC_SANDBOX', 'true'],
    ['INGOT_REGIONS', 'US-East'],
    ['INGOT_REGIONS', 'US-East=sandbox=simulated'],
    ['INGOT_REGIONS', 'US-East=docker'],
    ['INGOT_DRIVERS', 'docker'],
    ['INGOT_DRIVERS', 'podman=unix:///run/podman.sock'],
    ['INGOT_DRIVERS', 'docker=http://localhost:2375'],
    ['INGOT_DRIVERS', 'docker:EU=unix:///var/run/docker.sock'],
    ['INGOT_DRIVERS', 'docker:..=unix:///var/run/docker.sock'],
    ['INGOT_DRIVERS', 'docker=unix:///a.sock,docker=unix:///b.sock'],
    // Whoever reaches an engine without TLS is root there.
    ['INGOT_DRIVERS', 'docker=tcp://10.0.0.5:2375'],
    ['INGOT_DOCKER_NETWORKS', '10.213.0.0'],
    ['PORT', '1e3'],
  ])('%s=%s', (name, value) => expect(() => readConfig({ [name]: value })).toThrow(ConfigError))
})

test('engines have names, and regions are bound to them', () => {
  const config = readConfig({
    INGOT_DRIVERS: 'docker=unix:///var/run/docker.sock, docker:eu=tcp://10.0.0.5:2376',
    INGOT_DOCKER_CERTS: '/etc/ingot/docker',
    INGOT_REGIONS: 'EU-West=docker:eu,US-East=docker',
  })
  expect(config.engines).toEqual({
    docker: 'unix:///var/run/docker.sock',
    'docker:eu': 'tcp://10.0.0.5:2376',
  })
  expect(config.regions).toEqual({ 'EU-West': 'docker:eu', 'US-East': 'docker' })
  expect(readConfig({ INGOT_DRIVERS: 'docker=tcp://localhost:2375' }).certificates).toBeNull()
})

test('endpoints of the chain stand in an order, each with the addresses and the key of its own place', () => {
  const chainOf = (more: Record<string, string>) => readConfig({ INGOT_TRON_XPUB: 'xpub', ...more }).chain
  expect(
    chainOf({
      INGOT_TRON_ENDPOINT: 'https://api.trongrid.io/, http://10.0.0.5:8090',
      INGOT_TRON_SOLID_ENDPOINT: ',http://10.0.0.5:8091',
      INGOT_TRON_JSON_RPC_ENDPOINT: ',http://10.0.0.5:8545/jsonrpc',
      INGOT_TRON_API_KEY: 'hunter2',
    }),
  ).toMatchObject({
    endpoints: [
      { url: 'https://api.trongrid.io', apiKey: 'hunter2' },
      {
        url: 'http://10.0.0.5:8090',
        solidUrl: 'http://10.0.0.5:8091',
        jsonRpcUrl: 'http://10.0.0.5:8545/jsonrpc',
      },
    ],
  })
  const two = { INGOT_TRON_ENDPOINT: 'https://a.example.com,https://b.example.com' }
  expect(chainOf({ ...two, INGOT_TRON_API_KEY: ',hunter2' })).toMatchObject({
    endpoints: [{ url: 'https://a.example.com' }, { url: 'https://b.example.com', apiKey: 'hunter2' }],
  })
  for (const name of ['INGOT_TRON_SOLID_ENDPOINT', 'INGOT_TRON_JSON_RPC_ENDPOINT', 'INGOT_TRON_API_KEY'])
    expect(() => chainOf({ ...two, [name]: 'https://x,https://hunter2,https://z' })).toThrow(
      new ConfigError(
        `${name} has 3 entries for 2 of INGOT_TRON_ENDPOINT. Write one for each, in the same order`,
      ),
    )
  expect(() => chainOf({ INGOT_TRON_ENDPOINT: 'https://a.example.com,' })).toThrow(ConfigError)
})

describe('a server with one role', () => {
  const whole = {
    INGOT_ROLE: 'worker',
    DATABASE_URL: 'postgres://ingot@db.example.com/ingot',
    INGOT_SECRET: 'the same everywhere',
    INGOT_TRON_ENDPOINT: 'https://tron.example.com',
    INGOT_TRON_XPUB: 'xpub',
    INGOT_DRIVERS: 'docker=unix:///var/run/docker.sock',
  }
  test('is one of several', () => expect(readConfig(whole).role).toBe('worker'))
  test.each([
    ['the embedded PostgreSQL', { DATABASE_URL: undefined }, /needs a PostgreSQL.*Set DATABASE_URL/],
    ['a secret of its own', { INGOT_SECRET: undefined }, /needs the secret.*Set INGOT_SECRET/],
    [
      'the test chain',
      { INGOT_TRON_ENDPOINT: undefined, INGOT_TRON_XPUB: undefined },
      /needs a real chain.*Set INGOT_TRON_ENDPOINT/,
    ],
    ['the sandbox alone', { INGOT_DRIVERS: undefined }, /needs container engines.*Set INGOT_DRIVERS/],
    [
      'a region on the sandbox',
      { INGOT_REGIONS: 'US-East=docker,EU-West=sandbox' },
      /another driver for EU-West than sandbox/,
    ],
  ])('can’t have %s', (_, change, message) =>
    expect(() => readConfig({ ...whole, ...change })).toThrow(message),
  )
})

test('an empty value is none', () => {
  const empty = Object.fromEntries(
    sections.flatMap(({ variables }) => Object.keys(variables)).map(name => [name, ' ']),
  )
  expect(readConfig(empty)).toEqual(readConfig({}))
})
