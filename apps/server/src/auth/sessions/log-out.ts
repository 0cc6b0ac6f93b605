/**
 * Ends sessions: all of the user's (`global`), this one (`local`) or all but this one (`others`). Effective at once.
 * Whoever changes several sessions holds their user's lock, so that two of them never wait for each other.
 */
import { type Database, inTransaction } from '../../db/database.ts'
import { invalid } from '../errors.ts'
import { lockUser } from '../queries.ts'

export async function logOut(
  { database }: { database: Database },
  userId: string,
  sessionId: string,
  scope: string,
): Promise<void> {
  if (scope !== 'global' && scope !== 'local' && scope !== 'others')
    throw invalid(`Unsupported logout scope ${JSON.stringify(scope.slice(0, 32))}`)
  await inTransaction(database.kysely, async tx => {
    await lockUser(tx, userId)
    const mine = tx.deleteFrom('auth_session').where('user_id', '=', userId)
    if (scope === 'global') await mine.execute()
    else await mine.where('id', scope === 'local' ? '=' : '<>', sessionId).execute()
  })
}
