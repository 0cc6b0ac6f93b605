/**
 * Lets a suspended user in again. What stopped stays stopped, and the API key that ended stays ended: they start and make
 * what they want. A ban that stood before stands again. Repeating it changes nothing.
 */
import { sql } from 'kysely'
import { appendAudit, appendAuditAnyway, giveReason } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { queueMail } from '../worker/mail.ts'
import { reinstated } from './letters.ts'
import { assertStillAdministrator, lockPerson } from './lock-person.ts'
import type { Act, PeopleNeeds } from './suspend-user.ts'

export async function reinstateUser(
  tx: Tx,
  { clock, vault, config }: PeopleNeeds,
  userId: string,
  { reason, by }: Act,
): Promise<void> {
  const { email } = await lockPerson(tx, userId)
  await assertStillAdministrator(tx, by)
  await giveReason(tx, reason)
  const { rows } = await sql<{ banned_before: string | null }>`
    delete from suspension where user_id = ${userId} returning banned_before`.execute(tx)
  if (!rows[0]) return appendAuditAnyway(tx, { kind: 'account', id: userId, userId })
  await sql`
    update auth_user set banned_until = ${rows[0].banned_before}, updated_at = now() where id = ${userId}`.execute(
    tx,
  )
  // A sign-in that was under way may have left one.
  await tx.deleteFrom('auth_session').where('user_id', '=', userId).execute()
  await appendEvent(tx, { userId, type: 'account.reinstated', at: clock.iso() })
  await appendAudit(tx, {
    kind: 'account',
    id: userId,
    userId,
    before: { suspended: true },
    after: { suspended: false },
  })
  if (email) await queueMail(tx, vault, reinstated({ to: email, siteUrl: config.publicUrl, reason }))
}
