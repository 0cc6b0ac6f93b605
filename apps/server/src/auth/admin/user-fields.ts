/** What an administrator may write about a user. */
import { readEmail, readPhone } from '../addresses.ts'
import type { Body } from '../body.ts'
import { invalid } from '../errors.ts'
import { assertGoodPassword, hashPassword } from '../passwords/passwords.ts'
import type { AuthSettings } from '../settings.ts'

export interface UserFields {
  /** Null: not given. */
  readonly email: string | null
  readonly phone: string | null
  readonly passwordHash: string | null
  readonly emailConfirm: boolean
  readonly phoneConfirm: boolean
  readonly userMetadata: Record<string, unknown> | null
  readonly appMetadata: Record<string, unknown> | null
  readonly role: string | null
  /** Seconds; 0 ends a ban. */
  readonly banSeconds: number | null
}

export async function readUserFields(body: Body, settings: AuthSettings): Promise<UserFields> {
  const email = body.text('email', 1024)
  const phone = body.text('phone', 64)
  const role = body.text('role', 64)
  if (role && !/^[a-z][a-z0-9_]*$/.test(role))
    throw invalid('role must be lower-case letters, digits and underscores')
  const ban = body.text('ban_duration', 64)
  return {
    email: email ? readEmail(email) : null,
    phone: phone ? readPhone(phone) : null,
    emailConfirm: body.flag('email_confirm', false),
    phoneConfirm: body.flag('phone_confirm', false),
    userMetadata: body.object('user_metadata'),
    appMetadata: body.object('app_metadata'),
    role: role || null,
    banSeconds: ban ? readDuration(ban) : null,
    passwordHash: await readPassword(body, settings),
  }
}

/** A hash of another service that hashed as this one does. The costs are bounded: each sign-in pays them. */
const argon2 =
  /^\$argon2(?:id|i|d)\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,86}$/
const maxMemoryKib = 262_144

async function readPassword(body: Body, settings: AuthSettings): Promise<string | null> {
  const password = body.text('password', 1024)
  const hash = body.text('password_hash', 512)
  if (password && hash) throw invalid('Only a password or a password hash should be provided')
  if (password) {
    assertGoodPassword(password, settings)
    return hashPassword(password)
  }
  if (!hash) return null
  const match = argon2.exec(hash)
  if (!match || Number(match[1]) > maxMemoryKib || Number(match[2]) > 16 || Number(match[3]) > 16)
    throw invalid('password_hash must be an argon2 hash such as $argon2id$v=19$m=19456,t=2,p=1$…')
  return hash
}

const unitSeconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
}
const maxBanSeconds = 1000 * 365 * 86_400

/** Reads a duration as Go writes it: `24h`, `1h30m`, `1.5h`; `none` is no time at all. */
function readDuration(text: string): number {
  if (text === 'none') return 0
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)]
  const seconds = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * unitSeconds[unit!]!, 0)
  if (parts.map(([part]) => part).join('') !== text || !(seconds <= maxBanSeconds))
    throw invalid(`invalid format for ban duration: ${JSON.stringify(text)}`)
  return seconds
}
