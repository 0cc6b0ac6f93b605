/**
 * Limits that hold across processes, since they live in PostgreSQL: a bucket per IP and route, and one each for all
 * mails and all text messages. All answer 429. Pauses between messages are in `spacing.ts`, those after wrong passwords
 * and codes in `lockouts.ts`.
 */
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
