/** An administrator deletes an account, by the command that its owner has (`accounts/delete-account.ts`). */
import type { BalanceChoice } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { type DeleteAccountNeeds, endAccount } from '../accounts/delete-account.ts'
import { appendAuditAnyway, giveReason } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'
import { confirmationOf } from './queries.ts'
import type { Act } from './suspend-user.ts'

interface Wish extends Act {
  readonly confirmation: string
  readonly balance: BalanceChoice
}

export async function deleteUser(
  tx: Tx,
  needs: Omit<DeleteAccountNeeds, 'database' | 'signals'>,
  userId: string,
  { reason, by, confirmation, balance }: Wish,
): Promise<void> {
  if (userId === by)
    throw new IngotError('not_allowed', { message: 'Delete your own account in your settings.' })
  const user = await tx
    .selectFrom('auth_user')
    .select(['email', 'deleted_at'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!user || user.deleted_at) throw new IngotError('not_found')
  const wanted = confirmationOf(user.email)
  if (confirmation.trim().toLowerCase() !== wanted.toLowerCase())
    throw new IngotError('validation_failed', {
      fields: { confirmation: `Please type ${wanted} to confirm` },
    })
  await giveReason(tx, reason)
  await endAccount(tx, needs, userId, { by, balance })
  await appendAuditAnyway(tx, { kind: 'account', id: userId, userId })
}
