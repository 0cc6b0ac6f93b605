/**
 * Growing pauses after wrong passwords and wrong codes. They are the same for addresses without an account, and while
 * one lasts even the right password or code is not told apart. All answer 429.
 */
import { sql } from 'kysely'
import type { Database, Db, Tx } from '../db/database.ts'
import { addressKey } from './addresses.ts'
import { AuthError } from './errors.ts'
import type { LimitNeeds } from './limits.ts'
import type { AuthSettings } from './settings.ts'

/** Refuses when `auth_locked_seconds` or `auth_clear_failures` answered with seconds left. */
export const assertUnlocked = (seconds: number): void => refuse(seconds, passwords)

export async function assertNotLocked(
  { database }: Pick<LimitNeeds, 'database'>,
  address: string,
): Promise<void> {
  await refuseWhileLocked(
    database,
    'select auth_locked_seconds($1) as seconds',
    addressKey(address),
    passwords,
  )
}

export async function countWrongPassword({ database, settings }: LimitNeeds, address: string): Promise<void> {
  await countFailure(database, addressKey(address), settings.wrongPasswords)
}

/**
 * Forgets wrong passwords after a right one. Refuses when wrong ones locked the address in the meantime: guesses made
 * at once gain nothing.
 */
export async function forgetWrongPasswords(
  { database }: Pick<LimitNeeds, 'database'>,
  address: string,
): Promise<void> {
  await refuseWhileLocked(
    database,
    'select auth_clear_failures($1) as seconds',
    addressKey(address),
    passwords,
  )
}

/** The same for codes that a person types, by phone or user; newer codes do not forget the guesses at older ones. */
export async function assertCodesNotLocked(
  { database }: Pick<LimitNeeds, 'database'>,
  who: string,
): Promise<void> {
  await refuseWhileLocked(database, 'select auth_locked_seconds($1) as seconds', codeKey(who), codes)
}

export async function countWrongCode({ database, settings }: LimitNeeds, who: string): Promise<void> {
  await countFailure(database, codeKey(who), settings.wrongCodes)
}

export async function forgetWrongCodes(tx: Db | Tx, who: string): Promise<void> {
  const { rows } = await sql<{
    seconds: number
  }>`select auth_clear_failures(${codeKey(who)}) as seconds`.execute(tx)
  refuse(rows[0]!.seconds, codes)
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

async function refuseWhileLocked({ pool }: Database, text: string, key: string, why: string): Promise<void> {
  const { rows } = await pool.query<{ seconds: number }>(text, [key])
  refuse(rows[0]!.seconds, why)
}

function refuse(seconds: number, why: string): void {
  if (seconds > 0)
    throw new AuthError(429, 'over_request_rate_limit', `${why} Try again in ${seconds} seconds.`)
}
