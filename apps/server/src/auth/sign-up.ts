/**
 * Opens an account by e-mail or phone and a password. For an address or phone with a confirmed account the answer is a
 * user all the same, built from nothing, and the password is hashed before anything is looked up. An account that waits
 * for its confirmation is not changed by signing up again; its mail or code is sent once more.
 */
import { inTransaction, type Tx } from '../db/database.ts'
import { readEmail } from './addresses.ts'
import type { Body } from './body.ts'
import { createUser } from './create-user.ts'
import { AuthError, invalid } from './errors.ts'
import { assertMailSpacing, claimSms, takeToken } from './limits.ts'
import { mailConfirmation } from './codes/mail-confirmation.ts'
import { assertGoodPassword, hashPassword } from './passwords/passwords.ts'
import { type Challenge, readChallenge } from './codes/pkce.ts'
import {
  findUserByEmail,
  findUserByPhone,
  findUserById,
  lockUser,
  presentFakeUser,
  presentUser,
  type UserRow,
} from './queries.ts'
import type { AuthServices, Visitor } from './services.ts'
import { type Grant, sessionBody, startSession } from './sessions/session.ts'
import type { Channel } from './letters/sms-sender.ts'
import { readChannel, readOfferedPhone } from './letters/sms.ts'
import { keepSignInCode, textCode } from './codes/text-code.ts'

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

export async function signUp(auth: AuthServices, body: Body, visitor: Visitor) {
  if (!body.text('email', 1024) && !body.text('phone', 64))
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
  await takeToken(auth, 'signup', visitor.ip)
  if (!auth.settings.signUp)
    throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
  const asked = readSignUp(auth, body)
  const passwordHash = await hashPassword(asked.password)
  if ('phone' in asked) return signUpByPhone(auth, asked, passwordHash, visitor)
  const { user, grant } = await inTransaction(auth.database.kysely, tx =>
    register(tx, auth, asked, passwordHash, visitor),
  )
  if (grant) return sessionBody(auth, { user: user!, grant })
  auth.wakeMail()
  return user ? presentUser(user) : presentFakeUser({ email: asked.email }, asked.data)
}

function readSignUp(auth: AuthServices, body: Body): ByEmail | ByPhone {
  const password = body.text('password', 1024)
  const phone = body.text('phone', 64)
  if (!password) throw invalid('Signup requires a valid password')
  assertGoodPassword(password, auth.settings)
  if (body.has('email') && body.text('email', 1024) && phone)
    throw invalid('Only an email address or phone number should be provided on signup.')
  if (phone && body.text('code_challenge', 1024)) throw invalid('PKCE not supported for phone signups')
  const challenge = readChallenge(body)
  const account = { password, data: body.object('data') ?? {} }
  if (phone) {
    const digits = readOfferedPhone(auth, phone, 400, 'Phone signups are disabled')
    return { ...account, phone: digits, channel: readChannel(auth, body) }
  }
  if (!auth.settings.emailProvider)
    throw new AuthError(400, 'email_provider_disabled', 'Email signups are disabled')
  return { ...account, email: readEmail(body.text('email', 1024)), challenge }
}

/** No user: the address has a confirmed account and nothing was done. */
async function register(
  tx: Tx,
  auth: AuthServices,
  { email, data, challenge }: ByEmail,
  passwordHash: string,
  visitor: Visitor,
): Promise<{ user: UserRow | null; grant: Grant | null }> {
  const confirmed = auth.settings.autoconfirm
  const made = await createUser(tx, { email, passwordHash, data, confirmed })
  if (made && confirmed) return startSession(tx, auth, { userId: made.id, method: 'password', visitor })
  const user = made ?? (await existingUser(tx, email))
  if (user.email_confirmed_at) {
    if (tellsExisting(auth)) throw alreadyExists()
    return { user: null, grant: null }
  }
  if (!made) assertMailSpacing(auth, user.confirmation_sent_at)
  await mailConfirmation(tx, auth, user, challenge, visitor.redirectTo)
  return { user: await findUserById(tx, user.id), grant: null }
}

/** Where accounts open at once, an existing one cannot be hidden. */
const tellsExisting = ({ settings }: AuthServices) => settings.autoconfirm || settings.phoneAutoconfirm

const alreadyExists = () => new AuthError(422, 'user_already_exists', 'User already registered')
const justChanged = () => new AuthError(409, 'conflict', 'This account is just being changed, please retry')

async function signUpByPhone(
  auth: AuthServices,
  { phone, channel, data }: ByPhone,
  passwordHash: string,
  visitor: Visitor,
): Promise<object> {
  const db = auth.database.kysely
  const known = await findUserByPhone(db, phone)
  if (known?.phone_confirmed_at) {
    if (tellsExisting(auth)) throw alreadyExists()
    await claimSms(auth, phone)
    return presentFakeUser({ phone }, data)
  }
  const create = (tx: Tx, confirmed: boolean) => createUser(tx, { phone, passwordHash, data, confirmed })
  if (auth.settings.phoneAutoconfirm && !known) {
    const opened = await inTransaction(db, async tx => {
      const made = await create(tx, true)
      if (!made) throw justChanged()
      return startSession(tx, auth, { userId: made.id, method: 'password', visitor })
    })
    return sessionBody(auth, opened)
  }
  const { user } = await textCode(auth, {
    phone,
    channel,
    async keep(tx, code) {
      const user = (await create(tx, false)) ?? (await findUserByPhone(tx, phone))
      if (!user || user.phone_confirmed_at) throw justChanged()
      await keepSignInCode(tx, auth, user, code)
      return (await findUserById(tx, user.id))!
    },
  })
  return presentUser(user)
}

export async function existingUser(tx: Tx, email: string): Promise<UserRow> {
  const found = await findUserByEmail(tx, email)
  const user = found && (await lockUser(tx, found.id))
  if (!user) throw justChanged()
  return user
}
