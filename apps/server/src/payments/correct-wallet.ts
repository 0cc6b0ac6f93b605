/** An administrator gives a user money, or takes what is there, with words that stand on the bill. */
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro, moneyText, parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import { appendAudit, giveReason } from '../db/audit-log.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'

interface Correction {
  /** The user's. */
  readonly id: string
  readonly amount: string
  readonly reason: string
}

export async function correctWallet(
  tx: Tx,
  { id, amount, reason }: Correction,
  sign: 1n | -1n,
  at: string,
): Promise<{ user_id: string; balance_usd: string }> {
  const micro = parseUsd(amount)
  if (micro === 0n) throw new IngotError('validation_failed', { fields: { amount: 'More than nothing' } })
  const user = await tx
    .selectFrom('auth_user')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!user) throw new IngotError('not_found')
  await giveReason(tx, reason)
  const words = `${sign === 1n ? 'Credit' : 'Debit'} by support: ${reason}`
  const balance = await correct(
    sql<{
      micro: Micro
    }>`select correct_wallet(${id}, ${sign * micro}, ${words}, ${newId()}, ${at}) as micro`.execute(tx),
    micro,
  )
  await appendAudit(tx, {
    kind: 'account',
    id,
    userId: id,
    before: { correction: null },
    after: { correction: formatUsd(sign * micro) },
  })
  return { user_id: id, balance_usd: formatUsd(balance) }
}

async function correct(call: Promise<{ rows: { micro: Micro }[] }>, micro: Micro): Promise<Micro> {
  try {
    return (await call).rows[0]!.micro
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'IN404') throw new IngotError('not_found')
    if (code !== 'IN402') throw error
    throw new IngotError('insufficient_funds', {
      fields: { amount: `The wallet holds less than ${moneyText(micro)}` },
    })
  }
}
