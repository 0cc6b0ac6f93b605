/** POST /invite: opens an account for an address and mails its owner a link to accept it. */
import { appendAudit } from '../../db/audit-log.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { type LinkNeeds, mailLink } from '../codes/mail-link.ts'
import { invitation } from '../letters/letters.ts'
import { findUserById, presentUser, type UserBody } from '../queries.ts'
import type { Visitor } from '../visitor.ts'
import { makeInvitedUser } from './make-invited-user.ts'

export interface InviteNeeds extends LinkNeeds {
  readonly database: Database
  readonly wakeMail: () => void
}

export async function inviteUser(needs: InviteNeeds, body: Body, visitor: Visitor): Promise<UserBody> {
  const email = readEmail(body.text('email', 1024))
  const data = body.object('data') ?? {}
  const user = await inTransaction(needs.database.kysely, async tx => {
    const { id } = await makeInvitedUser(tx, email, data)
    await mailLink(tx, needs, {
      userId: id,
      kind: 'invite',
      type: 'invite',
      to: email,
      challenge: null,
      redirectTo: visitor.redirectTo,
      letter: invitation,
    })
    await appendAudit(tx, { kind: 'account', id, userId: id, after: { link: 'invite' } })
    return (await findUserById(tx, id))!
  })
  needs.wakeMail()
  return presentUser(user)
}
