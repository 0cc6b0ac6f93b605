/** Reads of factors and challenges. Decisions about a user's factors are made in turn, under the user's lock. */
import { sql } from 'kysely'
import type { Database, Db, Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { lockUser, type UserRow } from '../queries.ts'
import type { FactorCall } from './call.ts'

export interface FactorRow {
  readonly id: string
  readonly user_id: string
  readonly factor_type: 'totp' | 'phone' | 'webauthn' | 'recovery_code'
  readonly status: 'unverified' | 'verified'
  readonly friendly_name: string
  readonly secret_sealed: Buffer | null
  readonly last_step: bigint
  readonly phone: string | null
  readonly credential_id: Buffer | null
  readonly public_key: Buffer | null
  readonly sign_count: bigint
  readonly transports: readonly string[]
  readonly failures: number
  /** Until codes are looked at again; 0: now. */
  readonly locked_seconds: number
}

const columns = sql`
  id, user_id, factor_type, status, friendly_name, secret_sealed, last_step, phone, credential_id, public_key, sign_count,
  transports, failures,
  coalesce(greatest(0, ceil(extract(epoch from locked_until - clock_timestamp()))), 0)::integer as locked_seconds`

export async function findFactor(db: Db | Tx, userId: string, id: string): Promise<FactorRow> {
  const { rows } = await sql<FactorRow>`
    select ${columns} from auth_factor where id = ${id} and user_id = ${userId}`.execute(db)
  if (!rows[0]) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
  return rows[0]
}

export async function findRecoveryFactor(db: Db | Tx, userId: string): Promise<FactorRow | null> {
  const { rows } = await sql<FactorRow>`
    select ${columns} from auth_factor where user_id = ${userId} and factor_type = 'recovery_code'`.execute(
    db,
  )
  return rows[0] ?? null
}

export async function getRecoveryCodesStatus({ database }: { database: Database }, { user }: FactorCall) {
  const factor = await findRecoveryFactor(database.kysely, user.id)
  if (!factor) throw notEnrolled()
  const { rows } = await sql<{ total: number; remaining: number }>`
    select count(*)::integer as total, (count(*) filter (where used_at is null))::integer as remaining
    from auth_recovery_code where factor_id = ${factor.id}`.execute(database.kysely)
  return { id: factor.id, type: 'recovery_code', ...rows[0]! }
}

const notEnrolled = () =>
  new AuthError(404, 'mfa_factor_not_found', 'The user has not enrolled recovery codes')

/** The user as they are now. Nobody else changes their factors before the transaction ends. */
export async function lockOwner(tx: Tx, userId: string): Promise<UserRow> {
  const user = await lockUser(tx, userId)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  return user
}

/** The recovery codes' factor under its user's lock. */
export async function lockRecoveryFactor(tx: Tx, userId: string): Promise<FactorRow> {
  await lockOwner(tx, userId)
  const factor = await findRecoveryFactor(tx, userId)
  if (!factor) throw notEnrolled()
  return factor
}

/** A factor under its user's lock. */
export async function findFactorOf(tx: Tx, userId: string, id: string): Promise<FactorRow> {
  await tx.selectFrom('auth_user').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  return findFactor(tx, userId, id)
}

/** A security key: what is kept of it. */
export interface KeyRow {
  readonly credential_id: Buffer
  readonly public_key: Buffer
  readonly sign_count: bigint
  readonly transports: readonly string[]
}

/** Null for a factor that is none, or has none yet. */
export function keyOf(factor: FactorRow): KeyRow | null {
  const { credential_id, public_key, sign_count, transports } = factor
  return credential_id && public_key && { credential_id, public_key, sign_count, transports }
}

export async function listKeys(db: Db | Tx, userId: string): Promise<KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select credential_id, public_key, sign_count, transports from auth_factor
    where user_id = ${userId} and credential_id is not null`.execute(db)
  return rows
}

export interface ChallengeRow {
  readonly id: string
  readonly code_sealed: Buffer | null
  readonly nonce: Buffer | null
  readonly used: boolean
  readonly same_ip: boolean
  readonly expired: boolean
}

export async function findChallenge(
  tx: Tx,
  factorId: string,
  id: string,
  ip: string | null,
): Promise<ChallengeRow | null> {
  const { rows } = await sql<ChallengeRow>`
    select id, code_sealed, nonce, verified_at is not null as used, ip is not distinct from ${ip}::inet as same_ip,
      expires_at <= now() as expired
    from auth_factor_challenge where id::text = ${id.toLowerCase()} and factor_id = ${factorId}`.execute(tx)
  return rows[0] ?? null
}
