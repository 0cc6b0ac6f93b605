/** The money goes back into the wallet, as long as nobody sends it: by its owner, or by the link in their mail. */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import type { Output } from '@ingot/contracts/operation'
import type { withdrawals, WithdrawalState } from '@ingot/contracts/withdrawals'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { hashToken } from './request-withdrawal.ts'

export interface Cancelled extends Output<typeof withdrawals.cancelByLink> {
  readonly userId: string
}

/** Repeated, it says the same. */
export async function cancelWithdrawal(
  tx: Tx,
  by: { readonly id: string; readonly userId: string } | { readonly token: string },
  at: string,
): Promise<Cancelled> {
  const [id, userId, hash] = 'token' in by ? [null, null, hashToken(by.token)] : [by.id, by.userId, null]
  const { rows } = await sql<{ user_id: string; state: WithdrawalState; amount_micro: Micro }>`
    select user_id, state, amount_micro from cancel_withdrawal(${id}, ${userId}, ${hash}, ${at})`.execute(tx)
  const found = rows[0]
  if (!found) throw new IngotError('not_found')
  if (found.state !== 'cancelled')
    throw new IngotError('invalid_state', { message: tooLate[found.state as keyof typeof tooLate] })
  return { userId: found.user_id, status: found.state, amount_usdt: formatUsd(found.amount_micro) }
}

const tooLate = {
  sending: 'This withdrawal is being sent and cannot be cancelled any more',
  paid: 'This withdrawal was paid',
  refused: 'This withdrawal was refused: the money is back in the wallet',
}
