/** Ends sessions: all of the user's (`global`), this one (`local`) or all but this one (`others`). Effective at once. */
import { invalid } from './errors.ts'
import type { AuthServices } from './services.ts'

export async function logOut(
  auth: AuthServices,
  userId: string,
  sessionId: string,
  scope: string,
): Promise<void> {
  const mine = auth.database.kysely.deleteFrom('auth_session').where('user_id', '=', userId)
  switch (scope) {
    case 'global':
      await mine.execute()
      return
    case 'local':
      await mine.where('id', '=', sessionId).execute()
      return
    case 'others':
      await mine.where('id', '<>', sessionId).execute()
      return
    default:
      throw invalid(`Unsupported logout scope ${JSON.stringify(scope.slice(0, 32))}`)
  }
}
