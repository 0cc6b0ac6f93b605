/**
 * Opens an account by e-mail or phone and a password. For an address or phone with a confirmed account the answer is a
 * user all the same, built from nothing, and the password is hashed before anything is looked up. An account that waits
 * for its confirmation is not changed by signing up again: the mail or code that is sent once more brings the password
 * of its own sign-up.
 */
import { inTransaction, type Tx } from '../db/database.ts'
import { readEmail } from './addresses.ts'
import type { Body } from './body.ts'
import { keepSignInCode } from './codes/keep-sign-in-code.ts'
import { mailConfirmation } from './codes/mail-confirmation.ts'
import type { LinkNeeds } from './codes/mail-link.ts'
import type { OtpNeeds } from './codes/otp.ts'
import { type Challenge, readChallenge } from './codes/pkce.ts'
import { textCode, type TextNeeds } from './codes/text-code.ts'
import { createUser } from './create-user.ts'
import { AuthError, invalid, justChanged } from './errors.ts'
import type { Channel, SmsSender } from './letters/sms-sender.ts'
import { readChannel, readOfferedPhone } from './letters/read-offered-phone.ts'
import { takeToken } from './limits.ts'
import { assertMailSpacing, claimNoSms } from './spacing.ts'
import { assertGoodPassword, hashPassword } from './passwords/passwords.ts'
import {
  findUserById,
  findUserByPhone,
  lockUserByEmail,
  presentFakeUser,
  presentUser,
  type UserRow,
} from './queries.ts'
import { type Grant, sessionBody } from './sessions/session.ts'
import { type SessionNeeds, startSession } from './sessions/start-session.ts'
import type { Tokens } from './sessions/tokens.ts'
import type { AuthSettings } from './settings.ts'
import { signInAnonymously } from './sign-in-anonymously.ts'
import type { Visitor } from './visitor.ts'

interface PhoneNeeds extends TextNeeds, OtpNeeds, SessionNeeds {
  readonly tokens: Tokens
}

interface SignUpNeeds extends PhoneNeeds, LinkNeeds {
  readonly wakeMail: () => void
}

interface Account {
  readonly password: string
  readonly data: Record<string, unknown>
}
interface ByEmail extends Account {
  readonly email: string
  readonly challenge: Challenge | null
}
interface ByPhone extends Account {
  readonly phone: string
  readonly channel: Channel
}

export async function signUp(needs: SignUpNeeds, body: Body, visitor: Visitor) {
  if (!body.text('email', 1024) && !body.text('phone', 64)) return signInAnonymously(needs, body, visitor)
  await takeToken(needs, 'signup', visitor.ip)
  if (!needs.settings.signUp)
    throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
  const asked = readSignUp(needs, body)
  const passwordHash = await hashPassword(asked.password)
  if ('phone' in asked) return signUpByPhone(needs, asked, passwordHash, visitor)
  const { user, grant } = await inTransaction(needs.database.kysely, tx =>
    register(tx, needs, asked, passwordHash, visitor),
  )
  if (grant) return sessionBody(needs, { user: user!, grant })
  needs.wakeMail()
  return user ? presentUser(user) : presentFakeUser({ email: asked.email }, asked.data)
}

function readSignUp(needs: { settings: AuthSettings; sms: SmsSender | null }, body: Body): ByEmail | ByPhone {
  const password = body.text('password', 1024)
  const phone = body.text('phone', 64)
  if (!password) throw invalid('Signup requires a valid password')
  assertGoodPassword(password, needs.settings)
  if (body.has('email') && body.text('email', 1024) && phone)
    throw invalid('Only an email address or phone number should be provided on signup.')
  if (phone && body.text('code_challenge', 1024)) throw invalid('PKCE not supported for phone signups')
  const challenge = readChallenge(body)
  const account = { password, data: body.object('data') ?? {} }
  if (phone) {
    const digits = readOfferedPhone(needs, phone, 400, 'Phone signups are disabled')
    return { ...account, phone: digits, channel: readChannel(needs, body) }
  }
  if (!needs.settings.emailProvider)
    throw new AuthError(400, 'email_provider_disabled', 'Email signups are disabled')
  return { ...account, email: readEmail(body.text('email', 1024)), challenge }
}

/** No user: the address has a confirmed account and nothing was done. */
async function register(
  tx: Tx,
  needs: LinkNeeds,
  { email, data, challenge }: ByEmail,
  passwordHash: string,
  visitor: Visitor,
): Promise<{ user: UserRow | null; grant: Grant | null }> {
  const confirmed = needs.settings.autoconfirm
  const made = await createUser(tx, { email, passwordHash, data, confirmed })
  if (made && confirmed) return startSession(tx, needs, { userId: made.id, method: 'password', visitor })
  const user = made ?? (await lockUserByEmail(tx, email))
  if (!user) throw justChanged()
  if (user.email_confirmed_at) {
    if (tellsExisting(needs)) throw alreadyExists()
    return { user: null, grant: null }
  }
  if (!made) assertMailSpacing(needs, user.confirmation_sent_at)
  await mailConfirmation(tx, needs, user, challenge, visitor.redirectTo, { passwordHash })
  return { user: await findUserById(tx, user.id), grant: null }
}

/** An existing account cannot be hidden where accounts open at once. */
const tellsExisting = ({ settings }: { settings: AuthSettings }) =>
  settings.autoconfirm || settings.phoneAutoconfirm

const alreadyExists = () => new AuthError(422, 'user_already_exists', 'User already registered')

async function signUpByPhone(
  needs: PhoneNeeds,
  { phone, channel, data }: ByPhone,
  passwordHash: string,
  visitor: Visitor,
): Promise<object> {
  const db = needs.database.kysely
  const known = await findUserByPhone(db, phone)
  if (known?.phone_confirmed_at) {
    if (tellsExisting(needs)) throw alreadyExists()
    await claimNoSms(needs, phone, visitor.places)
    return presentFakeUser({ phone }, data)
  }
  const create = (tx: Tx, confirmed: boolean) => createUser(tx, { phone, passwordHash, data, confirmed })
  if (needs.settings.phoneAutoconfirm && !known) {
    const opened = await inTransaction(db, async tx => {
      const made = await create(tx, true)
      if (!made) throw justChanged()
      return startSession(tx, needs, { userId: made.id, method: 'password', visitor })
    })
    return sessionBody(needs, opened)
  }
  const { user } = await textCode(needs, {
    phone,
    channel,
    places: visitor.places,
    async keep(tx, code) {
      const user = (await create(tx, false)) ?? (await findUserByPhone(tx, phone))
      if (!user || user.phone_confirmed_at) throw justChanged()
      await keepSignInCode(tx, needs, user.id, code, { passwordHash })
      return (await findUserById(tx, user.id))!
    },
  })
  return presentUser(user)
}
