/** What an operator does about a request in the queue. That it is paid, only the chain says. */
import { IngotError } from '@ingot/contracts/errors'
import { type Payout, withdrawalWaitHours } from '@ingot/contracts/withdrawals'
import { sql } from 'kysely'
import { appendAudit, giveReason } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { Vault } from '../vault.ts'
import type { Chain } from '../wallet/chain.ts'
import { readPayoutAddress } from './payout-address.ts'
import { getPayout } from './queries.ts'

/** Its owner cannot cancel it any more. Repeated, it says the same. */
export async function takePayout(tx: Tx, vault: Vault, id: string, at: string): Promise<Payout> {
  const before = await getPayout(tx, vault, id)
  if (before.kind === 'refund' && !before.address)
    throw new IngotError('invalid_state', { message: 'Nobody knows where to: set the address first' })
  const took = before.kind === 'refund' ? sql`take_refund(${id})` : sql`take_withdrawal(${id}, ${at})`
  if (!(await isDone(tx, took))) {
    const { status, payable_at } = await getPayout(tx, vault, id)
    throw new IngotError('invalid_state', {
      message:
        status === 'waiting'
          ? `It may not be sent before ${payable_at}: ${withdrawalWaitHours} hours pass after a change of address, password or factor`
          : `It is ${status} already`,
    })
  }
  return handled(tx, vault, before, at)
}

export async function refuseWithdrawal(
  tx: Tx,
  vault: Vault,
  { id, reason }: { readonly id: string; readonly reason: string },
  at: string,
): Promise<Payout> {
  const before = await getPayout(tx, vault, id)
  if (before.kind === 'refund')
    throw new IngotError('invalid_state', { message: 'A refund is owed: it can only be paid' })
  await giveReason(tx, reason)
  if (!(await isDone(tx, sql`refuse_withdrawal(${id}, ${reason}, ${at})`)))
    throw new IngotError('invalid_state', {
      message: `It is ${(await getPayout(tx, vault, id)).status} already`,
    })
  return handled(tx, vault, before, at)
}

export async function setRefundAddress(
  tx: Tx,
  { vault, chain }: { readonly vault: Vault; readonly chain: Chain },
  { id, address }: { readonly id: string; readonly address: string },
  at: string,
): Promise<Payout> {
  const before = await getPayout(tx, vault, id)
  if (before.kind !== 'refund')
    throw new IngotError('invalid_state', { message: 'The address of a withdrawal is its owner’s alone' })
  const to = await readPayoutAddress(tx, chain, address)
  if (!(await isDone(tx, sql`address_refund(${id}, ${Buffer.from(to, 'hex')})`)))
    throw new IngotError('invalid_state', { message: 'It is being sent, or paid' })
  return handled(tx, vault, before, at)
}

async function isDone(tx: Tx, call: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await sql<{ done: boolean }>`select ${call} as done`.execute(tx)
  return rows[0]!.done
}

async function handled(tx: Tx, vault: Vault, before: Payout, at: string): Promise<Payout> {
  const after = await getPayout(tx, vault, before.id)
  const said = ({ status, address }: Payout) => ({ payout: status, amount: before.amount_usdt, address })
  await appendAudit(tx, {
    kind: 'account',
    id: before.user_id,
    userId: before.user_id,
    before: said(before),
    after: said(after),
  })
  if (after.kind === 'withdrawal')
    await appendEvent(tx, { userId: after.user_id, type: 'wallet.updated', at })
  return after
}
