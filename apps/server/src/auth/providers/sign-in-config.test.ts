import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../config/config-error.ts'
import { noProviders, readConfig } from '../../config.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ingot-config-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
  (key as { export(options: object): string }).export({ type: 'pkcs8', format: 'pem' })
const keyFile = async (name: string, text: string) => {
  const path = join(dir, name)
  await writeFile(path, text)
  return path
}

describe('what the operator says about sign-in', () => {
  test('is nothing by default', () => {
    expect(readConfig({}).signIn).toEqual(noProviders)
  })

  test('is read', async () => {
    const key = pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    const secret = { clientId: 'id', clientSecret: 'secret' }
    expect(
      readConfig({
        INGOT_GITHUB_CLIENT_ID: 'id',
        INGOT_GITHUB_CLIENT_SECRET: 'secret',
        INGOT_GOOGLE_CLIENT_ID: 'id',
        INGOT_GOOGLE_CLIENT_SECRET: 'secret',
        INGOT_OIDC_ISSUER: 'https://login.example.com/realms/a/',
        INGOT_OIDC_CLIENT_ID: 'id',
        INGOT_OIDC_CLIENT_SECRET: 'secret',
        INGOT_SAML_PRIVATE_KEY: await keyFile('rsa.pem', key),
        INGOT_SERVICE_KEY: 'x'.repeat(32),
      }).signIn,
    ).toEqual({
      github: { ...secret, url: 'https://github.com', apiUrl: 'https://api.github.com' },
      google: { ...secret, issuer: 'https://accounts.google.com', name: 'Google' },
      oidc: { ...secret, issuer: 'https://login.example.com/realms/a/', name: 'login.example.com' },
      samlKey: key,
      serviceKeyHash: createHash('sha256').update('x'.repeat(32)).digest(),
    })
  })

  test('may name the provider, GitHub’s own server, and a key to be made', () => {
    const client = { INGOT_OIDC_CLIENT_ID: 'id', INGOT_OIDC_CLIENT_SECRET: 'secret' }
    const { github, oidc, samlKey } = readConfig({
      ...client,
      INGOT_OIDC_ISSUER: 'http://localhost:9000',
      INGOT_OIDC_NAME: 'Acme',
      INGOT_GITHUB_CLIENT_ID: 'id',
      INGOT_GITHUB_CLIENT_SECRET: 'secret',
      INGOT_GITHUB_URL: 'https://github.acme.example/',
      INGOT_SAML_PRIVATE_KEY: 'generate',
    }).signIn
    expect(oidc).toMatchObject({ name: 'Acme' })
    expect(github).toMatchObject({
      url: 'https://github.acme.example',
      apiUrl: 'https://github.acme.example/api/v3',
    })
    expect(samlKey).toBe('generate')
  })

  test.each<[Record<string, string>, string]>([
    [{ INGOT_GITHUB_CLIENT_ID: 'id' }, 'INGOT_GITHUB_CLIENT_SECRET'],
    [{ INGOT_GOOGLE_CLIENT_SECRET: 'secret' }, 'INGOT_GOOGLE_CLIENT_ID'],
    [{ INGOT_OIDC_ISSUER: 'https://login.example.com' }, 'INGOT_OIDC_CLIENT_ID'],
    [{ INGOT_OIDC_CLIENT_ID: 'id', INGOT_OIDC_CLIENT_SECRET: 'x' }, 'INGOT_OIDC_ISSUER'],
    [
      {
        INGOT_OIDC_ISSUER: 'http://login.example.com',
        INGOT_OIDC_CLIENT_ID: 'id',
        INGOT_OIDC_CLIENT_SECRET: 'x',
      },
      'https://login.example.com',
    ],
    [
      {
        INGOT_OIDC_ISSUER: 'nonsense',
        INGOT_OIDC_NAME: 'x',
        INGOT_OIDC_CLIENT_ID: 'id',
        INGOT_OIDC_CLIENT_SECRET: 'x',
      },
      'https://login.example.com',
    ],
    [{ INGOT_SAML_PRIVATE_KEY: '/nowhere' }, 'ENOENT'],
    [{ INGOT_SERVICE_KEY: 'short' }, 'openssl rand'],
    [{ INGOT_SERVICE_KEY: `${'x'.repeat(32)} y` }, 'openssl rand'],
  ])('is refused with what to write: %j', (env, says) => {
    const read = () => readConfig(env)
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(says)
  })

  test.each([
    ['text', async () => 'nonsense'],
    ['another kind of key', async () => pem(generateKeyPairSync('ed25519').privateKey)],
  ])('is refused when the SAML key is %s', async (name, text) => {
    const INGOT_SAML_PRIVATE_KEY = await keyFile(`${name}.pem`, await text())
    expect(() => readConfig({ INGOT_SAML_PRIVATE_KEY })).toThrow('RSA private key')
  })
})
