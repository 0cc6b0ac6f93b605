/**
 * Final transfers away from our addresses. One of exactly the amount of a withdrawal or a refund to its address pays that
 * request, once; every other only says where coins went.
 */
import { formatUsd } from '@ingot/contracts/money'
import { toBase58 } from '@ingot/tron/address'
import type { Sweep } from '@ingot/tron/hit'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import { queueMail } from '../worker/mail.ts'
import type { Chain } from './chain.ts'
import { paid } from './payout-letters.ts'

export interface SweepNeeds {
  readonly chain: Chain
  readonly clock: Clock
  readonly config: Pick<Config, 'publicUrl'>
  readonly vault: Vault
  readonly log: Logger
}

/** Returns who was paid. */
export async function recordSweeps(
  tx: Tx,
  needs: SweepNeeds,
  sweeps: readonly Sweep[],
): Promise<readonly string[]> {
  const { chain, log } = needs
  const paidUsers: string[] = []
  for (const sweep of sweeps) {
    const { txid, position, height, timeMs, from20, to20, amount } = sweep
    const { rows } = await sql<{ isNew: boolean }>`
      select record_sweep(${chain.name}, ${Buffer.from(txid, 'hex')}, ${position}, ${height}, ${new Date(timeMs).toISOString()},
        ${Buffer.from(from20, 'hex')}, ${Buffer.from(to20, 'hex')}, ${amount}) as "isNew"`.execute(tx)
    if (!rows[0]!.isNew) continue
    const userId = await settle(tx, needs, sweep)
    if (userId) paidUsers.push(userId)
    const about = { txid, from: toBase58(from20), to: toBase58(to20), usdt: formatUsd(amount) }
    log.info(about, userId ? 'paid out' : 'swept')
  }
  return paidUsers
}

async function settle(
  tx: Tx,
  { chain, clock, config, vault }: SweepNeeds,
  { txid, position, to20, amount }: Sweep,
): Promise<string | null> {
  const { rows } = await sql<{ request_id: string; user_id: string; contact_sealed: Buffer | null }>`
    select request_id, user_id, contact_sealed from settle_payout(${chain.name}, ${Buffer.from(txid, 'hex')}, ${position}, ${clock.iso()})`.execute(
    tx,
  )
  const found = rows[0]
  if (!found) return null
  const { request_id, user_id, contact_sealed } = found
  const { email } = await tx
    .selectFrom('auth_user')
    .select('email')
    .where('id', '=', user_id)
    .executeTakeFirstOrThrow()
  const to = contact_sealed ? vault.open(contact_sealed, `refund:${request_id}`).toString() : email
  // A former customer may have left a phone alone.
  if (to?.includes('@')) {
    const host = new URL(config.publicUrl).host
    const letter = paid({ to, host, amount, address: toBase58(to20), txid })
    await queueMail(tx, vault, contact_sealed ? { ...letter, forget: true } : letter)
  }
  return user_id
}
