/** Asks a signed-in user for their password again. Wrong ones count as at sign-in: a session may be in other hands. */
import type { LimitNeeds } from './limits.ts'
import { assertNotLocked, countWrongPassword, forgetWrongPasswords, type Tries } from './lockouts.ts'
import { verifyPassword } from './passwords/passwords.ts'

export async function isOwnPassword(
  needs: LimitNeeds,
  tries: Tries,
  hash: string,
  password: string,
): Promise<boolean> {
  const key = await assertNotLocked(needs, tries)
  if (await verifyPassword(hash, password)) {
    await forgetWrongPasswords(needs, key)
    return true
  }
  await countWrongPassword(needs, key)
  return false
}
