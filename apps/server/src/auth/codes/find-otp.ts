/** Finds the code that somebody shows, and locks it. Wrong guesses are counted. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { AuthSettings } from '../settings.ts'
import {
  hashOf,
  type OtpKind,
  type OtpNeeds,
  pkcePrefix,
  tokenOf,
  typedContext,
  type TypedKind,
} from './otp.ts'
import type { Challenge } from './pkce.ts'

export interface Otp {
  readonly user_id: string
  readonly kind: OtpKind | TypedKind
  readonly code_challenge: string | null
  readonly code_challenge_method: Challenge['method'] | null
  /** What the request set that it was sent for. */
  readonly password_hash: string | null
  readonly identity_id: string | null
}

interface OtpRow extends Otp {
  readonly token_hash: string
  readonly code_sealed: Buffer | null
  readonly usable: boolean
}

const otpColumns = (needs: { settings: AuthSettings }) => sql`
  o.user_id, o.kind, o.token_hash, o.code_sealed, o.code_challenge, o.code_challenge_method,
  o.password_hash, o.identity_id, o.expires_at > now() and o.failed_attempts < ${needs.settings.maxOtpFailures} as usable`

/** The code behind a link, locked; null when it is unknown, used, expired or guessed at too often. */
export async function findOtpByToken(
  tx: Tx,
  needs: { settings: AuthSettings },
  kinds: readonly OtpKind[],
  token: string,
): Promise<Otp | null> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(needs)} from auth_otp o
    where o.token_hash = ${hashOf(token)} and o.kind = any(${kinds}) for update`.execute(tx)
  return rows[0]?.usable ? rows[0] : null
}

/** The same for a typed code. A wrong one counts against every code that it may have been meant for. */
export async function findOtpByCode(
  tx: Tx,
  needs: { settings: AuthSettings },
  kinds: readonly OtpKind[],
  address: string,
  code: string,
): Promise<Otp | null> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(needs)} from auth_otp o join auth_user u on u.id = o.user_id
    where o.kind = any(${kinds}) and ((u.email = ${address} and o.kind <> 'email_change_new')
      or (u.new_email = ${address} and o.kind = 'email_change_new'))
    order by o.user_id, o.kind for update of o`.execute(tx)
  const token = tokenOf(address, code)
  const match = rows.find(row => row.usable && isOneOf(row.token_hash, token, pkcePrefix + token))
  if (match) return match
  await countFailure(tx, rows)
  return null
}

/** A code sent to a phone, present or asked for. */
export async function findOtpByPhone(
  tx: Tx,
  needs: OtpNeeds,
  kind: 'sms' | 'phone_change',
  phone: string,
  code: string,
): Promise<Otp | null> {
  const owner = kind === 'sms' ? sql`u.phone = ${phone}` : sql`u.new_phone = ${phone}`
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(needs)} from auth_otp o join auth_user u on u.id = o.user_id
    where o.kind = ${kind} and ${owner} order by o.user_id for update of o`.execute(tx)
  return findTyped(tx, needs, rows, code)
}

/** Whether a user typed the code that was sent to confirm that it is them. */
export async function isNonce(tx: Tx, needs: OtpNeeds, userId: string, code: string): Promise<boolean> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(needs)} from auth_otp o
    where o.user_id = ${userId} and o.kind = 'reauthentication' for update`.execute(tx)
  return (await findTyped(tx, needs, rows, code)) !== null
}

async function findTyped(
  tx: Tx,
  { vault }: { vault: Vault },
  rows: readonly OtpRow[],
  code: string,
): Promise<Otp | null> {
  const match = rows.find(row => {
    const kept = vault.open(row.code_sealed!, typedContext(row.user_id, row.kind as TypedKind))
    return row.usable && timingSafeEqual(sha256(kept), sha256(code))
  })
  if (match) return match
  await countFailure(tx, rows)
  return null
}

const sha256 = (value: string | Buffer): Buffer => createHash('sha256').update(value).digest()

async function countFailure(tx: Tx, rows: readonly OtpRow[]): Promise<void> {
  for (const row of rows) {
    await sql`update auth_otp set failed_attempts = failed_attempts + 1
      where user_id = ${row.user_id} and kind = ${row.kind}`.execute(tx)
  }
}

function isOneOf(tokenHash: string, ...tokens: readonly string[]): boolean {
  const expected = Buffer.from(tokenHash)
  return tokens.filter(token => timingSafeEqual(expected, Buffer.from(hashOf(token)))).length > 0
}
