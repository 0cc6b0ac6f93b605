/** Sends a confirmation again, at most once a minute. The same empty answer when there is nobody or nothing to confirm. */
import { inTransaction, type Tx } from '../db/database.ts'
import { readEmail, refusePhone } from './addresses.ts'
import type { Body } from './body.ts'
import { invalid } from './errors.ts'
import { takeToken } from './limits.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import { mailEmailChange } from './mail-email-change.ts'
import { type Challenge, readChallenge } from './pkce.ts'
import { findUserByEmail, lockUser } from './queries.ts'
import type { AuthServices, Visitor } from './services.ts'

const types = ['signup', 'email_change', 'sms', 'phone_change']

export async function resend(
  auth: AuthServices,
  body: Body,
  visitor: Visitor,
): Promise<Record<string, never>> {
  await takeToken(auth, 'resend', visitor.ip)
  const { type, email, challenge } = readResend(body)
  await inTransaction(auth.database.kysely, tx => sendAgain(tx, auth, type, email, challenge, visitor))
  auth.wakeMail()
  return {}
}

function readResend(body: Body): { type: string; email: string; challenge: Challenge | null } {
  const type = body.text('type', 64)
  const email = body.text('email', 1024)
  const phone = body.text('phone', 64)
  if (!types.includes(type)) throw invalid(`Missing one of these types: ${types.join(', ')}`)
  if (!email && type === 'signup') throw invalid('Type provided requires an email address')
  if (!phone && type === 'sms') throw invalid('Type provided requires a phone number')
  if (email && phone) throw invalid('Only an email address or phone number should be provided.')
  const challenge = readChallenge(body)
  if (phone) refusePhone(phone, 400, 'Phone logins are disabled')
  if (!email) throw invalid('Missing email address or phone number')
  return { type, email: readEmail(email), challenge }
}

async function sendAgain(
  tx: Tx,
  auth: AuthServices,
  type: string,
  email: string,
  challenge: Challenge | null,
  visitor: Visitor,
): Promise<void> {
  const found = await findUserByEmail(tx, email)
  const user = found && (await lockUser(tx, found.id))
  if (!user) return
  if (type === 'signup' && !user.email_confirmed_at)
    await mailConfirmation(tx, auth, user, challenge, visitor.redirectTo)
  if (type === 'email_change' && user.new_email)
    await mailEmailChange(tx, auth, user, user.new_email, challenge, visitor.redirectTo)
}
