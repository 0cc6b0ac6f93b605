/** What a copy of the database, the log and the answers to browsers give away. */
import { AuthClient } from '@supabase/auth-js'
import { createClient } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { useTestServer } from './test-server.ts'

const serverSecret = 'a secret that only the operator has'
const logged: string[] = []
const server = useTestServer({
  worker: false,
  env: { INGOT_SECRET: serverSecret },
  log: pino({ level: 'trace' }, { write: line => logged.push(line) }),
})
const db = () => server.services.database.kysely
const authClient = () =>
  new AuthClient({
    url: `${server.url}/auth/v1`,
    autoRefreshToken: false,
    persistSession: false,
    experimental: { recoveryCodes: true },
  })
const password = 'four words nobody tries'

async function newestMail(to: string): Promise<URL> {
  const { items } = await createClient({ baseUrl: server.url }).dev.mail({})
  const { pathname, search } = new URL(
    items.find(mail => mail.to === to)!.links.find(link => link.includes('token='))!,
  )
  return new URL(pathname + search, server.url)
}

/** Signs up, opens the mailed link, and sets up whatever has a secret. Answers the client and every secret by name. */
async function everySecret(email: string) {
  const client = authClient()
  await client.signUp({ email, password })
  const link = await newestMail(email)
  await fetch(link, { redirect: 'manual' })
  const { session } = (await client.signInWithPassword({ email, password })).data
  const { data: app } = await client.mfa.enroll({ factorType: 'totp' })
  if (app?.type !== 'totp') throw new Error('no app')
  const code = TOTP.generate({ secret: Secret.fromBase32(app.totp.secret) })
  const raised = (await client.mfa.challengeAndVerify({ factorId: app.id, code })).data!
  const { codes } = (await client.mfa.recoveryCodes.generate()).data!
  const { key_value } = await server.client(raised.access_token).accounts.generateApiKey({})
  await server.client(raised.access_token).accounts.revealApiKey()
  await authClient().resetPasswordForEmail(email)
  // What goes wrong may be logged.
  await authClient().signInWithPassword({ email, password: `${password}!` })
  await fetch(link, { redirect: 'manual' })
  await server.fetch('/v1/wallet', { token: `${key_value}x` })
  await server.fetch('/v1/gpus', { headers: { 'x-forwarded-for': '192.0.2.1' } })
  const secrets = {
    password,
    'server’s secret': serverSecret,
    'used link': link.searchParams.get('token')!,
    'open link': (await newestMail(email)).searchParams.get('token')!,
    'access token': raised.access_token,
    'first refresh token': session!.refresh_token,
    'refresh token': raised.refresh_token,
    'secret of the app': app.totp.secret,
    'recovery code': codes[0]!,
    'API key': key_value,
  }
  return { client, secrets, appBytes: Buffer.from(Secret.fromBase32(app.totp.secret).bytes) }
}

/** Every row of every table, as text. */
async function wholeDatabase(): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`.execute(db())
  const tables = await Promise.all(
    rows.map(({ name }) =>
      sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(db()),
    ),
  )
  return tables.flatMap(table => table.rows.map(({ row }) => row)).join('\n')
}

test('neither the database nor the log holds a password, a link, a key, a token or the server’s secret as it is', async () => {
  const { secrets, appBytes } = await everySecret('ada@example.com')
  const [stored, log] = [await wholeDatabase(), logged.join('\n')]
  expect(stored).toContain('ada@example.com')
  expect(log).toContain('A request came through a proxy')
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret.length, name).toBeGreaterThan(8)
    for (const written of [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64'),
    ])
      expect(stored.includes(written), `${name} in the database`).toBe(false)
    expect(log.includes(secret), `${name} in the log`).toBe(false)
  }
  expect(stored).not.toContain(appBytes.toString('hex'))
})

test('a password is kept as an Argon2id hash alone', async () => {
  await authClient().signUp({ email: 'grace@example.com', password })
  const { rows } = await sql<{ password_hash: string }>`
    select password_hash from auth_user where email = 'grace@example.com'`.execute(db())
  expect(rows[0]!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

describe('a browser', () => {
  test('is let load and send nothing but from and to this server', async () => {
    const policy = (await server.fetch('/')).headers.get('content-security-policy')!
    const sources = policy.split(';').map(part => part.trim().replaceAll(/ 'sha256-[^']+'/g, ''))
    expect(sources.toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "font-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self' 'unsafe-inline'",
    ])
  })

  test('is never given a cookie', async () => {
    const given: string[] = []
    const { fetch: usual } = globalThis
    globalThis.fetch = async (...call) => {
      const answer = await usual(...call)
      given.push(...answer.headers.getSetCookie())
      return answer
    }
    try {
      const { client } = await everySecret('hopper@example.com')
      await client.refreshSession()
      await client.signOut()
      for (const path of [
        '/',
        '/v1/gpus',
        '/console',
        '/auth/v1/authorize?provider=github',
        '/auth/v1/callback',
      ])
        await server.fetch(path, { redirect: 'manual' })
    } finally {
      globalThis.fetch = usual
    }
    expect(given).toEqual([])
  })
})
