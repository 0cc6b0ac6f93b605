/**
 * Whoever is signed in shows once more that it is them, before money or an account leaves. With a second factor the
 * session must have shown it; otherwise the password is asked, and wrong ones make the next try wait, as at sign-in.
 */
import { IngotError } from '@ingot/contracts/errors'
import { freshMinutes } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Database, Db } from '../db/database.ts'
import type { SessionCaller } from '../http/bind.ts'
import { AuthError } from './errors.ts'
import { isOwnPassword } from './is-own-password.ts'
import { defaultSettings } from './settings.ts'
import type { Places } from './visitor.ts'

/** What proves that the owner of an account asks. */
export interface Proof {
  readonly kind: 'password' | 'aal2'
  readonly aal: 'aal1' | 'aal2'
  /** When this session last showed a second factor. */
  readonly factor_at: string | null
  /** When it was given the password. */
  readonly password_at: string | null
  /** When it began, however. */
  readonly signed_in_at: string
  /** What they sign in with: wrong passwords are counted under it. */
  readonly address: string | null
  readonly password_hash: string | null
}

export async function getProof(db: Db, { userId, sessionId }: SessionCaller): Promise<Proof> {
  const { rows } = await sql<Proof>`
    select s.aal, coalesce(u.email, u.phone) as address, u.password_hash, (
        select to_timestamp(max((method->>'timestamp')::bigint)) from jsonb_array_elements(s.amr) method where method ? 'factor_id') as factor_at, (
        select to_timestamp(max((method->>'timestamp')::bigint)) from jsonb_array_elements(s.amr) method
        where method->>'method' = 'password') as password_at, s.created_at as signed_in_at,
      case when exists (select from auth_factor where user_id = u.id and status = 'verified') then 'aal2' else 'password' end as kind
    from auth_session s join auth_user u on u.id = s.user_id
    where s.id = ${sessionId} and u.id = ${userId}`.execute(db)
  if (!rows[0]) throw new IngotError('not_authenticated')
  return rows[0]
}

/**
 * Until when it counts as just proven that the session is its owner's; null: it does not. Where there is neither a
 * password nor a second factor, whoever they signed in with has proven it.
 */
export function freshUntil({
  kind,
  aal,
  factor_at,
  password_at,
  password_hash,
  signed_in_at,
}: Proof): string | null {
  const at =
    kind === 'aal2'
      ? aal === 'aal2'
        ? factor_at
        : null
      : (password_at ?? (password_hash ? null : signed_in_at))
  const until = at === null ? 0 : Date.parse(at) + freshMinutes * 60_000
  return until > Date.now() ? new Date(until).toISOString() : null
}

export interface ProofNeeds {
  readonly database: Database
  readonly config: Pick<Config, 'loopback' | 'auth'>
}

export async function assertOwnPassword(
  { database, config }: ProofNeeds,
  userId: string,
  { address, password_hash }: Proof,
  password: string,
  places: Places,
): Promise<void> {
  if (!password_hash)
    throw wrong('password', 'Your account has none yet: set one with “Forgot password”, then come back')
  if (!password) throw wrong('password', 'Enter your password')
  const tries = { who: address ?? userId, userId, places }
  const limited = { database, settings: defaultSettings(config) }
  if (!(await orRateLimited(isOwnPassword(limited, tries, password_hash, password))))
    throw wrong('password', 'The password is wrong')
}

const wrong = (field: string, what: string) =>
  new IngotError('validation_failed', { fields: { [field]: what } })

/** The auth service's 429 in this API's shape. */
async function orRateLimited<T>(check: Promise<T>): Promise<T> {
  try {
    return await check
  } catch (error) {
    if (error instanceof AuthError) throw new IngotError('rate_limited', { message: error.message })
    throw error
  }
}
