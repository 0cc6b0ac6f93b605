/**
 * The whole server, listening, on a database of its own: real PostgreSQL, real HTTP through the SDK; only the edges are
 * replaced (simulated machines in memory, the devnet in memory, the movable clock). Every answer is parsed again with
 * its contract, so a number that slipped past the serializer fails here. The ledger and the audit log are audited after every test.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Driver } from '@ingot/compute/driver'
import { createSimulatedDriver, type SimulatedOptions } from '@ingot/compute/simulated/driver'
import { api } from '@ingot/contracts/api'
import { isOfStaff, type Operation } from '@ingot/contracts/operation'
import { type Client, createClient } from '@ingot/sdk/client'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { type Logger, pino } from 'pino'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { startSession } from '../auth/sessions/start-session.ts'
import { defaultSettings } from '../auth/settings.ts'
import { createTokens } from '../auth/sessions/tokens.ts'
import { assertPlacesSound } from '../catalog/audit-places.ts'
import { type DriverName, readConfig } from '../config.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { assertAudited, assertAuditLogHoldsNoSecret } from '../db/test-audit-log.ts'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from '../ledger/audit.ts'
import type { Outside } from '../files/imports/outside.ts'
import { openServices, type Services } from './services.ts'
import { seedTemplates } from '../templates/seed-templates.ts'
import { startWorker } from './worker.ts'
import { createApp } from './app.ts'

export interface TestSession {
  readonly sessionId: string
  readonly token: string
  readonly client: Client
}

export interface TestUser extends TestSession {
  readonly id: string
}

export interface TestServer {
  readonly url: string
  readonly services: Services
  readonly app: FastifyInstance
  /** Past the rights of the server: for what only an operator may do, and for tampering. */
  readonly owner: Db
  /** Faults may be pushed here at any time. */
  readonly faults: NonNullable<SimulatedOptions['faults']> & unknown[]
  /** A signed-in user whose wallet holds `usd`. */
  user(usd?: string): Promise<TestUser>
  /** Signs a user in once more. */
  signIn(userId: string, visitor?: { ip?: string; userAgent?: string }): Promise<TestSession>
  /** The SDK with another bearer, such as an API key. */
  client(bearer: string): Client
  /** Pays test USDT; returns the transaction's hash. */
  faucet(address: string, amountUsdt: string): Promise<string>
  /** Moves the business clock on, wakes the worker and waits until what runs was looked at. */
  advance(ms: number): Promise<void>
  fetch(path: string, init?: RequestInit & { token?: string }): Promise<Response>
}

export interface TestServerOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Default: simulated machines that start and stop at once. */
  readonly drivers?: (clock: () => number) => Map<DriverName, Driver>
  /** Without the worker nothing moves by itself. */
  readonly worker?: boolean
  readonly log?: Logger
  /** Default: the internet. */
  readonly outside?: Outside
  /** Default: an empty one. */
  readonly database?: () => Promise<TestDatabase>
}

type Started = TestServer & {
  /** Requests that succeeded since the last look. */
  readonly writesOfStaff: string[]
  close(): Promise<void>
}

/** Starts a server for the tests of this file. */
export function useTestServer(options: TestServerOptions = {}): TestServer {
  let current: Started | undefined
  beforeAll(async () => {
    current = await startTestServer(options)
  })
  afterEach(async () => {
    const { kysely } = current!.services.database
    await assertLedgerSound(kysely)
    await assertPlacesSound(kysely)
    await assertAuditLogHoldsNoSecret(kysely)
    await assertAudited(kysely, current!.writesOfStaff.splice(0))
  })
  afterAll(() => current?.close())
  return new Proxy({} as TestServer, { get: (_, key) => current![key as keyof TestServer] })
}

async function startTestServer(options: TestServerOptions): Promise<Started> {
  const database = await (options.database ?? createTestDatabase)()
  const dataDir = await mkdtemp(join(tmpdir(), 'ingot-server-'))
  const config = readConfig({ PORT: '0', INGOT_DATA_DIR: dataDir, INGOT_SECRET: 'test', ...options.env })
  const faults: NonNullable<SimulatedOptions['faults']> & unknown[] = []
  let now = Date.now
  const drivers =
    options.drivers?.(() => now()) ??
    new Map<DriverName, Driver>([
      [
        'simulated',
        createSimulatedDriver({
          dir: null,
          now: () => now(),
          faults,
          startMs: 0,
          stopMs: 0,
          restartStartMs: 0,
        }),
      ],
    ])
  const services = await openServices({
    config,
    databaseUrl: database.url,
    drivers,
    outside: options.outside,
    log: options.log ?? pino({ level: process.env['TEST_LOG'] ?? 'error' }),
  })
  now = services.clock.now
  await seedTemplates(services.database.kysely)
  const app = await createApp(services)
  const writesOfStaff = watchWritesOfStaff(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const worker = options.worker === false ? null : startWorker(services)

  return {
    url,
    services,
    app,
    owner: database.owner.kysely,
    writesOfStaff,
    faults,
    user: usd => createUser(services, database.owner.kysely, url, usd),
    signIn: (userId, visitor) => signIn(services, url, userId, visitor),
    client: bearer => clientOf(url, bearer),
    faucet: async (address, amount_usdt) =>
      (await createClient({ baseUrl: url }).dev.faucet({ address, amount_usdt })).tx_hash,
    async advance(ms) {
      await services.clock.advance(services.database.kysely, ms)
      services.signals.send('clock')
      if (worker) await looked(services)
    },
    fetch: (path, { token, ...init } = {}) =>
      fetch(url + path, {
        ...init,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(init.body ? { 'content-type': 'application/json' } : {}),
          ...init.headers,
        },
      }),
    async close() {
      await worker?.stop()
      await app.close()
      await services.close()
      await database.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Every one of them, in every test, is held against the audit log. What is answered again under its key was done before. */
function watchWritesOfStaff(app: FastifyInstance): string[] {
  const routes = new Set(
    operations
      .filter(op => isOfStaff(op) && op.method !== 'GET')
      .map(op => `${op.method} ${op.path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  const done: string[] = []
  const keys = new Set<unknown>()
  app.addHook('onResponse', async ({ method, routeOptions, id, headers }, { statusCode }) => {
    if (statusCode >= 300 || !routes.has(`${method} ${routeOptions.url}`)) return
    const key = headers['idempotency-key']
    if (key === undefined || !keys.has(key)) done.push(id)
    keys.add(key)
  })
  return done
}

/** Until everything that was running was looked at and charged up to then, as a server that was never away has done. */
async function looked({ database, clock }: Services): Promise<void> {
  let isQuiet = false
  await until(
    async () => {
      const at = clock.iso()
      const { rows } = await sql<{
        n: number
      }>`select ((select count(*) from driver_round where due_at <= ${at})
        + (select count(*) from missed_run where due_at <= ${at})
        + (select count(*) from wallets where due_at <= ${at}))::int as n`.execute(database.kysely)
      // Twice: what a round missed falls due when the round ends, which may be between `at` and the query.
      const wasQuiet = isQuiet
      isQuiet = rows[0]!.n === 0
      return { isOver: wasQuiet && isQuiet, left: rows[0]!.n }
    },
    ({ isOver }) => isOver,
  )
}

async function createUser(services: Services, owner: Db, url: string, usd = '0'): Promise<TestUser> {
  const { database, clock } = services
  const id = newId()
  await sql`insert into auth_user (id, email, email_confirmed_at, user_metadata) values (${id}, ${`${id}@example.com`}, now(), '{"first_name":"Ada"}')`.execute(
    database.kysely,
  )
  const micro = BigInt(Math.round(Number(usd) * 1_000_000))
  if (micro > 0n)
    await sql`select credit_wallet(${id}, ${micro}, 'test funds', ${newId()}, ${clock.iso()})`.execute(owner)
  return { id, ...(await signIn(services, url, id)) }
}

async function signIn(
  services: Services,
  url: string,
  userId: string,
  { ip = null, userAgent = null }: { ip?: string | null; userAgent?: string | null } = {},
): Promise<TestSession> {
  const { database, vault, config } = services
  const tokens = createTokens(services)
  const auth = {
    database,
    vault,
    tokens,
    settings: defaultSettings(config),
    sms: null,
    siteUrl: config.publicUrl,
    wakeMail: () => {},
    deleteAccount: null,
  }
  const visitor = { ip, userAgent, redirectTo: url, places: [null, null] as const }
  const { user, grant } = await inTransaction(database.kysely, tx =>
    startSession(tx, auth, { userId, method: 'password', visitor }),
  )
  const { token } = await tokens.sign(user, grant)
  return { sessionId: grant.id, token, client: clientOf(url, token) }
}

const clientOf = (url: string, bearer: string): Client =>
  createClient({ baseUrl: url, token: () => bearer, fetch: strictFetch(url) })

const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])

/** Parses every successful answer again with the operation's own schema. */
function strictFetch(base: string): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const path = String(input).slice(base.length).split('?')[0]!
    const op = operations.find(
      each =>
        each.method === init?.method && new RegExp(`^${each.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
    if (op && response.ok) {
      const found = await breach(op, response)
      if (found) throw new Error(`${op.id} answered against its contract: ${found}`)
      if (response.status !== op.status)
        throw new Error(`${op.id} answered ${response.status}, its contract says ${op.status}`)
    }
    return response
  }
}

/** What in an answer its contract does not say. */
async function breach(op: Operation, response: Response): Promise<string | undefined> {
  if (op.transport !== 'bytes') return op.output.safeParse(await response.clone().json()).error?.message
  const mediaType = response.headers.get('content-type')?.split(';', 1)[0] ?? 'nothing'
  return op.mediaTypes.includes(mediaType) ? undefined : `it is ${mediaType}`
}

/** Asks until the answer is as wanted: for what the worker does meanwhile. */
export async function until<T>(
  ask: () => Promise<T>,
  wanted: (value: T) => boolean,
  timeoutMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const value = await ask()
    if (wanted(value)) return value
    if (Date.now() > deadline)
      throw new Error(`still not as wanted after ${timeoutMs} ms: ${JSON.stringify(value)}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}
