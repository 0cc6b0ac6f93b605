import type { Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'

/**
 * Refuses a session that has ended since its call began: the owner of the account may have ended a stranger's. The
 * user's row is locked by the caller, so none ends before the transaction does.
 */
export async function assertStillSignedIn(tx: Tx, userId: string, sessionId: string): Promise<void> {
  const session = await tx
    .selectFrom('auth_session')
    .select('id')
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .where('superseded_at', 'is', null)
    .executeTakeFirst()
  if (!session)
    throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
}
