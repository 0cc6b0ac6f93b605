/** Mails a link that leads to a new password. The answer is empty, whether or not anybody has the address. */
import { inTransaction } from '../../db/database.ts'
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import { claimMail, takeMail, takeToken } from '../limits.ts'
import { mailMagicLink } from './mail-magic-link.ts'
import { readChallenge } from './pkce.ts'
import { findUserByEmail, lockUser } from '../queries.ts'
import type { AuthServices, Visitor } from '../services.ts'

export async function recover(auth: AuthServices, body: Body, visitor: Visitor): Promise<object> {
  await takeToken(auth, 'recover', visitor.ip)
  if (!auth.settings.emailProvider)
    throw new AuthError(400, 'email_provider_disabled', 'Email logins are disabled')
  if (!body.text('email', 1024)) throw invalid('Password recovery requires an email')
  const email = readEmail(body.text('email', 1024))
  const challenge = readChallenge(body)
  await inTransaction(auth.database.kysely, async tx => {
    await claimMail(tx, auth, 'recover', email)
    const found = await findUserByEmail(tx, email)
    const user = found && (await lockUser(tx, found.id))
    if (user) await mailMagicLink(tx, auth, user, 'recovery', challenge, visitor.redirectTo)
    else await takeMail(tx, auth)
  })
  auth.wakeMail()
  return {}
}
