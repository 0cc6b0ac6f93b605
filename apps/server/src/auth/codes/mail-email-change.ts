/** Asks for a change of address: a link to the new address and, unless switched off, one to the present one. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { confirmAddressChange, confirmNewAddress } from '../letters/letters.ts'
import { assertMailSpacing } from '../spacing.ts'
import type { UserRow } from '../queries.ts'
import { type LinkNeeds, mailLink } from './mail-link.ts'
import type { Challenge } from './pkce.ts'
import type { Sets } from './sets.ts'

export async function mailEmailChange(
  tx: Tx,
  needs: LinkNeeds,
  user: UserRow,
  newEmail: string,
  challenge: Challenge | null,
  redirectTo: string,
  sets: Sets = {},
): Promise<void> {
  assertMailSpacing(needs, user.email_change_sent_at)
  await sql`
    update auth_user set new_email = ${newEmail}, email_change_sent_at = now(), updated_at = now()
    where id = ${user.id}`.execute(tx)
  // The change would wait for a link left over from an earlier wish.
  await tx
    .deleteFrom('auth_otp')
    .where('user_id', '=', user.id)
    .where('kind', 'in', ['email_change_current', 'email_change_new'])
    .execute()
  const link = { userId: user.id, type: 'email_change', challenge, redirectTo, sets } as const
  await mailLink(tx, needs, {
    ...link,
    kind: 'email_change_new',
    to: newEmail,
    letter: mail => confirmNewAddress(mail, user.email),
  })
  if (!user.email || !needs.settings.secureEmailChange) return
  await mailLink(tx, needs, {
    ...link,
    kind: 'email_change_current',
    to: user.email,
    letter: mail => confirmAddressChange(mail, newEmail),
  })
}
