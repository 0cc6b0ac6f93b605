/**
 * The auth service: `GET /user` and token refresh against bare Fastify with one query, signing in by password against
 * nothing but the hash, and what a rush of sign-ins does to everybody else. Each sign-in and refresh comes from another
 * address, because one address may not make so many.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import pg from 'pg'
import { hashPassword } from '../apps/server/src/auth/passwords/passwords.ts'
import { embeddedUrl } from './list.ts'
import type { Bench } from './product.ts'
import { median, type Result } from './report.ts'

const rounds = 7
const seconds = 2
/** A busy machine takes its time to compile what is hot. */
const warmUpSeconds = 5
const connections = 16
/** Long enough that the sign-ins in hand at the end, which are not counted, do not matter. */
const signInSeconds = 5
/** The speed of hashing wavers more than anything else does. */
const signInRounds = 15
const rush = 200
const rushSeconds = 4
const password = 'correct horse'

interface SignedIn {
  readonly access_token: string
  readonly refresh_token: string
  readonly user: { readonly id: string }
}

export async function benchAuth({ product, token, dir }: Bench): Promise<Result[]> {
  const databaseUrl = await embeddedUrl(dir)
  const emails = await makeUsers(databaseUrl, connections)
  const base = `${product.url}/auth/v1`
  const sessions = await Promise.all(emails.map(email => signIn(base, email)))
  const floor = fork(new URL('floors/auth-server.ts', import.meta.url), [
    databaseUrl,
    sessions[0]!.user.id,
    sessionIdOf(sessions[0]!),
    JSON.stringify(sessions[0]),
  ])
  const [port] = (await once(floor, 'message')) as [number]
  const floorUrl = `http://127.0.0.1:${port}`
  const results = [
    await compare('GET /auth/v1/user', getUser(base, sessions[0]!), { url: `${floorUrl}/user` }),
    await compare('token refresh', refresh(base, sessions), floorRefresh(floorUrl, sessions)),
  ]
  floor.kill()
  results.push(await benchSignIn(base, emails))
  results.push(await benchRush(base, emails, `${product.url}/v1/instances`, token))
  return results
}

async function makeUsers(databaseUrl: string, count: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const hashed = await hashPassword(password)
  const emails = Array.from({ length: count }, (_, n) => `sign-in-${n}@example.com`)
  for (const email of emails)
    await client.query(
      'insert into auth_user (id, email, password_hash, email_confirmed_at) values ($1, $2, $3, now())',
      [randomUUID(), email, hashed],
    )
  await client.end()
  return emails
}

let addresses = 0
const elsewhere = () => {
  addresses++
  return { 'x-forwarded-for': `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}` }
}
const json = () => ({ 'content-type': 'application/json', ...elsewhere() })

async function signIn(base: string, email: string): Promise<SignedIn> {
  const response = await fetch(`${base}/token?grant_type=password`, {
    method: 'POST',
    headers: json(),
    body: JSON.stringify({ email, password }),
  })
  if (!response.ok) throw new Error(`sign-in failed: ${await response.text()}`)
  return (await response.json()) as SignedIn
}

function sessionIdOf({ access_token }: SignedIn): string {
  const payload = Buffer.from(access_token.split('.')[1]!, 'base64url').toString()
  return (JSON.parse(payload) as { session_id: string }).session_id
}

type Load = Omit<autocannon.Options, 'duration'>

const getUser = (base: string, { access_token }: SignedIn): Load => ({
  url: `${base}/user`,
  headers: { authorization: `Bearer ${access_token}` },
})

/** Each connection refreshes a session of its own, always with the token that it got last. */
function refresh(base: string, sessions: readonly SignedIn[]): Load {
  const tokens = sessions.map(session => session.refresh_token)
  let clients = 0
  return {
    url: `${base}/token?grant_type=refresh_token`,
    method: 'POST',
    setupClient: client => {
      const n = clients++ % tokens.length
      const next = () => client.setHeadersAndBody(json(), JSON.stringify({ refresh_token: tokens[n] }))
      next()
      client.on('body', (body: Buffer) => {
        tokens[n] = /"refresh_token":"([^"]+)"/.exec(String(body))?.[1] ?? tokens[n]!
        next()
      })
    },
  }
}

/** Each connection signs in somebody else, again and again. */
export function signInAgain(base: string, emails: readonly string[]): Load {
  let clients = 0
  return {
    url: `${base}/token?grant_type=password`,
    method: 'POST',
    setupClient: client => {
      const email = emails[clients++ % emails.length]
      const next = () => client.setHeadersAndBody(json(), JSON.stringify({ email, password }))
      next()
      client.on('body', next)
    },
  }
}

function floorRefresh(url: string, sessions: readonly SignedIn[]): Load {
  let clients = 0
  return {
    url: `${url}/refresh`,
    method: 'POST',
    setupClient: client => {
      const session_id = sessionIdOf(sessions[clients++ % sessions.length]!)
      const next = () => client.setHeadersAndBody(json(), JSON.stringify({ session_id }))
      next()
      client.on('body', next)
    },
  }
}

async function compare(what: string, ours: Load, floor: Load): Promise<Result> {
  await measure(ours, warmUpSeconds)
  await measure(floor, warmUpSeconds)
  const pairs: Pair[] = []
  for (let n = 0; n < rounds; n++)
    pairs.push({ ours: await measure(ours, seconds), floor: await measure(floor, seconds) })
  return { ...rates(pairs), what, wanted: { atLeast: 0.5 }, note: `${connections} connections` }
}

interface Pair {
  readonly ours: number
  readonly floor: number
}

/** Both of a pair are measured one after the other, so that whatever else this machine does meets them alike. */
function rates(pairs: readonly Pair[]) {
  return {
    figure: `${median(pairs.map(pair => pair.ours)).toFixed(0)}/s`,
    floor: `${median(pairs.map(pair => pair.floor)).toFixed(0)}/s`,
    value: median(pairs.map(pair => pair.ours / pair.floor)),
    unit: 'ratio',
  } as const
}

async function measure(load: Load, duration: number): Promise<number> {
  const result = await autocannon({ connections, ...load, duration })
  assertServed(result)
  return result.requests.total / result.duration
}

export function assertServed({ url, non2xx, errors }: autocannon.Result): void {
  if (non2xx || errors) throw new Error(`${url}: ${non2xx} refused, ${errors} failed`)
}

async function benchSignIn(base: string, emails: readonly string[]): Promise<Result> {
  const signingIn = signInAgain(base, emails)
  await measure(signingIn, warmUpSeconds)
  const pairs: Pair[] = []
  for (let n = 0; n < signInRounds; n++) {
    const ours = await measure(signingIn, signInSeconds)
    const floor = fork(new URL('floors/argon2.ts', import.meta.url), [String(signInSeconds)])
    const [bare] = (await once(floor, 'message')) as [number]
    await once(floor, 'exit')
    pairs.push({ ours, floor: bare })
  }
  return {
    ...rates(pairs),
    what: 'sign-in by password',
    wanted: { atLeast: 0.9 },
    note: `${connections} at once, against argon2id alone`,
  }
}

async function benchRush(
  base: string,
  emails: readonly string[],
  url: string,
  token: string,
): Promise<Result> {
  const p99 = async (duration: number) =>
    (
      await autocannon({
        url,
        headers: { authorization: `Bearer ${token}` },
        connections: 4,
        overallRate: 200,
        duration,
      })
    ).latency.p99
  const pairs: { idle: number; busy: number }[] = []
  for (let n = 0; n < rounds; n++) {
    const idle = await p99(rushSeconds)
    const queue = fork(new URL('sign-in-queue.ts', import.meta.url), [
      base,
      String(rush),
      String(rushSeconds + 3),
      ...emails,
    ])
    const ended = once(queue, 'exit')
    await sleep(2_000)
    pairs.push({ idle, busy: await p99(rushSeconds) })
    const [code] = (await ended) as [number]
    if (code !== 0) throw new Error('a sign-in of the queue was not served')
    // Those that were in the queue at the end are still hashed, for nobody.
    await sleep(3_000)
  }
  return {
    what: 'GET /v1/instances p99 in a rush of sign-ins',
    figure: `${median(pairs.map(pair => pair.busy))} ms`,
    floor: `${median(pairs.map(pair => pair.idle))} ms idle`,
    value: median(pairs.map(pair => pair.busy / Math.max(1, pair.idle))),
    unit: 'ratio',
    wanted: { atMost: 2 },
    note: `${rush} sign-ins queue`,
  }
}
