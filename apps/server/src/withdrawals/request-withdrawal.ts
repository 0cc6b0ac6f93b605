/**
 * Sets aside what its owner wants back, once they have shown again that it is them, and tells them by mail, with a link
 * that cancels it: whoever sits at their session cannot read that mail away before the day of waiting is over.
 */
import { createHash, randomBytes } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import { moneyText, parseUsd } from '@ingot/contracts/money'
import {
  cancelWithdrawalPath,
  minimumWithdrawal,
  mostWithdrawalsADay,
  type Withdrawal,
} from '@ingot/contracts/withdrawals'
import type { Address20 } from '@ingot/tron/address'
import { sql } from 'kysely'
import { assertOwnPassword, getProof, type ProofNeeds } from '../auth/own-proof.ts'
import type { Places } from '../auth/visitor.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import { inTransaction, type Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { SessionCaller } from '../http/bind.ts'
import type { Vault } from '../vault.ts'
import type { Chain } from '../wallet/chain.ts'
import { asked } from '../wallet/payout-letters.ts'
import { queueMail } from '../worker/mail.ts'
import { readPayoutAddress } from './payout-address.ts'
import { getWithdrawal, proofNeeded } from './queries.ts'

export interface RequestNeeds extends ProofNeeds {
  readonly config: ProofNeeds['config'] & Pick<Config, 'publicUrl' | 'withdrawals'>
  readonly clock: Clock
  readonly vault: Vault
  readonly chain: Chain
}

export interface WithdrawalWish {
  readonly amount: string
  readonly address: string
  readonly password?: string
}

const wrong = (field: keyof WithdrawalWish, what: string) =>
  new IngotError('validation_failed', { fields: { [field]: what } })

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

export async function requestWithdrawal(
  needs: RequestNeeds,
  caller: SessionCaller,
  wish: WithdrawalWish,
  places: Places,
): Promise<Withdrawal> {
  const { database, config, chain } = needs
  if (!config.withdrawals)
    throw new IngotError('invalid_state', { message: 'Withdrawals are not offered here. Contact support' })
  const amount = parseUsd(wish.amount)
  if (amount < parseUsd(minimumWithdrawal)) throw wrong('amount', `At least ${minimumWithdrawal} USDT`)
  const to = await readPayoutAddress(database.kysely, chain, wish.address)

  const proof = await getProof(database.kysely, caller)
  const needed = proofNeeded(proof)
  if (needed === 'factor') throw new IngotError('mfa_required')
  if (needed === 'password') await assertOwnPassword(needs, caller.userId, proof, wish.password ?? '', places)
  return inTransaction(database.kysely, tx => setAside(tx, needs, caller.userId, amount, to))
}

async function setAside(
  tx: Tx,
  { clock, vault, config }: RequestNeeds,
  userId: string,
  amount: bigint,
  to: Address20,
): Promise<Withdrawal> {
  const id = newId()
  const at = clock.iso()
  const token = randomBytes(24).toString('base64url')
  await refusals(
    sql`select request_withdrawal(${id}, ${userId}, ${amount}, ${Buffer.from(to, 'hex')}, ${hashToken(token)}, 'Withdrawal',
      ${mostWithdrawalsADay}, ${at})`.execute(tx),
  )
  const withdrawal = await getWithdrawal(tx, userId, id)
  const { email } = await tx
    .selectFrom('auth_user')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  if (email) {
    const link = `${config.publicUrl}${cancelWithdrawalPath}?token=${token}`
    await queueMail(tx, vault, asked({ to: email, host: new URL(config.publicUrl).host, withdrawal, link }))
  }
  return withdrawal
}

const whyNot: Readonly<Record<string, string>> = {
  open: 'A withdrawal is under way. Cancel it first, or wait until it is paid',
  too_many: `At most ${mostWithdrawalsADay} withdrawals may be asked for in a day`,
  deleted: 'This account is deleted',
}

async function refusals(query: Promise<unknown>): Promise<void> {
  try {
    await query
  } catch (error) {
    const { code, detail } = error as { code?: string; detail?: string }
    if (code === 'IN410') throw new IngotError('invalid_state', { message: whyNot[detail!] })
    if (code === 'IN402')
      throw new IngotError('insufficient_funds', {
        message: `You can withdraw ${moneyText(BigInt(detail ?? 0), 'down')} now`,
        fields: { amount: `At most ${moneyText(BigInt(detail ?? 0), 'down')} can be withdrawn now` },
      })
    throw error
  }
}
