/** Gives a user another role. It counts from their next call on; what it had opened ends within a second. */
import type { UserRole } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { assertAnotherAdministrator } from '../auth/assert-another-administrator.ts'
import { appendAuditAnyway, giveReason } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'

interface Change {
  readonly role: UserRole
  readonly reason?: string
}

export async function setRole(tx: Tx, userId: string, { role, reason }: Change, by: string): Promise<void> {
  // Locked: an account that is being deleted meanwhile gets no role.
  const user = await tx
    .selectFrom('auth_user')
    .select('deleted_at')
    .where('id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!user || user.deleted_at) throw new IngotError('not_found')
  if (role !== 'admin') await assertAnotherAdministrator(tx, userId)
  if (reason) await giveReason(tx, reason)
  const { role: before = 'user' } =
    (await tx.selectFrom('user_roles').select('role').where('user_id', '=', userId).executeTakeFirst()) ?? {}
  if (role !== before) await writeRole(tx, userId, role, by)
  await appendAuditAnyway(tx, { kind: 'account', id: userId, userId })
}

async function writeRole(tx: Tx, userId: string, role: UserRole, by: string): Promise<void> {
  if (role === 'user') {
    await tx.deleteFrom('user_roles').where('user_id', '=', userId).execute()
    return
  }
  await tx
    .insertInto('user_roles')
    .values({ user_id: userId, role, created_by: by })
    .onConflict(conflict => conflict.column('user_id').doUpdateSet({ role, created_by: by }))
    .execute()
}
