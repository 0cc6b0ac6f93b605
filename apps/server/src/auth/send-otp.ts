/**
 * Sends what signs in without a password: a link by mail or a code to a phone. Whoever is new gets an account with it,
 * unless the client asked otherwise; an address that was never confirmed gets the mail of a sign-up. The answer for an
 * address is empty, whether or not it has an account.
 */
import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { readEmail } from './addresses.ts'
import type { Body } from './body.ts'
import { keepSignInCode } from './codes/keep-sign-in-code.ts'
import { mailConfirmation } from './codes/mail-confirmation.ts'
import type { LinkNeeds } from './codes/mail-link.ts'
import { mailMagicLink } from './codes/mail-magic-link.ts'
import type { OtpNeeds } from './codes/otp.ts'
import { type Challenge, readChallenge } from './codes/pkce.ts'
import { textCode, type TextNeeds } from './codes/text-code.ts'
import { createUser } from './create-user.ts'
import { AuthError, invalid, justChanged } from './errors.ts'
import { readChannel, readOfferedPhone } from './letters/read-offered-phone.ts'
import { takeToken } from './limits.ts'
import { claimMail } from './spacing.ts'
import { findUserByEmail, findUserByPhone, lockUserByEmail, type UserRow } from './queries.ts'
import type { AuthSettings } from './settings.ts'
import type { Visitor } from './visitor.ts'

interface MailNeeds extends LinkNeeds {
  readonly database: Database
  readonly wakeMail: () => void
}

interface SendOtpNeeds extends TextNeeds, OtpNeeds, MailNeeds {}

interface Asked {
  readonly createUser: boolean
  readonly data: Record<string, unknown>
  readonly challenge: Challenge | null
}

export async function sendOtp(needs: SendOtpNeeds, body: Body, visitor: Visitor): Promise<object> {
  await takeToken(needs, 'otp', visitor.ip)
  const email = body.text('email', 1024)
  const phone = body.text('phone', 64)
  if (email && phone) throw invalid('Only an email address or phone number should be provided')
  if (email && body.text('channel', 64)) throw invalid('Channel should only be specified with Phone OTP')
  const asked = {
    challenge: readChallenge(body),
    createUser: body.flag('create_user', true),
    data: body.object('data') ?? {},
  }
  if (email) return mailOtp(needs, email, asked, visitor)
  if (phone) return textOtp(needs, phone, asked, body, visitor)
  throw invalid('One of email or phone must be set')
}

async function mailOtp(needs: MailNeeds, text: string, asked: Asked, visitor: Visitor): Promise<object> {
  if (!needs.settings.emailProvider)
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')
  const email = readEmail(text)
  await inTransaction(needs.database.kysely, async tx => {
    await claimMail(tx, needs, 'otp', email)
    const user = await findOrCreate(tx, needs, email, asked)
    if (user.email_confirmed_at)
      await mailMagicLink(tx, needs, user, 'magiclink', asked.challenge, visitor.redirectTo)
    else await mailConfirmation(tx, needs, user, asked.challenge, visitor.redirectTo)
  })
  needs.wakeMail()
  return {}
}

async function findOrCreate(
  tx: Tx,
  needs: { settings: AuthSettings },
  email: string,
  asked: Asked,
): Promise<UserRow> {
  const found = await findUserByEmail(tx, email)
  if (!found) {
    assertMayCreate(needs, asked)
    const confirmed = needs.settings.autoconfirm
    const made = await createUser(tx, { email, passwordHash: null, data: asked.data, confirmed })
    if (made) return made
  }
  const user = await lockUserByEmail(tx, email)
  if (!user) throw justChanged()
  return user
}

function assertMayCreate({ settings }: { settings: AuthSettings }, { createUser }: Asked): void {
  if (!createUser) throw new AuthError(422, 'otp_disabled', 'Signups not allowed for otp')
  if (!settings.signUp) throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
}

async function textOtp(
  needs: TextNeeds & OtpNeeds,
  text: string,
  asked: Asked,
  body: Body,
  { places }: Visitor,
): Promise<object> {
  const phone = readOfferedPhone(needs, text, 400, 'Unsupported phone provider')
  const channel = readChannel(needs, body)
  const known = await findUserByPhone(needs.database.kysely, phone)
  if (!known) assertMayCreate(needs, asked)
  const { messageId } = await textCode(needs, {
    phone,
    channel,
    places,
    async keep(tx, code) {
      const confirmed = needs.settings.phoneAutoconfirm
      const user =
        (await findUserByPhone(tx, phone)) ??
        (await createUser(tx, { phone, passwordHash: null, data: asked.data, confirmed }))
      if (!user) throw justChanged()
      await keepSignInCode(tx, needs, user.id, code)
      return user
    },
  })
  return known ? { message_id: messageId } : {}
}
