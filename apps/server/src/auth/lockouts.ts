/**
 * Growing pauses after wrong passwords and wrong codes. They are the same for addresses without an account, and while
 * one lasts even the right password or code is not told apart. All answer 429.
 *
 * Tries from a place where the user signed in before are counted apart from those of everybody else (`auth_failure_key`),
 * so whoever guesses from elsewhere keeps nobody out.
 */
import { sql } from 'kysely'
import type { Database, Db, Tx } from '../db/database.ts'
import { addressKey } from './addresses.ts'
import { AuthError } from './errors.ts'
import type { LimitNeeds } from './limits.ts'
import type { AuthSettings } from './settings.ts'
import { smsKey } from './spacing.ts'
import type { Places } from './visitor.ts'

/** Whose tries: the address or phone as it was typed, its account if there is one, and where they are made from. */
export interface Tries {
  readonly who: string
  readonly userId: string | null
  readonly places: Places
}

/** Refuses when `auth_locked_seconds` or `auth_clear_failures` answered with seconds left. */
export const assertUnlocked = (seconds: number): void => refuse(seconds, passwords)

/** Returns the key under which these tries are counted. */
export async function assertNotLocked(needs: Pick<LimitNeeds, 'database'>, tries: Tries): Promise<string> {
  return failureKey(needs.database, addressKey(tries.who), tries, passwords)
}

export async function countWrongPassword({ database, settings }: LimitNeeds, key: string): Promise<void> {
  await countFailure(database, key, settings.wrongPasswords)
}

/**
 * Forgets wrong passwords after a right one. Refuses when wrong ones locked the key in the meantime: guesses made at
 * once gain nothing.
 */
export async function forgetWrongPasswords(
  { database }: Pick<LimitNeeds, 'database'>,
  key: string,
): Promise<void> {
  refuse(await clearFailures(database.kysely, key), passwords)
}

/** The same for codes that a user types; newer codes do not forget the guesses at older ones. */
export async function assertCodesNotLocked(
  { database }: Pick<LimitNeeds, 'database'>,
  tries: Tries,
): Promise<string> {
  return failureKey(database, codeKey(tries.who), tries, codes)
}

/** Who types a code that was sent to a phone, as far as one can tell. */
export type Standing = 'home' | 'asker' | 'stranger'

/** The same for codes sent to a phone. */
export async function assertPhoneNotLocked(
  { database }: Pick<LimitNeeds, 'database'>,
  phone: string,
  places: Places,
): Promise<{ key: string; standing: Standing }> {
  const { rows } = await database.pool.query<{ key: string; standing: Standing; seconds: number }>(
    'select key, standing, auth_locked_seconds(key) as seconds from auth_code_key($1, $2, $3, $4)',
    [codeKey(phone), phone, smsKey(phone), places],
  )
  refuse(rows[0]!.seconds, codes)
  return rows[0]!
}

export async function countWrongCode({ database, settings }: LimitNeeds, key: string): Promise<void> {
  await countFailure(database, key, settings.wrongCodes)
}

export async function forgetWrongCodes(tx: Db | Tx, key: string): Promise<void> {
  refuse(await clearFailures(tx, key), codes)
}

const codeKey = (who: string) => `code:${addressKey(who)}`
const passwords = 'Too many wrong passwords for this address.'
const codes = 'Too many wrong codes.'

/** Statements here have no name: each calls one function, and a kept plan gains nothing for it. */
async function countFailure(
  { pool }: Database,
  key: string,
  { free, maxPauseSeconds }: AuthSettings['wrongPasswords'],
): Promise<void> {
  await pool.query('select auth_note_failure($1, $2, $3)', [key, free, maxPauseSeconds])
}

async function failureKey(
  { pool }: Database,
  key: string,
  { userId, places }: Tries,
  why: string,
): Promise<string> {
  const { rows } = await pool.query<{ key: string; seconds: number }>(
    'select key, auth_locked_seconds(key) as seconds from auth_failure_key($1, $2, $3) key',
    [key, userId, places],
  )
  refuse(rows[0]!.seconds, why)
  return rows[0]!.key
}

async function clearFailures(db: Db | Tx, key: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`select auth_clear_failures(${key}) as seconds`.execute(db)
  return rows[0]!.seconds
}

function refuse(seconds: number, why: string): void {
  if (seconds > 0)
    throw new AuthError(429, 'over_request_rate_limit', `${why} Try again in ${seconds} seconds.`)
}
