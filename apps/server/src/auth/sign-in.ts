/**
 * Signs in with e-mail and password. An unknown address, a user without a password and a wrong password get one answer,
 * after the same work; that an account is banned or unconfirmed, only the right password tells. Wrong ones make the next
 * try wait.
 */
import type { Body } from './body.ts'
import { isEmail, refusePhone } from './addresses.ts'
import { AuthError, invalid } from './errors.ts'
import { assertNotLocked, forgetWrongPasswords, noteWrongPassword, takeToken } from './limits.ts'
import { verifyPassword, weakness } from './passwords.ts'
import { findUserByEmail, findUserById } from './queries.ts'
import type { AuthServices, Visitor } from './services.ts'
import { sessionBody, startSession } from './session.ts'

export async function signIn(auth: AuthServices, body: Body, visitor: Visitor) {
  await takeToken(auth, 'token', visitor.ip)
  const email = body.text('email', 1024).toLowerCase()
  const phone = body.text('phone', 64)
  const password = body.text('password', 1024)
  if (email && phone) throw invalid('Only an email address or phone number should be provided on login.')
  if (phone) refusePhone(phone, 422, 'Phone logins are disabled')
  if (!email) throw invalid('missing email or phone')

  const db = auth.database.kysely
  await assertNotLocked(auth, email)
  const found = isEmail(email) ? await findUserByEmail(db, email) : null
  if (!(await verifyPassword(found?.password_hash, password))) {
    await noteWrongPassword(auth, email)
    throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
  }
  await forgetWrongPasswords(auth, email)
  if (found!.banned) throw new AuthError(400, 'user_banned', 'User is banned')
  if (!found!.email_confirmed_at) throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed')

  const grant = await startSession(db, auth, found!.id, 'password', visitor)
  const session = await sessionBody(auth, (await findUserById(db, found!.id))!, grant)
  const weak = weakness(password, auth.settings)
  return weak ? { ...session, weak_password: { message: weak.message, reasons: weak.reasons } } : session
}
