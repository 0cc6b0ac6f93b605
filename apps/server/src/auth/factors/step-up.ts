/**
 * Raises a session to aal2, and back. The entry that a factor adds to the session's methods names the factor, so that
 * removing it takes its sessions down again; tokens do not show that name. The refresh counter skips one, so that no
 * token from before is the parent of the new one.
 */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { encodeRefreshToken, refreshKeyOf } from '../sessions/refresh-token.ts'
import type { AuthServices } from '../services.ts'
import type { Grant } from '../sessions/session.ts'
import type { AmrEntry, SessionClaims } from '../sessions/tokens.ts'

const skip = 2n

export async function stepUp(
  tx: Tx,
  { vault }: AuthServices,
  { id }: SessionClaims,
  method: string,
  factorId: string,
): Promise<Grant> {
  const { rows } = await sql<{ counter: bigint; amr: AmrEntry[] }>`
    select refresh_counter as counter, amr from auth_session
    where id = ${id} for no key update`.execute(tx)
  const session = rows[0]
  if (!session)
    throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  const counter = session.counter + skip
  const entry: AmrEntry = { method, timestamp: Math.floor(Date.now() / 1000), factor_id: factorId }
  const amr = [entry, ...session.amr.filter(earlier => earlier.method !== method)]
  await sql`
    update auth_session set aal = 'aal2', amr = ${JSON.stringify(amr)}, refresh_counter = ${counter},
      first_counter = ${counter}, refreshed_at = now(), last_active_at = now()
    where id = ${id}`.execute(tx)
  return { id, aal: 'aal2', amr, refreshToken: encodeRefreshToken(id, counter, refreshKeyOf(vault, id)) }
}

/** Sessions that have not shown the second factor: they may be somebody's who knows the password alone. */
export async function endWeakerSessions(tx: Tx, userId: string): Promise<void> {
  await sql`delete from auth_session where user_id = ${userId} and aal = 'aal1'`.execute(tx)
}

/** What a removed factor proved is proved no more. */
export async function stepDown(tx: Tx, userId: string, factorId: string): Promise<void> {
  await sql`
    update auth_session s set amr = left_over.amr,
      aal = case when left_over.amr @? '$[*].factor_id' then 'aal2' else 'aal1' end
    from (
      select id, jsonb_path_query_array(amr, '$[*] ? (!(@.factor_id == $factor))', jsonb_build_object('factor', ${factorId}::text)) as amr
      from auth_session where user_id = ${userId}) left_over
    where s.id = left_over.id and s.amr <> left_over.amr`.execute(tx)
}
