/**
 * Signs in with e-mail or phone and a password. An unknown address, a user without a password and a wrong password get one answer,
 * after the same work; that an account is banned or unconfirmed, only the right password tells. Wrong ones make the next
 * try wait.
 */
import { inTransaction } from '../db/database.ts'
import type { Body } from './body.ts'
import { isEmail } from './addresses.ts'
import { AuthError, invalid } from './errors.ts'
import { assertNotLocked, forgetWrongPasswords, noteWrongPassword, takeToken } from './limits.ts'
import { verifyPassword, weakness } from './passwords.ts'
import { findUserByEmail, findUserById, findUserByPhone } from './queries.ts'
import type { AuthServices, Visitor } from './services.ts'
import { sessionBody, startSession } from './session.ts'
import { readOfferedPhone } from './sms.ts'

export async function signIn(auth: AuthServices, body: Body, visitor: Visitor) {
  await takeToken(auth, 'token', visitor.ip)
  const email = body.text('email', 1024).toLowerCase()
  const given = body.text('phone', 64)
  const password = body.text('password', 1024)
  if (email && given) throw invalid('Only an email address or phone number should be provided on login.')
  const phone = given ? readOfferedPhone(auth, given, 422, 'Phone logins are disabled') : null
  if (!email && !phone) throw invalid('missing email or phone')
  if (email && !auth.settings.emailProvider)
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')

  const db = auth.database.kysely
  const address = phone ?? email
  await assertNotLocked(auth, address)
  const found = phone
    ? await findUserByPhone(db, phone)
    : isEmail(email)
      ? await findUserByEmail(db, email)
      : null
  if (!(await verifyPassword(found?.password_hash, password))) {
    await noteWrongPassword(auth, address)
    throw new AuthError(400, 'invalid_credentials', 'Invalid login credentials')
  }
  await forgetWrongPasswords(auth, address)
  if (found!.banned) throw new AuthError(400, 'user_banned', 'User is banned')
  if (phone && !found!.phone_confirmed_at)
    throw new AuthError(400, 'phone_not_confirmed', 'Phone not confirmed')
  if (!phone && !found!.email_confirmed_at)
    throw new AuthError(400, 'email_not_confirmed', 'Email not confirmed')

  const grant = await inTransaction(db, tx => startSession(tx, auth, found!.id, 'password', visitor))
  const session = await sessionBody(auth, (await findUserById(db, found!.id))!, grant)
  const weak = weakness(password, auth.settings)
  return weak ? { ...session, weak_password: { message: weak.message, reasons: weak.reasons } } : session
}
