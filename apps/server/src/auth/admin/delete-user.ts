/** DELETE /admin/users/{id}: ends the account as its owner's own deletion does. Money is never deleted with it. */
import { IngotError } from '@ingot/contracts/errors'
import type { Database } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { findUser, noSuchUser } from './queries.ts'

/**
 * What an administrator's delete does: the same as the owner's own, with a positive balance refunded by request. `by`
 * is the administrator. Repeating it does nothing. Rejects with an IngotError: `not_found`, or `invalid_state` while
 * money is set aside.
 */
export type DeleteAccount = (userId: string, by: string) => Promise<void>

export interface DeleteUserNeeds {
  readonly database: Database
  /** Null where there is no accounts room beside this one. */
  readonly deleteAccount: DeleteAccount | null
}

/** A foreign key refuses, or restricts. */
const stillNamed = ['23503', '23001']

export async function adminDeleteUser(
  needs: DeleteUserNeeds,
  id: string,
  by: string,
): Promise<Record<string, never>> {
  const user = await findUser(needs, id)
  try {
    if (needs.deleteAccount) await needs.deleteAccount(user.id, by)
    else await needs.database.kysely.deleteFrom('auth_user').where('id', '=', user.id).execute()
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
  return error instanceof IngotError && error.code === 'not_found' ? noSuchUser() : error
}
