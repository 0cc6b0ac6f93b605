/** Sends the link that confirms a new account; the newest counts, with what its request set. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { confirmSignUp } from '../letters/letters.ts'
import type { UserRow } from '../queries.ts'
import { type LinkNeeds, mailLink } from './mail-link.ts'
import type { Challenge } from './pkce.ts'
import type { Sets } from './sets.ts'

export async function mailConfirmation(
  tx: Tx,
  needs: LinkNeeds,
  user: UserRow,
  challenge: Challenge | null,
  redirectTo: string,
  sets: Sets = {},
): Promise<void> {
  await sql`update auth_user set confirmation_sent_at = now(), updated_at = now() where id = ${user.id}`.execute(
    tx,
  )
  await mailLink(tx, needs, {
    userId: user.id,
    kind: 'signup',
    type: 'signup',
    to: user.email!,
    challenge,
    redirectTo,
    sets,
    letter: mail => confirmSignUp(mail, Boolean(sets.passwordHash)),
  })
}
