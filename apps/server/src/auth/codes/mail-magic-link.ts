/** Mails a confirmed user a link that signs in, or one that leads to a new password. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { resetPassword, signInLink } from '../letters/letters.ts'
import type { UserRow } from '../queries.ts'
import { type LinkNeeds, mailLink } from './mail-link.ts'
import type { Challenge } from './pkce.ts'

export async function mailMagicLink(
  tx: Tx,
  needs: LinkNeeds,
  user: UserRow,
  kind: 'magiclink' | 'recovery',
  challenge: Challenge | null,
  redirectTo: string,
): Promise<void> {
  await sql`update auth_user set recovery_sent_at = now(), updated_at = now() where id = ${user.id}`.execute(
    tx,
  )
  await mailLink(tx, needs, {
    userId: user.id,
    kind,
    type: kind,
    to: user.email!,
    challenge,
    redirectTo,
    letter: kind === 'recovery' ? resetPassword : signInLink,
  })
}
