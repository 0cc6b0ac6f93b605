/**
 * Signs in with e-mail or phone and a password. An unknown address, a user without a password and a wrong password get
 * one answer, after the same work; only the right password tells that an account is banned or unconfirmed. Wrong ones
 * make the next try wait.
 */
import { batchPer, columns } from '../db/coalesce.ts'
import { type Database, inTransaction } from '../db/database.ts'
import { addressKey, emailOf } from './addresses.ts'
import { bannedError } from './banned.ts'
import type { Body } from './body.ts'
import { AuthError, invalid } from './errors.ts'
import type { SmsSender } from './letters/sms-sender.ts'
import { readOfferedPhone } from './letters/read-offered-phone.ts'
import {
  type Bucket,
  type LimitNeeds,
  assertFree,
  bucketColumns,
  bucketOf,
  inOrderOfKeys,
  readOrTake,
} from './limits.ts'
import { assertUnlocked, countWrongPassword, forgetWrongPasswords } from './lockouts.ts'
import { verifyPassword, weakness } from './passwords/passwords.ts'
import { type KnownSessionNeeds, openKnownSession } from './sessions/open-known-session.ts'
import { sessionBody } from './sessions/session.ts'
import { type SessionNeeds, startSession, wrongPassword } from './sessions/start-session.ts'
import type { Tokens } from './sessions/tokens.ts'
import type { AuthSettings } from './settings.ts'
import type { Places, Visitor } from './visitor.ts'

interface SignInNeeds extends KnownSessionNeeds, SessionNeeds {
  readonly tokens: Tokens
  readonly sms: SmsSender | null
}

export async function signIn(needs: SignInNeeds, body: Body, visitor: Visitor) {
  const { address, password } = await readOrTake(needs, 'token', visitor.ip, () => read(needs, body))
  const found = await begin(needs, visitor, address)
  if (!(await verifyPassword(found.password_hash, password))) {
    await countWrongPassword(needs, found.failure_key)
    throw wrongPassword()
  }
  const refusal = found.banned
    ? await bannedError(needs.database.kysely, found.id!, 400)
    : whyUnconfirmed(found, address)
  if (refusal) {
    await forgetWrongPasswords(needs, found.failure_key)
    throw refusal
  }
  const opening = {
    userId: found.id!,
    method: 'password',
    visitor,
    password: { key: found.failure_key, hash: found.password_hash! },
  }
  const opened =
    (await openKnownSession(needs, opening)) ??
    (await inTransaction(needs.database.kysely, tx => startSession(tx, needs, opening)))
  const session = await sessionBody(needs, opened)
  const weak = weakness(password, needs.settings)
  return weak ? { ...session, weak_password: { message: weak.message, reasons: weak.reasons } } : session
}

interface Address {
  readonly kind: 'email' | 'phone'
  readonly text: string
}

function read(
  needs: { settings: AuthSettings; sms: SmsSender | null },
  body: Body,
): { address: Address; password: string } {
  const email = body.text('email', 1024).toLowerCase()
  const phone = body.text('phone', 64)
  const password = body.text('password', 1024)
  if (email && phone) throw invalid('Only an email address or phone number should be provided on login.')
  if (phone) {
    const digits = readOfferedPhone(needs, phone, 422, 'Phone logins are disabled')
    return { address: { kind: 'phone', text: digits }, password }
  }
  if (!email) throw invalid('missing email or phone')
  if (!needs.settings.emailProvider)
    throw new AuthError(422, 'email_provider_disabled', 'Email logins are disabled')
  return { address: { kind: 'email', text: email }, password }
}

/**
 * Takes a token, looks whether the address is locked and looks for its user, in one statement: the same for addresses
 * of nobody.
 */
const look = `
  with asked as materialized (
    select w.*, case when key is null then true else auth_take_token(key, burst, per_second) end as free
    from unnest(${columns('integer', 'text', 'integer', 'float8', 'text', 'text', 'text', 'text', 'text')})
      w (n, key, burst, per_second, password_key, email, phone, device, network))
  select a.n, a.free, k.failure_key, auth_locked_seconds(k.failure_key) as seconds, u.id, u.password_hash,
    coalesce(u.banned_until > now(), false) as banned,
    case when a.phone is null then u.email_confirmed_at else u.phone_confirmed_at end is not null as confirmed,
    set_config('synchronous_commit', 'off', true)
  from asked a left join auth_user u on u.id = coalesce(
    (select id from auth_user where email = a.email and not is_sso_user),
    (select id from auth_user where phone = a.phone))
  cross join lateral auth_failure_key(a.password_key, u.id, array[a.device, a.network]) k (failure_key)`

interface Asked {
  readonly address: Address
  /** Null: there is no limit. */
  readonly bucket: Bucket | null
  readonly places: Places
}

/** `id` is null when nobody has the address. */
interface Look {
  readonly n: number
  readonly free: boolean
  /** Under which wrong tries from here are counted. */
  readonly failure_key: string
  readonly seconds: number
  readonly id: string | null
  readonly password_hash: string | null
  readonly banned: boolean
  readonly confirmed: boolean
}

const lookUp = batchPer(async ({ pool }: Database, all: readonly Asked[]): Promise<Look[]> => {
  const inTurn = inOrderOfKeys(all, ({ bucket }) => bucket)
  const each = (of: (address: Address) => string | null) => inTurn.map(([, { address }]) => of(address))
  const { rows } = await pool.query<Look>({
    name: 'auth.sign-in',
    text: look,
    values: [
      inTurn.map(([n]) => n),
      ...bucketColumns(inTurn.map(([, { bucket }]) => bucket)),
      each(({ text }) => addressKey(text)),
      each(({ kind, text }) => (kind === 'email' ? emailOf(text) : null)),
      each(({ kind, text }) => (kind === 'phone' ? text : null)),
      ...[0, 1].map(n => inTurn.map(([, { places }]) => places[n])),
    ],
  })
  return rows.toSorted((a, b) => a.n - b.n)
})

async function begin(needs: LimitNeeds, { ip, places }: Visitor, address: Address): Promise<Look> {
  const found = await lookUp(needs.database, { address, bucket: bucketOf(needs, 'token', ip), places })
  assertFree(found.free)
  assertUnlocked(found.seconds)
  return found
}

function whyUnconfirmed({ confirmed }: Look, { kind }: Address): AuthError | null {
  if (confirmed) return null
  return kind === 'phone'
    ? new AuthError(400, 'phone_not_confirmed', 'Phone not confirmed')
    : new AuthError(400, 'email_not_confirmed', 'Email not confirmed')
}
