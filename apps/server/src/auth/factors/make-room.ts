import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { findUserById, hasSecondFactor, type UserRow } from '../queries.ts'
import type { SessionClaims } from '../sessions/tokens.ts'
import type { AuthSettings } from '../settings.ts'
import { lockOwner } from './queries.ts'

/** Drops what was never finished, and says why another factor may not be added. */
export async function makeRoom(
  tx: Tx,
  { settings }: { settings: AuthSettings },
  userId: string,
  session: SessionClaims,
  name: string,
): Promise<UserRow> {
  await lockOwner(tx, userId)
  await sql`
    delete from auth_factor where user_id = ${userId} and status = 'unverified'
      and created_at < now() - ${settings.factors.lifeSeconds} * interval '1 second'`.execute(tx)
  const user = (await findUserById(tx, userId))!
  if (user.factors.some(factor => factor.friendly_name === name)) {
    throw new AuthError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name ${JSON.stringify(name)} for this user already exists`,
    )
  }
  if (user.factors.length >= settings.factors.max) {
    throw new AuthError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    )
  }
  assertMayAdd(user, session)
  return user
}

/**
 * A stolen password must not bring its own factor: not now, and not by finishing one that was begun before the owner had
 * any.
 */
export function assertMayAdd(user: UserRow, { aal }: SessionClaims): void {
  if (hasSecondFactor(user) && aal !== 'aal2')
    throw new AuthError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
}
