/** Ends one session of a user: effective with its next call; what it holds open ends within a second. */
import { IngotError } from '@ingot/contracts/errors'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { SessionCaller } from '../http/bind.ts'

export async function endSession(tx: Tx, caller: SessionCaller, id: string, at: string): Promise<void> {
  if (id.toLowerCase() === caller.sessionId)
    throw new IngotError('invalid_state', { message: 'Cannot terminate current session' })
  const ended = await tx
    .deleteFrom('auth_session')
    .where('id', '=', id)
    .where('user_id', '=', caller.userId)
    .executeTakeFirst()
  if (!ended.numDeletedRows) throw new IngotError('not_found')
  await appendEvent(tx, { userId: caller.userId, type: 'session.ended', at })
}
