import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { SessionCaller } from '../http/bind.ts'

/** Ends all sessions of a user but the one that asks. Returns how many there were. */
export async function endOtherSessions(tx: Tx, caller: SessionCaller, at: string): Promise<number> {
  const ended = await tx
    .deleteFrom('auth_session')
    .where('user_id', '=', caller.userId)
    .where('id', '<>', caller.sessionId)
    .returning('superseded_at')
    .execute()
  // Superseded ones had ended before and were not shown.
  const count = ended.filter(row => row.superseded_at === null).length
  if (count) await appendEvent(tx, { userId: caller.userId, type: 'session.ended', at })
  return count
}
