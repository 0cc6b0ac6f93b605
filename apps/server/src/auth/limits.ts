/**
 * Limits that hold across processes, since they live in PostgreSQL: a bucket per IP and route, a pause between messages
 * to one address, and a growing pause after wrong passwords and codes. All answer 429. Pauses are the same for addresses
 * without an account, and while one lasts even the right password or code is not told apart.
 */
import { createHash } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { sql } from 'kysely'
import { batchPer, columns } from '../db/coalesce.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { AuthError } from './errors.ts'
import type { AuthSettings, BucketName, Limit } from './settings.ts'

export interface LimitNeeds {
  readonly database: Database
  readonly settings: AuthSettings
}

/** The arguments of `auth_take_token`. */
export type Bucket = readonly [key: string, burst: number, perSecond: number]

/** Null: there is no limit. */
export function bucketOf(
  { settings }: Pick<LimitNeeds, 'settings'>,
  name: BucketName,
  ip: string | null,
): Bucket | null {
  const limit = settings.buckets[name]
  return limit && [`${name}:${networkOf(ip)}`, limit.burst, limit.perSecond]
}

export const assertFree = (free: boolean): void => {
  if (!free) throw new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached')
}

const takeEach = `
  select n::integer, auth_take_token(key, burst, per_second) as free, set_config('synchronous_commit', 'off', true)
  from unnest(${columns('integer', 'text', 'integer', 'float8')}) w (n, key, burst, per_second)`

/**
 * Nearly every call takes one: those that arrive together share a query, and nobody waits for the disk, since after a
 * crash no count matters.
 */
const takeFrom = batchPer(async ({ pool }: Database, buckets: readonly Bucket[]): Promise<boolean[]> => {
  const inTurn = inOrderOfKeys(buckets, bucket => bucket)
  const values = [inTurn.map(([n]) => n), ...bucketColumns(inTurn.map(([, bucket]) => bucket))]
  const { rows } = await pool.query<{ n: number; free: boolean }>({
    name: 'auth.take-tokens',
    text: takeEach,
    values,
  })
  const free: boolean[] = []
  for (const row of rows) free[row.n] = row.free
  return free
})

/**
 * Items with their places, in the order of their keys. Two queries that take from several buckets in this order never
 * wait for each other.
 */
export const inOrderOfKeys = <T>(
  items: readonly T[],
  bucketOfItem: (item: T) => Bucket | null,
): [number, T][] => {
  const keyOfItem = ([, item]: [number, T]) => bucketOfItem(item)?.[0] ?? ''
  return [...items.entries()].toSorted(
    (a, b) => Number(keyOfItem(a) > keyOfItem(b)) - Number(keyOfItem(a) < keyOfItem(b)),
  )
}

/** The buckets as columns for `unnest`. */
export const bucketColumns = (buckets: readonly (Bucket | null)[]): unknown[][] =>
  [0, 1, 2].map(column => buckets.map(bucket => bucket?.[column] ?? null))

export async function takeToken(needs: LimitNeeds, name: BucketName, ip: string | null): Promise<void> {
  const bucket = bucketOf(needs, name, ip)
  if (bucket) assertFree(await takeFrom(needs.database, bucket))
}

/** Reads for calls that take their token in a query of their own: what cannot be read costs one as well. */
export async function readOrTake<T>(
  needs: LimitNeeds,
  name: BucketName,
  ip: string | null,
  read: () => T,
): Promise<T> {
  try {
    return read()
  } catch (error) {
    await takeToken(needs, name, ip)
    throw error
  }
}

/** Counts one mail of the service's, in the transaction that sends it; refuses when there were too many. */
export async function takeMail(tx: Tx, { settings }: Pick<LimitNeeds, 'settings'>): Promise<void> {
  if (await take(tx, 'mails', settings.mails)) return
  throw new AuthError(429, 'over_email_send_rate_limit', 'email rate limit exceeded')
}

/**
 * Counts one message to a phone. It stands in no transaction: the row is everybody's, and the provider may take its
 * time.
 */
export async function takeSms({ database, settings }: LimitNeeds): Promise<void> {
  if (await take(database.kysely, 'sms', settings.sms)) return
  throw new AuthError(429, 'over_sms_send_rate_limit', 'SMS rate limit exceeded')
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

export function assertMailSpacing(
  { settings }: Pick<LimitNeeds, 'settings'>,
  lastSentAt: string | null,
): void {
  if (!lastSentAt) return
  const left = Math.ceil((Date.parse(lastSentAt) + settings.mailSpacingSeconds * 1000 - Date.now()) / 1000)
  if (left > 0) throw tooSoon('over_email_send_rate_limit', left)
}

const tooSoon = (code: 'over_email_send_rate_limit' | 'over_sms_send_rate_limit', seconds: number) =>
  new AuthError(429, code, `For security purposes, you can only request this after ${seconds} seconds.`)

/** Only the hash of what was typed is kept: it may be a password or worse. */
const keyOf = (address: string) => createHash('sha256').update(address).digest('base64url')

/** A call that mails to an address on anybody's word. */
export type MailedCall = 'otp' | 'recover' | 'resend:signup' | 'resend:email_change'

/**
 * Takes the next slot for a mail to this address before it is known whether anybody has it, so that the pause does not
 * tell. The slot is free again when the transaction is undone.
 */
export async function claimMail(
  tx: Tx,
  needs: Pick<LimitNeeds, 'settings'>,
  call: MailedCall,
  email: string,
): Promise<void> {
  const left = await claim(tx, `${call}:${keyOf(email)}`, needs.settings.mailSpacingSeconds)
  if (left > 0) throw tooSoon('over_email_send_rate_limit', left)
}

/** Takes the next slot for a message to this phone, whatever it is for, until `releaseSms`. */
export async function claimSms({ database, settings }: LimitNeeds, phone: string): Promise<void> {
  const left = await claim(database.kysely, smsKey(phone), settings.smsSpacingSeconds)
  if (left > 0) throw tooSoon('over_sms_send_rate_limit', left)
}

/** Frees the slot: nothing was sent after all. */
export async function releaseSms({ database }: Pick<LimitNeeds, 'database'>, phone: string): Promise<void> {
  await database.kysely.deleteFrom('auth_sending').where('key', '=', smsKey(phone)).execute()
}

const smsKey = (phone: string) => `sms:${keyOf(phone)}`

async function claim(db: Db | Tx, key: string, seconds: number): Promise<number> {
  const { rows } = await sql<{ left: number }>`select auth_claim_sending(${key}, ${seconds}) as left`.execute(
    db,
  )
  return rows[0]!.left
}

/** The key under which wrong passwords for an address are counted: for `auth_locked_seconds` and `auth_clear_failures`. */
export const passwordKey = keyOf

/** Refuses when those two answer with seconds left. */
export const assertUnlocked = (seconds: number): void => refuse(seconds, passwords)

export async function assertNotLocked(
  { database }: Pick<LimitNeeds, 'database'>,
  address: string,
): Promise<void> {
  await refuseWhileLocked(database, 'select auth_locked_seconds($1) as seconds', keyOf(address), passwords)
}

export async function noteWrongPassword({ database, settings }: LimitNeeds, address: string): Promise<void> {
  await noteFailure(database, keyOf(address), settings.wrongPasswords)
}

/**
 * Forgets wrong passwords after a right one. Refuses when wrong ones locked the address in the meantime: guesses made
 * at once gain nothing.
 */
export async function forgetWrongPasswords(
  { database }: Pick<LimitNeeds, 'database'>,
  address: string,
): Promise<void> {
  await refuseWhileLocked(database, 'select auth_clear_failures($1) as seconds', keyOf(address), passwords)
}

/** The same for codes that a person types, by phone or user; newer codes do not forget the guesses at older ones. */
export async function assertCodesNotLocked(
  { database }: Pick<LimitNeeds, 'database'>,
  who: string,
): Promise<void> {
  await refuseWhileLocked(database, 'select auth_locked_seconds($1) as seconds', codeKey(who), codes)
}

export async function noteWrongCode({ database, settings }: LimitNeeds, who: string): Promise<void> {
  await noteFailure(database, codeKey(who), settings.wrongCodes)
}

export async function forgetWrongCodes(tx: Db | Tx, who: string): Promise<void> {
  const { rows } = await sql<{
    seconds: number
  }>`select auth_clear_failures(${codeKey(who)}) as seconds`.execute(tx)
  refuse(rows[0]!.seconds, codes)
}

const codeKey = (who: string) => `code:${keyOf(who)}`
const passwords = 'Too many wrong passwords for this address.'
const codes = 'Too many wrong codes.'

/**
 * The statements of this and of `refuseWhileLocked` have no name: they call one function, and keeping a plan of that gains
 * nothing.
 */
async function noteFailure(
  { pool }: Database,
  key: string,
  { free, maxPauseSeconds }: AuthSettings['wrongPasswords'],
): Promise<void> {
  await pool.query('select auth_note_failure($1, $2, $3)', [key, free, maxPauseSeconds])
}

async function refuseWhileLocked({ pool }: Database, text: string, key: string, why: string): Promise<void> {
  const { rows } = await pool.query<{ seconds: number }>(text, [key])
  refuse(rows[0]!.seconds, why)
}

function refuse(seconds: number, why: string): void {
  if (seconds > 0)
    throw new AuthError(429, 'over_request_rate_limit', `${why} Try again in ${seconds} seconds.`)
}
