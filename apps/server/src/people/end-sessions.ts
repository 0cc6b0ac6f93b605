import { IngotError } from '@ingot/contracts/errors'
import { appendAuditAnyway, giveReason } from '../db/audit-log.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { assertStillAdministrator, lockPerson } from './lock-person.ts'
import type { Act } from './suspend-user.ts'

/** Signs a user out everywhere; what was opened by a session closes within a second. Returns how many there were. */
export async function endSessions(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  { reason, by }: Act,
): Promise<number> {
  if (userId === by)
    throw new IngotError('not_allowed', { message: 'End your own sessions in your settings.' })
  await lockPerson(tx, userId)
  await assertStillAdministrator(tx, by)
  await giveReason(tx, reason)
  const ended = await tx
    .deleteFrom('auth_session')
    .where('user_id', '=', userId)
    .returning('superseded_at')
    .execute()
  if (ended.length) await appendEvent(tx, { userId, type: 'session.ended', at: clock.iso() })
  await appendAuditAnyway(tx, { kind: 'account', id: userId, userId })
  return ended.filter(row => row.superseded_at === null).length
}
