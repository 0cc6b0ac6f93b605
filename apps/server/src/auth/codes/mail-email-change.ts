/** Asks for a change of address: a link to the new address and, unless switched off, one to the present one. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { confirmAddressChange, confirmNewAddress } from '../letters/letters.ts'
import { assertMailSpacing } from '../limits.ts'
import { mailLink } from './otp.ts'
import type { Challenge } from './pkce.ts'
import type { UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'

export async function mailEmailChange(
  tx: Tx,
  auth: AuthServices,
  user: UserRow,
  newEmail: string,
  challenge: Challenge | null,
  redirectTo: string,
): Promise<void> {
  assertMailSpacing(auth, user.email_change_sent_at)
  await sql`
    update auth_user set new_email = ${newEmail}, email_change_sent_at = now(), updated_at = now()
    where id = ${user.id}`.execute(tx)
  // A link left over from an earlier wish would be waited for.
  await sql`
    delete from auth_otp where user_id = ${user.id} and kind in ('email_change_current', 'email_change_new')`.execute(
    tx,
  )
  const link = { userId: user.id, type: 'email_change', challenge, redirectTo } as const
  await mailLink(tx, auth, {
    ...link,
    kind: 'email_change_new',
    to: newEmail,
    letter: mail => confirmNewAddress(mail, user.email),
  })
  if (!user.email || !auth.settings.secureEmailChange) return
  await mailLink(tx, auth, {
    ...link,
    kind: 'email_change_current',
    to: user.email,
    letter: mail => confirmAddressChange(mail, newEmail),
  })
}
