/** Finds the code that somebody shows, and locks it. Wrong guesses are counted. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Standing } from '../lockouts.ts'
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
  readonly alive: boolean
  readonly failed_attempts: number
  readonly asker_failures: number
}

const otpColumns = sql`
  o.user_id, o.kind, o.token_hash, o.code_sealed, o.code_challenge, o.code_challenge_method,
  o.password_hash, o.identity_id, o.expires_at > now() as alive, o.failed_attempts, o.asker_failures`

/** Where wrong tries are counted; nowhere for the owner at home, whom growing pauses alone hold up. */
const countedIn = { stranger: 'failed_attempts', asker: 'asker_failures', home: null } as const

function isUsable({ settings }: { settings: AuthSettings }, row: OtpRow, standing: Standing): boolean {
  const count = countedIn[standing]
  return row.alive && (count === null || row[count] < settings.maxOtpFailures)
}

/** The code behind a link, locked; null when it is unknown, used or expired. Typed guesses do not end a link. */
export async function findOtpByToken(tx: Tx, kinds: readonly OtpKind[], token: string): Promise<Otp | null> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns} from auth_otp o
    where o.token_hash = ${hashOf(token)} and o.kind = any(${kinds}) for update`.execute(tx)
  return rows[0]?.alive ? rows[0] : null
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
    select ${otpColumns} from auth_otp o join auth_user u on u.id = o.user_id
    where o.kind = any(${kinds}) and ((u.email = ${address} and o.kind <> 'email_change_new')
      or (u.new_email = ${address} and o.kind = 'email_change_new'))
    order by o.user_id, o.kind for update of o`.execute(tx)
  const token = tokenOf(address, code)
  const match = rows.find(
    row => isUsable(needs, row, 'stranger') && isOneOf(row.token_hash, token, pkcePrefix + token),
  )
  if (match) return match
  await countFailure(tx, rows, 'stranger')
  return null
}

/** A code sent to a phone, present or asked for. The guesses of strangers end it for strangers alone. */
export async function findOtpByPhone(
  tx: Tx,
  needs: OtpNeeds,
  kind: 'sms' | 'phone_change',
  phone: string,
  code: string,
  standing: Standing,
): Promise<Otp | null> {
  const owner = kind === 'sms' ? sql`u.phone = ${phone}` : sql`u.new_phone = ${phone}`
  const { rows } = await sql<OtpRow>`
    select ${otpColumns} from auth_otp o join auth_user u on u.id = o.user_id
    where o.kind = ${kind} and ${owner} order by o.user_id for update of o`.execute(tx)
  return findTyped(tx, needs, rows, code, standing)
}

/** Whether a user typed the code that was sent to confirm that it is them. */
export async function isNonce(tx: Tx, needs: OtpNeeds, userId: string, code: string): Promise<boolean> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns} from auth_otp o
    where o.user_id = ${userId} and o.kind = 'reauthentication' for update`.execute(tx)
  return (await findTyped(tx, needs, rows, code, 'stranger')) !== null
}

async function findTyped(
  tx: Tx,
  needs: OtpNeeds,
  rows: readonly OtpRow[],
  code: string,
  standing: Standing,
): Promise<Otp | null> {
  const match = rows.find(row => {
    const kept = needs.vault.open(row.code_sealed!, typedContext(row.user_id, row.kind as TypedKind))
    return isUsable(needs, row, standing) && timingSafeEqual(sha256(kept), sha256(code))
  })
  if (match) return match
  await countFailure(tx, rows, standing)
  return null
}

const sha256 = (value: string | Buffer): Buffer => createHash('sha256').update(value).digest()

async function countFailure(tx: Tx, rows: readonly OtpRow[], standing: Standing): Promise<void> {
  const count = countedIn[standing]
  if (count === null) return
  for (const row of rows) {
    await sql`update auth_otp set ${sql.ref(count)} = ${sql.ref(count)} + 1
      where user_id = ${row.user_id} and kind = ${row.kind}`.execute(tx)
  }
}

function isOneOf(tokenHash: string, ...tokens: readonly string[]): boolean {
  const expected = Buffer.from(tokenHash)
  return tokens.filter(token => timingSafeEqual(expected, Buffer.from(hashOf(token)))).length > 0
}
