/**
 * Signing in without a password: a link by mail or a code to a phone. Whoever is new gets an account with it, unless the
 * client asked otherwise; an address that was never confirmed gets the mail of a sign-up. The answer for an address is
 * empty, whether or not it has an account.
 */
import { inTransaction, type Tx } from '../db/database.ts'
import { readEmail } from './addresses.ts'
import type { Body } from './body.ts'
import { createUser } from './create-user.ts'
import { AuthError, invalid } from './errors.ts'
import { claimMail, takeToken } from './limits.ts'
import { mailConfirmation } from './codes/mail-confirmation.ts'
import { mailMagicLink } from './codes/mail-magic-link.ts'
import { type Challenge, readChallenge } from './codes/pkce.ts'
import { findUserByEmail, findUserByPhone, type UserRow } from './queries.ts'
import type { AuthServices, Visitor } from './services.ts'
import { existingUser } from './sign-up.ts'
import { readChannel, readOfferedPhone } from './letters/sms.ts'
import { keepSignInCode, textCode } from './codes/text-code.ts'

interface Asked {
  readonly createUser: boolean
  readonly data: Record<string, unknown>
  readonly challenge: Challenge | null
}

export async function sendOtp(auth: AuthServices, body: Body, visitor: Visitor): Promise<object> {
  await takeToken(auth, 'otp', visitor.ip)
  const email = body.text('email', 1024)
  const phone = body.text('phone', 64)
  if (email && phone) throw invalid('Only an email address or phone number should be provided')
  if (email && body.text('channel', 64)) throw invalid('Channel should only be specified with Phone OTP')
  const asked = {
    challenge: readChallenge(body),
    createUser: body.flag('create_user', true),
    data: body.object('data') ?? {},
  }
  if (email) return mailOtp(auth, email, asked, visitor)
  if (phone) return textOtp(auth, phone, asked, body)
  throw invalid('One of email or phone must be set')
}

async function mailOtp(auth: AuthServices, text: string, asked: Asked, visitor: Visitor): Promise<object> {
  if (!auth.settings.emailProvider)
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')
  const email = readEmail(text)
  await inTransaction(auth.database.kysely, async tx => {
    await claimMail(tx, auth, 'otp', email)
    const user = await findOrCreate(tx, auth, email, asked)
    if (user.email_confirmed_at)
      await mailMagicLink(tx, auth, user, 'magiclink', asked.challenge, visitor.redirectTo)
    else await mailConfirmation(tx, auth, user, asked.challenge, visitor.redirectTo)
  })
  auth.wakeMail()
  return {}
}

async function findOrCreate(tx: Tx, auth: AuthServices, email: string, asked: Asked): Promise<UserRow> {
  const found = await findUserByEmail(tx, email)
  if (!found) {
    assertMayCreate(auth, asked)
    const confirmed = auth.settings.autoconfirm
    const made = await createUser(tx, { email, passwordHash: null, data: asked.data, confirmed })
    if (made) return made
  }
  return existingUser(tx, email)
}

function assertMayCreate({ settings }: AuthServices, { createUser }: Asked): void {
  if (!createUser) throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp')
  if (!settings.signUp) throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
}

async function textOtp(auth: AuthServices, text: string, asked: Asked, body: Body): Promise<object> {
  const phone = readOfferedPhone(auth, text, 400, 'Unsupported phone provider')
  const channel = readChannel(auth, body)
  const known = await findUserByPhone(auth.database.kysely, phone)
  if (!known) assertMayCreate(auth, asked)
  const { messageId } = await textCode(auth, {
    phone,
    channel,
    async keep(tx, code) {
      const confirmed = auth.settings.phoneAutoconfirm
      const user =
        (await findUserByPhone(tx, phone)) ??
        (await createUser(tx, { phone, passwordHash: null, data: asked.data, confirmed }))
      if (!user) throw new AuthError(409, 'conflict', 'This account is just being changed, please retry')
      await keepSignInCode(tx, auth, user, code)
      return user
    },
  })
  return known ? { message_id: messageId } : {}
}
