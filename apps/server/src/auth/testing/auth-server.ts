/**
 * The auth service on a real port over a database of its own, with real clients of it; and a `/v1` call behind
 * `authenticate`.
 */
import { randomBytes, randomInt } from 'node:crypto'
import type { Mail } from '@ingot/contracts/dev'
import { AuthClient } from '@supabase/auth-js'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll } from 'vitest'
import type { Config } from '../../config.ts'
import { assertAuditLogHoldsNoSecret } from '../../db/test-audit-log.ts'
import { createTestDatabase, type TestDatabase } from '../../db/test-database.ts'
import { sendError } from '../../http/errors.ts'
import { createVault, type Vault } from '../../vault.ts'
import { listMail } from '../../worker/mail.ts'
import { createAuthenticate } from '../sessions/authenticate.ts'
import { registerAuth } from '../routes.ts'
import { type AuthSettings, bucketNames } from '../settings.ts'

export const siteUrl = 'http://localhost:8080'

type Client = InstanceType<typeof AuthClient>

export interface TestAuth extends AsyncDisposable {
  readonly database: TestDatabase
  readonly vault: Vault
  readonly app: FastifyInstance
  /** Address of the service, as clients take it. */
  readonly url: string
  readonly origin: string
  /** Wake-ups that the mail loop got. */
  readonly wakeUps: string[]
  client(options?: { flowType?: 'implicit' | 'pkce' }): Client
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Everything sent to an address or a phone (`+…`), newest first. */
  mailTo(recipient: string): Promise<Mail[]>
  /** Links to redeem that were mailed to an address, newest first. */
  linksTo(email: string): Promise<URL[]>
  follow(link: URL): Promise<{ status: number; location: URL }>
  /** A confirmed, signed-in user. */
  signedIn(email?: string, password?: string): Promise<SignedInClient>
}

export interface CallOptions {
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: string | Buffer
  readonly token?: string
  readonly headers?: Record<string, string>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown>
}

export interface SignedInClient {
  readonly client: Client
  readonly id: string
  readonly email: string
  readonly password: string
  readonly token: string
  readonly refreshToken: string
}

const noBuckets = Object.fromEntries(bucketNames.map(name => [name, null])) as AuthSettings['buckets']
export const apiVersion = { 'x-supabase-api-version': '2024-01-01' }
export const newPhone = (): string => `+49151${String(randomInt(1e8)).padStart(8, '0')}`
/** What an address holds after its `#`. */
export const fragment = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)))
export const newEmail = (): string => `${randomBytes(6).toString('hex')}@example.com`

/** `shared`: the database of another one, which then is closed by that one. */
export async function createTestAuth(
  settings: Partial<AuthSettings> = {},
  shared?: TestDatabase,
  configured: Partial<Config> = {},
): Promise<TestAuth> {
  const database = shared ?? (await createTestDatabase())
  const vault = createVault('test')
  const config = { publicUrl: siteUrl, loopback: true, ...configured }
  const wakeUps: string[] = []
  const app = Fastify({ trustProxy: true, forceCloseConnections: true })
  await registerAuth(app, {
    database,
    vault,
    config,
    signals: { send: topic => wakeUps.push(topic) },
    settings: { buckets: noBuckets, evenAnswerMs: 0, ...settings },
  })
  const authenticate = createAuthenticate({ database, vault, config })
  app.setErrorHandler(sendError)
  app.route({ method: 'GET', url: '/v1/caller', handler: authenticate })
  app.get('/*', () => Promise.resolve({ page: 'of the site' }))
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `${origin}/auth/v1`

  const client: TestAuth['client'] = ({ flowType = 'implicit' } = {}) =>
    new AuthClient({
      url,
      headers: { apikey: 'anon' },
      flowType,
      autoRefreshToken: false,
      experimental: { recoveryCodes: true },
      detectSessionInUrl: false,
      persistSession: true,
      storage: memory(),
      storageKey: randomBytes(6).toString('hex'),
    })
  const mailTo: TestAuth['mailTo'] = async recipient =>
    (await listMail(database.kysely, vault)).filter(mail => mail.to === recipient)
  const linksTo: TestAuth['linksTo'] = async email =>
    (await mailTo(email))
      .flatMap(mail => mail.links.map(link => new URL(link)))
      .filter(link => link.pathname === '/auth/v1/verify')
  const follow: TestAuth['follow'] = async link => {
    const response = await fetch(`${origin}${link.pathname}${link.search}`, { redirect: 'manual' })
    return { status: response.status, location: new URL(response.headers.get('location')!) }
  }
  return {
    database,
    vault,
    app,
    url,
    origin,
    wakeUps,
    client,
    call: (method, path, options) => call(`${url}${path}`, method, options),
    mailTo,
    linksTo,
    follow,
    async signedIn(email = newEmail(), password = 'correct horse') {
      const auth = client()
      await auth.signUp({ email, password })
      await follow((await linksTo(email))[0]!)
      const { data } = await auth.signInWithPassword({ email, password })
      const { access_token: token, refresh_token: refreshToken, user } = data.session!
      return { client: auth, id: user.id, email, password, token, refreshToken }
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      if (!shared) await database.close()
    },
  }
}

/** Starts a service for the tests of this file. */
export function useTestAuth(): TestAuth
export function useTestAuth<T extends TestAuth>(start: () => Promise<T>): T
export function useTestAuth(start: () => Promise<TestAuth> = createTestAuth): TestAuth {
  let current: TestAuth | undefined
  beforeAll(async () => {
    current = await start()
  })
  afterAll(async () => {
    if (!current) return
    await assertAuditLogHoldsNoSecret(current.database.kysely)
    await current[Symbol.asyncDispose]()
  })
  return new Proxy({} as TestAuth, { get: (_, key) => current![key as keyof TestAuth] })
}

async function call(url: string, method: string, options: CallOptions = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      'content-type': 'application/json;charset=UTF-8',
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...options.headers,
    },
    body: (options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))) as
      | string
      | undefined,
  })
  const text = await response.text()
  const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text }
  return { status: response.status, headers: response.headers, body }
}

function memory() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}
