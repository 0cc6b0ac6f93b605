/**
 * Opens an account by e-mail and password. Whether an address has a confirmed account cannot be told from the answer or
 * from its time: the answer is a user all the same, and the password is hashed before anything is looked up. An account
 * that waits for its confirmation is not changed by signing up again; its mail is sent once more.
 */
import { inTransaction, type Tx } from '../db/database.ts'
import { readEmail, refusePhone } from './addresses.ts'
import type { Body } from './body.ts'
import { createUser } from './create-user.ts'
import { AuthError, invalid } from './errors.ts'
import { takeToken } from './limits.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import { assertGoodPassword, hashPassword } from './passwords.ts'
import { type Challenge, readChallenge } from './pkce.ts'
import {
  findUserByEmail,
  findUserById,
  lockUser,
  presentFakeUser,
  presentUser,
  type UserRow,
} from './queries.ts'
import type { AuthServices, Visitor } from './services.ts'
import { type Grant, sessionBody, startSession } from './session.ts'

interface SignUp {
  readonly email: string
  readonly password: string
  readonly data: Record<string, unknown>
  readonly challenge: Challenge | null
}

export async function signUp(auth: AuthServices, body: Body, visitor: Visitor) {
  if (!body.text('email', 1024) && !body.text('phone', 64))
    throw new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
  await takeToken(auth, 'signup', visitor.ip)
  if (!auth.settings.signUp)
    throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
  const asked = readSignUp(auth, body)
  const passwordHash = await hashPassword(asked.password)

  const { user, grant } = await inTransaction(auth.database.kysely, tx =>
    register(tx, auth, asked, passwordHash, visitor),
  )
  if (grant) return sessionBody(auth, user!, grant)
  auth.wakeMail()
  return user ? presentUser(user) : presentFakeUser(asked.email, asked.data)
}

function readSignUp({ settings }: AuthServices, body: Body): SignUp {
  const password = body.text('password', 1024)
  const phone = body.text('phone', 64)
  if (!password) throw invalid('Signup requires a valid password')
  assertGoodPassword(password, settings)
  if (body.has('email') && body.text('email', 1024) && phone)
    throw invalid('Only an email address or phone number should be provided on signup.')
  if (phone && body.text('code_challenge', 1024)) throw invalid('PKCE not supported for phone signups')
  const challenge = readChallenge(body)
  if (phone) refusePhone(phone, 400, 'Phone signups are disabled')
  return {
    email: readEmail(body.text('email', 1024)),
    password,
    data: body.object('data') ?? {},
    challenge,
  }
}

/** No user: the address has a confirmed account and nothing was done. */
async function register(
  tx: Tx,
  auth: AuthServices,
  { email, data, challenge }: SignUp,
  passwordHash: string,
  visitor: Visitor,
): Promise<{ user: UserRow | null; grant: Grant | null }> {
  const confirmed = auth.settings.autoconfirm
  const made = await createUser(tx, { email, passwordHash, data, confirmed })
  if (made && confirmed) {
    const grant = await startSession(tx, auth, made.id, 'password', visitor)
    return { user: await findUserById(tx, made.id), grant }
  }
  const user = made ?? (await existingUser(tx, email))
  if (user.email_confirmed_at) {
    if (auth.settings.autoconfirm) throw new AuthError(422, 'user_already_exists', 'User already registered')
    return { user: null, grant: null }
  }
  await mailConfirmation(tx, auth, user, challenge, visitor.redirectTo)
  return { user: await findUserById(tx, user.id), grant: null }
}

async function existingUser(tx: Tx, email: string): Promise<UserRow> {
  const found = await findUserByEmail(tx, email)
  const user = found && (await lockUser(tx, found.id))
  if (!user) throw new AuthError(409, 'conflict', 'This account was just deleted, please retry')
  return user
}
