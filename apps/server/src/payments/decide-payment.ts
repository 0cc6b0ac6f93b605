/** Somebody decides about a transfer that is held for it. Repeated, it says the same; the other decision is refused. */
import { IngotError } from '@ingot/contracts/errors'
import type { Payment } from '@ingot/contracts/payments'
import { sql } from 'kysely'
import { appendAudit, giveReason } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'
import { type Chain, creditEndsAt } from '../wallet/chain.ts'
import { getPayment } from './queries.ts'

export async function decidePayment(
  tx: Tx,
  chain: Chain,
  decision: 'approve' | 'reject',
  { id, reason }: { readonly id: string; readonly reason?: string },
  at: string,
): Promise<Payment> {
  const before = await getPayment(tx, id)
  if (reason !== undefined) await giveReason(tx, reason)
  try {
    await (
      decision === 'approve'
        ? sql`select approve_deposit(${id}, ${at}, ${creditEndsAt(chain, at)})`
        : sql`select reject_deposit(${id}, ${reason ?? ''}, ${at})`
    ).execute(tx)
  } catch (error) {
    if ((error as { code?: string }).code !== 'IN409') throw error
    throw new IngotError('invalid_state', {
      message: before.can_decide ? undefined : `Nothing is to be decided about it: it is ${before.status}`,
    })
  }
  const after = await getPayment(tx, id)
  const said = ({ status }: Payment) => ({ payment: id, payment_status: status, amount: before.amount_usd })
  await appendAudit(tx, {
    kind: 'account',
    id: before.user_id,
    userId: before.user_id,
    before: said(before),
    after: said(after),
  })
  return after
}
