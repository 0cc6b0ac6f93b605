/** DELETE /admin/users/{id}/factors/{factor}: removes a factor, also the last one, without a code from it. */
import { appendAuditAnyway } from '../../db/audit-log.ts'
import { inTransaction } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { dropFactor } from '../factors/drop-factor.ts'
import { findFactorOf } from '../factors/queries.ts'
import type { RemoveNeeds } from '../factors/remove-factor.ts'
import { lockUser, presentFactor } from '../queries.ts'
import { noSuchUser } from './queries.ts'

export async function adminDeleteFactor(needs: RemoveNeeds, userId: string, factorId: string) {
  const removed = await inTransaction(needs.database.kysely, async tx => {
    const owner = await lockUser(tx, userId)
    const view = owner?.factors.find(({ id }) => id === factorId.toLowerCase())
    if (!owner) throw noSuchUser()
    if (!view) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
    await dropFactor(tx, needs, owner, await findFactorOf(tx, userId, view.id))
    // One that was never finished changed the safety of nothing.
    await appendAuditAnyway(tx, { kind: 'factor', id: view.id, userId, before: { factor: view.factor_type } })
    return view
  })
  needs.wakeMail()
  return presentFactor(removed)
}
