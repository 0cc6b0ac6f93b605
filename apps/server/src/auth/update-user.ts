/**
 * Changes the signed-in user: what they say about themselves (merged; null removes a key), the password, the address,
 * the phone. A new password ends every other session and makes older mails worthless. A new address or phone only takes
 * effect once it is confirmed; the first address of somebody anonymous at once where accounts open without a mail, since
 * it is like signing up.
 */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../db/database.ts'
import { readEmail } from './addresses.ts'
import { type Body, maxUserData } from './body.ts'
import { applyNewEmail } from './codes/apply-new-email.ts'
import { applyNewPhone } from './codes/apply-new-phone.ts'
import { dropOtps } from './codes/drop-otps.ts'
import { isNonce } from './codes/find-otp.ts'
import { keepNewPhone } from './codes/keep-new-phone.ts'
import { mailEmailChange } from './codes/mail-email-change.ts'
import type { LinkNeeds } from './codes/mail-link.ts'
import type { OtpNeeds } from './codes/otp.ts'
import { type Challenge, readChallenge } from './codes/pkce.ts'
import { textCode, type TextNeeds } from './codes/text-code.ts'
import { AuthError, emailExists, invalid, phoneExists } from './errors.ts'
import { passwordChanged } from './letters/alerts.ts'
import { sendAlert } from './letters/send-alert.ts'
import type { Channel, SmsSender } from './letters/sms-sender.ts'
import { readChannel, readOfferedPhone } from './letters/read-offered-phone.ts'
import { isOwnPassword } from './is-own-password.ts'
import { type LimitNeeds, takeToken } from './limits.ts'
import { assertCodesNotLocked, countWrongCode, forgetWrongCodes } from './lockouts.ts'
import { assertGoodPassword, hashPassword, verifyPassword } from './passwords/passwords.ts'
import {
  findUserById,
  isEmailTaken,
  isPhoneTaken,
  lockUser,
  presentUser,
  type UserBody,
  type UserRow,
} from './queries.ts'
import { assertStillSignedIn } from './sessions/assert-still-signed-in.ts'
import { assertSecondFactor } from './sessions/require-session.ts'
import type { SessionClaims } from './sessions/tokens.ts'
import type { AuthSettings } from './settings.ts'
import type { Visitor } from './visitor.ts'

interface UpdateUserNeeds extends TextNeeds, LinkNeeds {
  readonly wakeMail: () => void
}

interface Changes {
  readonly email: string | null
  readonly phone: string | null
  readonly channel: Channel
  readonly password: string | null
  readonly currentPassword: string
  readonly nonce: string
  readonly data: Record<string, unknown> | null
  readonly challenge: Challenge | null
}

export async function updateUser(
  needs: UpdateUserNeeds,
  user: UserRow,
  session: SessionClaims,
  body: Body,
  visitor: Visitor,
): Promise<UserBody> {
  await takeToken(needs, 'user', visitor.ip)
  const changes = readChanges(needs, user, body)
  const { email, phone, channel, password } = changes
  if (email || phone || password !== null) {
    assertSecondFactor(user, session, 'update email or password')
    assertCanComeBack(user, changes)
    assertOwnSignIn(user)
  }
  if (email && (await isEmailTaken(needs.database.kysely, email, user.id))) throw emailExists()
  if (phone && (await isPhoneTaken(needs.database.kysely, phone, user.id))) throw phoneExists()
  if (password !== null) await assertSameUser(needs, user, session, changes.nonce, visitor)
  if (password !== null)
    await assertMayChangePassword(needs, user, session, password, changes.currentPassword, visitor)
  const passwordHash = password === null ? null : await hashPassword(password)
  const write = (tx: Tx, code: string | null) =>
    apply(tx, needs, user.id, session.id, { ...changes, passwordHash }, code, visitor)
  const updated =
    phone && !needs.settings.phoneAutoconfirm
      ? (await textCode(needs, { phone, channel, places: visitor.places, keep: write })).user
      : await inTransaction(needs.database.kysely, tx => write(tx, null))
  if (email || phone || passwordHash) needs.wakeMail()
  return presentUser(updated)
}

function readChanges(
  needs: { settings: AuthSettings; sms: SmsSender | null },
  user: UserRow,
  body: Body,
): Changes {
  const email = body.text('email', 1024) ? readEmail(body.text('email', 1024)) : null
  const given = body.text('phone', 64)
  const phone = given ? readOfferedPhone(needs, given, 400, 'Unsupported phone provider') : null
  const password = body.has('password') ? body.text('password', 1024) : null
  if (password !== null) assertGoodPassword(password, needs.settings)
  if (body.has('app_metadata'))
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges')
  return {
    email: email === user.email ? null : email,
    phone: phone === user.phone ? null : phone,
    channel: phone ? readChannel(needs, body) : 'sms',
    password,
    currentPassword: body.text('current_password', 1024),
    nonce: body.text('nonce', 64),
    data: body.object('data'),
    challenge: readChallenge(body),
  }
}

/** Refuses a password to somebody who has no address or phone to sign in with. */
function assertCanComeBack(user: UserRow, { email, phone }: Changes): void {
  if (!user.is_anonymous || email || phone) return
  throw new AuthError(
    422,
    'validation_failed',
    'Updating password of an anonymous user without an email or phone is not allowed',
  )
}

/** Refuses whoever signs in through a connection: they are what that says they are. */
function assertOwnSignIn(user: UserRow): void {
  if (!user.is_sso_user) return
  throw new AuthError(
    422,
    'user_sso_managed',
    'Cannot update email, phone or password of a user who signs in by single sign-on',
  )
}

/**
 * Refuses without a code, mailed or texted, where the operator wants one: a session that is older than a day may be in
 * other hands by now.
 */
async function assertSameUser(
  needs: LimitNeeds & OtpNeeds,
  user: UserRow,
  session: SessionClaims,
  nonce: string,
  { places }: Visitor,
): Promise<void> {
  const db = needs.database.kysely
  if (!needs.settings.securePasswordChange) return
  const { rows } = await sql`
    select 1 from auth_session where id = ${session.id} and created_at > now() - interval '1 day'`.execute(db)
  if (rows.length > 0) return
  if (!nonce) throw new AuthError(400, 'reauthentication_needed', 'Password update requires reauthentication')
  const key = await assertCodesNotLocked(needs, { who: user.id, userId: user.id, places })
  if (await inTransaction(db, tx => isNonce(tx, needs, user.id, nonce))) return forgetWrongCodes(db, key)
  await countWrongCode(needs, key)
  throw new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid')
}

/** Somebody who came through a recovery mail does not know the present password. */
const recoveryMethods = new Set(['otp', 'magiclink', 'recovery'])

async function assertMayChangePassword(
  needs: LimitNeeds,
  user: UserRow,
  session: SessionClaims,
  password: string,
  currentPassword: string,
  { places }: Visitor,
): Promise<void> {
  const recovers = session.amr.some(({ method }) => recoveryMethods.has(method))
  // A present password that is sent must be right, also where none is asked for: whoever sends it relies on the check.
  const isAsked = needs.settings.requireCurrentPassword || currentPassword !== ''
  if (isAsked && user.password_hash && !recovers) {
    if (!currentPassword)
      throw new AuthError(400, 'current_password_required', 'Changing the password requires the current one')
    const tries = { who: user.email ?? user.phone ?? user.id, userId: user.id, places }
    if (!(await isOwnPassword(needs, tries, user.password_hash, currentPassword)))
      throw new AuthError(400, 'current_password_invalid', 'The current password is wrong')
  }
  if (await verifyPassword(user.password_hash, password))
    throw new AuthError(422, 'same_password', 'New password should be different from the old password.')
}

async function apply(
  tx: Tx,
  needs: LinkNeeds,
  userId: string,
  sessionId: string,
  { email, phone, passwordHash, data, challenge }: Changes & { readonly passwordHash: string | null },
  phoneCode: string | null,
  visitor: Visitor,
): Promise<UserRow> {
  const user = await lockUser(tx, userId)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  await assertStillSignedIn(tx, userId, sessionId)
  if (passwordHash !== null) {
    await setPassword(tx, user, sessionId, passwordHash)
    await sendAlert(tx, needs, user.email_confirmed_at && user.email, passwordChanged)
  }
  if (data) await mergeData(tx, user, data)
  if (email && user.is_anonymous && needs.settings.autoconfirm)
    await applyNewEmail(tx, needs, { ...user, new_email: email }, 'email_change_new')
  else if (email)
    await mailEmailChange(tx, needs, user, email, challenge, visitor.redirectTo, { passwordHash })
  if (phone && phoneCode) await keepNewPhone(tx, needs, userId, phone, phoneCode, { passwordHash })
  else if (phone) await applyNewPhone(tx, needs, user, phone)
  return (await findUserById(tx, userId))!
}

async function setPassword(
  tx: Tx,
  { id: userId, is_proved: isProved }: UserRow,
  sessionId: string,
  passwordHash: string,
): Promise<void> {
  await sql`
    update auth_user set password_hash = ${passwordHash}, password_given = false, password_dropped = false, updated_at = now()
    where id = ${userId}`.execute(tx)
  await tx.deleteFrom('auth_session').where('user_id', '=', userId).where('id', '<>', sessionId).execute()
  // Before the first proof the password may be a stranger's, and the links and codes their victim's.
  if (isProved) await dropOtps(tx, userId)
  await tx.deleteFrom('auth_code').where('user_id', '=', userId).execute()
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
