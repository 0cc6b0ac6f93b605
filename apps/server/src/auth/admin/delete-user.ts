/** DELETE /admin/users/{id}: ends the account as its owner's own deletion does. Money is never deleted with it. */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { AuthError } from '../errors.ts'
import type { AuthServices } from '../services.ts'
import { findUser, noSuchUser } from './find-user.ts'

/** A foreign key refuses, or restricts. */
const stillNamed = ['23503', '23001']

export async function adminDeleteUser(
  auth: AuthServices,
  id: string,
  by: string,
): Promise<Record<string, never>> {
  const user = await findUser(auth, id)
  try {
    if (auth.deleteAccount) await auth.deleteAccount(user.id, by)
    else await sql`delete from auth_user where id = ${user.id}`.execute(auth.database.kysely)
  } catch (error) {
    throw toRefusal(error)
  }
  return {}
}

function toRefusal(error: unknown): unknown {
  if (stillNamed.includes((error as { code?: string }).code ?? ''))
    return new AuthError(
      409,
      'conflict',
      'The ledger has entries of this user, so the account cannot be removed',
    )
  if (!(error instanceof IngotError)) return error
  return error.code === 'not_found' ? noSuchUser() : new AuthError(409, 'conflict', error.message)
}
