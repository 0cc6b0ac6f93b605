/** Mails a link that leads to a new password. The answer is empty, whether or not anybody has the address. */
import { inTransaction } from '../../db/database.ts'
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import { type LimitNeeds, takeMail, takeToken } from '../limits.ts'
import { claimMail } from '../spacing.ts'
import { lockUserByEmail } from '../queries.ts'
import type { Visitor } from '../visitor.ts'
import type { LinkNeeds } from './mail-link.ts'
import { mailMagicLink } from './mail-magic-link.ts'
import { readChallenge } from './pkce.ts'

interface RecoverNeeds extends LimitNeeds, LinkNeeds {
  readonly wakeMail: () => void
}

export async function recoverPassword(needs: RecoverNeeds, body: Body, visitor: Visitor): Promise<object> {
  await takeToken(needs, 'recover', visitor.ip)
  if (!needs.settings.emailProvider)
    throw new AuthError(400, 'email_provider_disabled', 'Email logins are disabled')
  if (!body.text('email', 1024)) throw invalid('Password recovery requires an email')
  const email = readEmail(body.text('email', 1024))
  const challenge = readChallenge(body)
  await inTransaction(needs.database.kysely, async tx => {
    await claimMail(tx, needs, 'recover', email)
    const user = await lockUserByEmail(tx, email)
    if (user) await mailMagicLink(tx, needs, user, 'recovery', challenge, visitor.redirectTo)
    else await takeMail(tx, needs)
  })
  needs.wakeMail()
  return {}
}
