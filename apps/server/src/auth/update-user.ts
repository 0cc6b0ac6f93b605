/**
 * Changes the signed-in user: what they say about themselves (merged; null removes a key), the password, the address. A
 * new password ends every other session and makes older mails worthless. A new address only takes effect once it is
 * confirmed.
 */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../db/database.ts'
import { readEmail, refusePhone } from './addresses.ts'
import { type Body, maxUserData } from './body.ts'
import { emailExists } from './confirm.ts'
import { AuthError, invalid } from './errors.ts'
import { takeToken } from './limits.ts'
import { mailEmailChange } from './mail-email-change.ts'
import { dropOtps } from './otp.ts'
import { assertGoodPassword, hashPassword, verifyPassword } from './passwords.ts'
import { type Challenge, readChallenge } from './pkce.ts'
import { findUserById, isEmailTaken, lockUser, presentUser, type UserBody, type UserRow } from './queries.ts'
import type { AuthServices, Visitor } from './services.ts'
import type { SessionClaims } from './tokens.ts'

interface Changes {
  readonly email: string | null
  readonly password: string | null
  readonly currentPassword: string
  readonly data: Record<string, unknown> | null
  readonly challenge: Challenge | null
}

export async function updateUser(
  auth: AuthServices,
  user: UserRow,
  session: SessionClaims,
  body: Body,
  visitor: Visitor,
): Promise<UserBody> {
  await takeToken(auth, 'user', visitor.ip)
  const changes = readChanges(auth, user, body)
  const { email, password } = changes
  if (email && (await isEmailTaken(auth.database.kysely, email, user.id))) throw emailExists()
  if (password !== null) await assertMayChangePassword(auth, user, session, password, changes.currentPassword)
  const passwordHash = password === null ? null : await hashPassword(password)
  const updated = await inTransaction(auth.database.kysely, tx =>
    apply(tx, auth, user.id, session.id, { ...changes, passwordHash }, visitor),
  )
  if (email) auth.wakeMail()
  return presentUser(updated)
}

function readChanges({ settings }: AuthServices, user: UserRow, body: Body): Changes {
  const email = body.text('email', 1024) ? readEmail(body.text('email', 1024)) : null
  const phone = body.text('phone', 64)
  const password = body.has('password') ? body.text('password', 1024) : null
  if (password !== null) assertGoodPassword(password, settings)
  if (body.has('app_metadata'))
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges')
  if (phone) refusePhone(phone, 400, 'Unsupported phone provider')
  return {
    email: email === user.email ? null : email,
    password,
    currentPassword: body.text('current_password', 1024),
    data: body.object('data'),
    challenge: readChallenge(body),
  }
}

/** Somebody who came through a recovery mail does not know the present password. */
const recoveryMethods = new Set(['otp', 'magiclink', 'recovery'])

async function assertMayChangePassword(
  { settings }: AuthServices,
  user: UserRow,
  session: SessionClaims,
  password: string,
  currentPassword: string,
): Promise<void> {
  const recovers = session.amr.some(({ method }) => recoveryMethods.has(method))
  if (settings.requireCurrentPassword && user.password_hash && !recovers) {
    if (!currentPassword)
      throw new AuthError(400, 'current_password_required', 'Changing the password requires the current one')
    if (!(await verifyPassword(user.password_hash, currentPassword)))
      throw new AuthError(400, 'current_password_invalid', 'The current password is wrong')
  }
  if (await verifyPassword(user.password_hash, password))
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.')
}

async function apply(
  tx: Tx,
  auth: AuthServices,
  userId: string,
  sessionId: string,
  { email, passwordHash, data, challenge }: Changes & { readonly passwordHash: string | null },
  visitor: Visitor,
): Promise<UserRow> {
  const user = await lockUser(tx, userId)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (passwordHash !== null) await setPassword(tx, userId, sessionId, passwordHash)
  if (data) await mergeData(tx, user, data)
  if (email) await mailEmailChange(tx, auth, user, email, challenge, visitor.redirectTo)
  return (await findUserById(tx, userId))!
}

async function setPassword(tx: Tx, userId: string, sessionId: string, passwordHash: string): Promise<void> {
  await sql`update auth_user set password_hash = ${passwordHash}, updated_at = now() where id = ${userId}`.execute(
    tx,
  )
  await tx.deleteFrom('auth_session').where('user_id', '=', userId).where('id', '<>', sessionId).execute()
  await dropOtps(tx, userId)
  await sql`delete from auth_code where user_id = ${userId}`.execute(tx)
}

async function mergeData(tx: Tx, user: UserRow, data: Record<string, unknown>): Promise<void> {
  const merged = Object.entries({ ...user.user_metadata, ...data }).filter(([, value]) => value !== null)
  const json = JSON.stringify(Object.fromEntries(merged))
  if (Buffer.byteLength(json) > maxUserData)
    throw invalid(`data is too large (at most ${maxUserData} bytes in all)`)
  await sql`update auth_user set user_metadata = ${json}::jsonb, updated_at = now() where id = ${user.id}`.execute(
    tx,
  )
}
