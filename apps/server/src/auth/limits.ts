/**
 * Limits that hold across processes, since they live in PostgreSQL: a bucket per IP and route, a pause between mails to
 * one user, and a growing pause after wrong passwords for one address. All answer 429. The pause after wrong passwords
 * is the same for addresses without an account, and while it lasts even the right password is not told apart.
 */
import { createHash } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { AuthError } from './errors.ts'
import type { AuthServices } from './services.ts'
import type { BucketName, Limit } from './settings.ts'

type Limited = Pick<AuthServices, 'database' | 'settings'>

const sweepEvery = 1_000
let taken = 0

export async function takeToken(auth: Limited, name: BucketName, ip: string | null): Promise<void> {
  const db = auth.database.kysely
  if (++taken % sweepEvery === 0) await sql`select auth_sweep()`.execute(db)
  const free = await take(db, `${name}:${networkOf(ip)}`, auth.settings.buckets[name])
  if (!free) throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached')
}

/** Counts one mail of the service's, in the transaction that sends it; refuses when there were too many. */
export async function takeMail(tx: Tx, { settings }: Limited): Promise<void> {
  if (await take(tx, 'mails', settings.mails)) return
  throw new AuthError(429, 'over_email_send_rate_limit', 'email rate limit exceeded')
}

async function take(db: Db | Tx, key: string, limit: Limit): Promise<boolean> {
  if (!limit) return true
  const { rows } = await sql<{ free: boolean }>`
    select auth_take_token(${key}, ${limit.burst}, ${limit.perSecond}) as free`.execute(db)
  return rows[0]!.free
}

/** A household or server has a whole /64 of IPv6 addresses. */
export function networkOf(ip: string | null): string {
  if (!ip) return 'unknown'
  const mapped = ip.replace(/^::ffff:/i, '')
  if (isIPv4(mapped)) return mapped
  const [head = '', tail] = ip.toLowerCase().split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map(group => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}

export function assertMailSpacing({ settings }: Limited, lastSentAt: string | null): void {
  if (!lastSentAt) return
  const left = Math.ceil((Date.parse(lastSentAt) + settings.mailSpacingSeconds * 1000 - Date.now()) / 1000)
  if (left <= 0) return
  throw new AuthError(
    429,
    'over_email_send_rate_limit',
    `For security purposes, you can only request this after ${left} seconds.`,
  )
}

/** What was typed may be a password or worse, so only its hash is kept. */
const keyOf = (email: string) => createHash('sha256').update(email).digest('base64url')

export async function assertNotLocked({ database }: Limited, email: string): Promise<void> {
  await refuseWhileLocked(database, 'select auth_locked_seconds($1) as seconds', email)
}

export async function noteWrongPassword({ database, settings }: Limited, email: string): Promise<void> {
  const { free, maxPauseSeconds } = settings.wrongPasswords
  await database.pool.query('select auth_note_failure($1, $2, $3)', [keyOf(email), free, maxPauseSeconds])
}

/** After a right password. Refuses when wrong ones locked the address in the meantime: guesses made at once gain nothing. */
export async function forgetWrongPasswords({ database }: Limited, email: string): Promise<void> {
  await refuseWhileLocked(database, 'select auth_clear_failures($1) as seconds', email)
}

async function refuseWhileLocked(
  { pool }: AuthServices['database'],
  text: string,
  email: string,
): Promise<void> {
  const { rows } = await pool.query<{ seconds: number }>(text, [keyOf(email)])
  const { seconds } = rows[0]!
  if (seconds === 0) return
  throw new AuthError(
    429,
    'over_request_rate_limit',
    `Too many wrong passwords for this address. Try again in ${seconds} seconds.`,
  )
}
