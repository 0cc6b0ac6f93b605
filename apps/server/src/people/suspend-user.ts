/**
 * Keeps a user out, in one transaction: a ban with a reason, which every way in knows already; sessions and the API key
 * end for good, since whoever had taken the account over has them; what is open closes within a second or two. Instances
 * are stopped by `stop-work.ts`. Nothing is deleted, and money that arrives is credited. Repeating it changes nothing.
 * A start that was let in before is either done, and then stopped, or refused.
 */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { endKey } from '../accounts/api-key.ts'
import { assertAnotherAdministrator } from '../auth/assert-another-administrator.ts'
import { appendAudit, appendAuditAnyway, giveReason } from '../db/audit-log.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { Vault } from '../vault.ts'
import { queueMail } from '../worker/mail.ts'
import { suspended } from './letters.ts'
import { assertStillAdministrator, lockPerson } from './lock-person.ts'

export interface PeopleNeeds {
  readonly clock: Clock
  readonly vault: Vault
  readonly config: { readonly publicUrl: string }
}

export interface Act {
  readonly reason: string
  /** The administrator. */
  readonly by: string
}

export async function suspendUser(
  tx: Tx,
  { clock, vault, config }: PeopleNeeds,
  userId: string,
  { reason, by }: Act,
): Promise<void> {
  if (userId === by) throw new IngotError('not_allowed', { message: 'You cannot suspend yourself.' })
  const person = await lockPerson(tx, userId)
  await assertAnotherAdministrator(tx, userId)
  await assertStillAdministrator(tx, by)
  await giveReason(tx, reason)
  if (person.suspended_at !== null) return appendAuditAnyway(tx, { kind: 'account', id: userId, userId })
  // A century, as the auth service's clients write a ban without an end.
  await sql`update auth_user set banned_until = now() + interval '100 years', updated_at = now() where id = ${userId}`.execute(
    tx,
  )
  await sql`
    insert into suspension (user_id, reason, banned_before, due_at)
    values (${userId}, ${reason}, ${person.banned_until}, now())`.execute(tx)
  await tx.deleteFrom('auth_session').where('user_id', '=', userId).execute()
  const at = clock.iso()
  const key = await endKey(tx, userId)
  await appendEvent(
    tx,
    ...(key === null
      ? []
      : [{ userId, type: 'api_key.revoked' as const, at, data: { message: `${key}, by our staff` } }]),
    { userId, type: 'account.suspended', at },
  )
  await appendAudit(tx, {
    kind: 'account',
    id: userId,
    userId,
    before: { suspended: false },
    after: { suspended: true },
  })
  if (person.email)
    await queueMail(tx, vault, suspended({ to: person.email, siteUrl: config.publicUrl, reason }))
}
