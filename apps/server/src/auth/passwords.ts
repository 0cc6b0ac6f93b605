/** Password rules and hashes. Hashing runs on the thread pool; checking takes as long for an unknown user as for a wrong password. */
import { hash, verify } from '@node-rs/argon2'
import { AuthError, invalid } from './errors.ts'
import type { AuthSettings } from './settings.ts'

const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Bytes; more could not be moved to or from services that hash with bcrypt. */
const maxPasswordBytes = 72

/** The hash of nothing anybody knows, with the parameters of every other. */
const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$u5TSlhM6dRVhkDGIqNnXzQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

export const hashPassword = (password: string): Promise<string> => hash(password, parameters)

/** False for a user without a password and for no user at all, after the same work. */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  const possible = Buffer.byteLength(password) <= maxPasswordBytes
  const right = await verify(passwordHash ?? nobodysHash, possible ? password : '')
  return right && possible && passwordHash != null
}

/** What is too weak about a password, as the client shows it; null when nothing is. */
export function weakness(password: string, settings: AuthSettings): AuthError | null {
  if ([...password].length >= settings.minPasswordLength) return null
  return new AuthError(
    422,
    'weak_password',
    `Password should be at least ${settings.minPasswordLength} characters.`,
    ['length'],
  )
}

/** Refuses a new password that is too long or too weak. */
export function assertGoodPassword(password: string, settings: AuthSettings): void {
  if (Buffer.byteLength(password) > maxPasswordBytes)
    throw invalid(`Password cannot be longer than ${maxPasswordBytes} characters`)
  const weak = weakness(password, settings)
  if (weak) throw weak
}
