import type { Database } from '../../db/database.ts'
import { getSsoProvider, presentConnection } from './queries.ts'

/** Deletes a connection. Its users keep their accounts, and get no further sessions through it. */
export async function deleteSsoProvider(needs: { database: Database }, id: string) {
  const connection = await getSsoProvider(needs, id)
  await needs.database.kysely.deleteFrom('auth_sso_provider').where('id', '=', id).execute()
  return presentConnection(connection)
}
