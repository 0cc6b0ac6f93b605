import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { defaultSettings } from '../auth/settings.ts'
import { hasDevTools, readConfig } from '../config.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { openServices } from './services.ts'
import { useTestServer } from './test-server.ts'

const behindProxy = { INGOT_HOST: '127.0.0.1', INGOT_PUBLIC_URL: 'https://gpu.example' }

describe('a server is for this machine alone', () => {
  test.each([
    [true, 'by default', {}],
    [
      true,
      'by an address of this machine',
      { INGOT_HOST: '127.0.0.2', INGOT_PUBLIC_URL: 'http://[::1]:8080' },
    ],
    [false, 'not when it listens to others', { INGOT_HOST: '0.0.0.0', INGOT_PUBLIC_URL: 'http://localhost' }],
    [false, 'not when others reach it through a proxy', behindProxy],
    [false, 'not under a name that only looks local', { INGOT_PUBLIC_URL: 'http://localhost.example' }],
  ])('%j: %s', (expected, _, env) => {
    const config = readConfig(env)
    expect(config.loopback).toBe(expected)
    expect(hasDevTools(config)).toBe(expected)
    expect(config.sms).toEqual(expected ? { kind: 'inbox' } : null)
    // The limits of strangers: loose where all users share one address.
    expect(defaultSettings(config).buckets.signup!.burst).toBe(expected ? 300 : 30)
  })
})

describe('behind a proxy that the public URL tells of', () => {
  const server = useTestServer({ worker: false, env: behindProxy })

  test.each([
    ['GET', '/dev/api/mail'],
    ['GET', '/dev/api/clock'],
    ['POST', '/dev/api/clock'],
    ['POST', '/dev/api/faucet'],
  ])('%s %s does not exist', async (method, path) => {
    const body = method === 'POST' ? '{"advance_ms":1,"address":"x","amount_usdt":1}' : undefined
    expect((await server.fetch(path, { method, body })).status).toBe(404)
  })

  test('sandboxes are not offered, and the operator is told why', async () => {
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'ingot-loopback-'))
    const config = readConfig({
      ...behindProxy,
      PORT: '0',
      INGOT_DATA_DIR: dataDir,
      INGOT_SECRET: 'test',
      INGOT_REGIONS: '*=simulated',
    })
    const log = pino({ level: 'silent' })
    const services = await openServices({ config, databaseUrl: database.url, log })
    expect(services.regions.map(({ driver }) => driver)).not.toContain('sandbox')
    expect(services.probes).toMatchObject([{ name: 'sandbox', ok: false, detail: /INGOT_PUBLIC_SANDBOX/ }])
    await services.close()
    await database.close()
    await rm(dataDir, { recursive: true, force: true })
  })
})

describe('development tools', () => {
  const server = useTestServer({ worker: false })

  test('answer this machine', async () => expect((await server.fetch('/dev/api/mail')).status).toBe(200))
  test.each(['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Forwarded-Anything', 'Via', 'CF-Connecting-IP'])(
    'refuse a request that carries %s: it came through a proxy',
    async name => {
      const response = await server.fetch('/dev/api/mail', { headers: { [name]: '127.0.0.1' } })
      expect(response.status).toBe(403)
    },
  )
})
