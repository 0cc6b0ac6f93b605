/**
 * Password rules and hashes. Hashing runs in threads of its own; checking takes as long for an unknown user as for a
 * wrong password.
 */
import { readFileSync } from 'node:fs'
import { passwordLimits } from '@ingot/contracts/accounts'
import { AuthError, invalid, type WeakReason } from '../errors.ts'
import type { AuthSettings } from '../settings.ts'
import { runHash } from './hash-pool.ts'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const { maxBytes: maxPasswordBytes } = passwordLimits

/** The hash of nothing anybody knows, with the parameters of every other. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$u5TSlhM6dRVhkDGIqNnXzQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

export const hashPassword = async (password: string): Promise<string> =>
  String(await runHash({ kind: 'hash', password, options: parameters }))

/** False for a user without a password and for no user at all, after the same work. */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  const possible = Buffer.byteLength(password) <= maxPasswordBytes
  const right = await runHash({
    kind: 'verify',
    hash: passwordHash ?? nobodysHash,
    password: possible ? password : '',
  })
  return right === true && possible && passwordHash != null
}

/** What is too weak about a password, as the client shows it; null when nothing is. */
export function weakness(password: string, settings: AuthSettings): AuthError | null {
  if ([...password].length < settings.minPasswordLength)
    return tooWeak(`Password should be at least ${settings.minPasswordLength} characters.`, 'length')
  if (settings.refuseCommonPasswords && commonPasswords.has(password.toLowerCase()))
    return tooWeak('Password is known to be weak and easy to guess, please choose a different one.', 'pwned')
  return null
}

const tooWeak = (message: string, reason: WeakReason) =>
  new AuthError(422, 'weak_password', message, [reason])

/** What guessers try first. */
const commonPasswords = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter(line => line && !line.startsWith('#')),
)

/** Refuses a new password that is too long or too weak. */
export function assertGoodPassword(password: string, settings: AuthSettings): void {
  if (Buffer.byteLength(password) > maxPasswordBytes)
    throw invalid(`Password cannot be longer than ${maxPasswordBytes} characters`)
  const weak = weakness(password, settings)
  if (weak) throw weak
}
