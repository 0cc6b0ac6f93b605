import { type Database, inTransaction } from '../../db/database.ts'
import { auditSsoProvider } from './audit-sso-provider.ts'
import { getSsoProvider, presentConnection } from './queries.ts'

/** Deletes a connection. Its users keep their accounts, and get no further sessions through it. */
export async function deleteSsoProvider(needs: { database: Database }, id: string) {
  const connection = await getSsoProvider(needs, id)
  await inTransaction(needs.database.kysely, async tx => {
    const deleted = await tx.deleteFrom('auth_sso_provider').where('id', '=', id).executeTakeFirst()
    if (deleted.numDeletedRows) await auditSsoProvider(tx, connection, null)
  })
  return presentConnection(connection)
}
