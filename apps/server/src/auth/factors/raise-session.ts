/**
 * Raises a session to aal2. The entry that a factor adds to the session's methods names the factor, so that removing it
 * takes its sessions down again; tokens do not show that name. The refresh counter skips one, so that no token from
 * before is the parent of the new one.
 */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { AuthError } from '../errors.ts'
import { encodeRefreshToken, refreshKeyOf } from '../sessions/refresh-token.ts'
import type { Grant } from '../sessions/session.ts'
import type { AmrEntry, SessionClaims } from '../sessions/tokens.ts'

const skip = 2n

export async function raiseSession(
  tx: Tx,
  { vault }: { vault: Vault },
  { id }: SessionClaims,
  method: string,
  factorId: string,
): Promise<Grant> {
  const session = await tx
    .selectFrom('auth_session')
    .select(['refresh_counter', 'amr'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!session)
    throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  const counter = session.refresh_counter + skip
  const entry: AmrEntry = { method, timestamp: Math.floor(Date.now() / 1000), factor_id: factorId }
  const amr = [entry, ...session.amr.filter(earlier => earlier.method !== method)]
  await sql`
    update auth_session set aal = 'aal2', amr = ${JSON.stringify(amr)}, refresh_counter = ${counter},
      first_counter = ${counter}, refreshed_at = now(), last_active_at = now()
    where id = ${id}`.execute(tx)
  return { id, aal: 'aal2', amr, refreshToken: encodeRefreshToken(id, counter, refreshKeyOf(vault, id)) }
}
