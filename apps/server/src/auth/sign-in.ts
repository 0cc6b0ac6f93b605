/**
 * Signs in with e-mail or phone and a password. An unknown address, a user without a password and a wrong password get one answer,
 * after the same work; that an account is banned or unconfirmed, only the right password tells. Wrong ones make the next
 * try wait.
 */
import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { isEmail } from './addresses.ts'
import type { Body } from './body.ts'
import { describeDevice } from './device.ts'
import { AuthError, invalid } from './errors.ts'
import {
  assertFree,
  assertUnlocked,
  bucketOf,
  forgetWrongPasswords,
  noteWrongPassword,
  passwordKey,
  readOrTake,
} from './limits.ts'
import { verifyPassword, weakness } from './passwords.ts'
import type { AuthServices, Visitor } from './services.ts'
import { sessionBody, startSession, wrongPassword } from './session.ts'
import { readOfferedPhone } from './sms.ts'

export async function signIn(auth: AuthServices, body: Body, visitor: Visitor) {
  const { address, password } = await readOrTake(auth, 'token', visitor.ip, () => read(auth, body))
  const found = await begin(auth, visitor, address)
  if (!(await verifyPassword(found.password_hash, password))) {
    await noteWrongPassword(auth, address.text)
    throw wrongPassword()
  }
  const refusal = whyNot(found, address)
  if (refusal) {
    await forgetWrongPasswords(auth, address.text)
    throw refusal
  }
  const start = (on: Tx | Database) =>
    startSession(on, auth, {
      userId: found.id!,
      method: 'password',
      visitor,
      password: { key: passwordKey(address.text), hash: found.password_hash! },
    })
  const oneStatement = found.known_device && !auth.settings.sessions.singlePerUser
  const opened = oneStatement ? await start(auth.database) : await inTransaction(auth.database.kysely, start)
  const session = await sessionBody(auth, opened)
  const weak = weakness(password, auth.settings)
  return weak ? { ...session, weak_password: { message: weak.message, reasons: weak.reasons } } : session
}

interface Address {
  readonly kind: 'email' | 'phone'
  readonly text: string
}

function read(auth: AuthServices, body: Body): { address: Address; password: string } {
  const email = body.text('email', 1024).toLowerCase()
  const phone = body.text('phone', 64)
  const password = body.text('password', 1024)
  if (email && phone) throw invalid('Only an email address or phone number should be provided on login.')
  if (phone) {
    const digits = readOfferedPhone(auth, phone, 422, 'Phone logins are disabled')
    return { address: { kind: 'phone', text: digits }, password }
  }
  if (!email) throw invalid('missing email or phone')
  if (!auth.settings.emailProvider)
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')
  return { address: { kind: 'email', text: email }, password }
}

/** Takes a token, looks whether the address is locked, and for its user: one statement, the same for addresses of nobody. */
const look = (kind: Address['kind'], who: string) => `
  select u.id, u.password_hash, coalesce(u.banned_until > now(), false) as banned, auth_locked_seconds($4) as seconds,
    u.${kind}_confirmed_at is not null as confirmed,
    case when $1::text is null then true else auth_take_token($1, $2, $3) end as free,
    exists (select from auth_device d where d.user_id = u.id and d.device = $5) as known_device
  from (select set_config('synchronous_commit', 'off', true)) unwaited left join auth_user u on ${who}`
const looks = {
  email: { name: 'sign in: e-mail', text: look('email', 'u.email = $6 and not u.is_sso_user') },
  phone: { name: 'sign in: phone', text: look('phone', 'u.phone = $6') },
}

/** Null: nobody has the address. */
interface Look {
  readonly id: string | null
  readonly password_hash: string | null
  readonly banned: boolean
  readonly confirmed: boolean
  readonly known_device: boolean
}

async function begin(auth: AuthServices, { ip, userAgent }: Visitor, { kind, text }: Address): Promise<Look> {
  const [key, burst, perSecond] = bucketOf(auth, 'token', ip) ?? []
  const { family } = describeDevice(userAgent)
  const who = kind === 'phone' || isEmail(text) ? text : null
  const { rows } = await auth.database.pool.query<Look & { seconds: number; free: boolean }>({
    ...looks[kind],
    values: [key, burst, perSecond, passwordKey(text), family, who],
  })
  const { seconds, free, ...look } = rows[0]!
  assertFree(free)
  assertUnlocked(seconds)
  return look
}

function whyNot({ banned, confirmed }: Look, { kind }: Address): AuthError | null {
  if (banned) return new AuthError(400, 'user_banned', 'User is banned')
  if (confirmed) return null
  return kind === 'phone'
    ? new AuthError(400, 'phone_not_confirmed', 'Phone not confirmed')
    : new AuthError(400, 'email_not_confirmed', 'Email not confirmed')
}
