import { parseUsd } from '@ingot/contracts/money'
import { balanceLevel, type Deposit, type Wallet } from '@ingot/contracts/wallet'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { getBalance } from '../ledger/ledger.ts'
import type { Chain } from './chain.ts'

/** The wallet, made on demand. */
export async function getWallet(
  db: Db,
  chain: Pick<Chain, 'networkName' | 'isTestNetwork'>,
  userId: string,
  at: string,
): Promise<Wallet> {
  let balance = await getBalance(db, userId, at)
  if (!balance) {
    await sql`select get_or_create_wallet(${userId})`.execute(db)
    balance = (await getBalance(db, userId, at))!
  }
  const { account_id: _, ...amounts } = balance
  return {
    user_id: userId,
    ...amounts,
    level: balanceLevel(parseUsd(balance.balance_usd)),
    network_name: chain.networkName,
    is_test_network: chain.isTestNetwork,
  }
}

const depositStatus = sql<
  Deposit['status']
>`case state when 'credited' then 'confirmed' when 'orphaned' then 'failed' else state end`

/** Newest first, those still arriving included. */
export async function listDeposits(
  db: Db,
  userId: string,
  confirmationsNeeded: number,
  filter: { cursor?: string; limit: number },
): Promise<{ items: Deposit[]; next_cursor: string | null }> {
  const cursor = /^[0-9a-f-]{36}$/.test(filter.cursor ?? '') ? filter.cursor! : null
  const { rows } = await sql<Deposit>`
    select id, encode(txid, 'hex') as tx_hash, usd(amount_micro) as amount_usdt, ${depositStatus} as status,
      least(confirmations, ${confirmationsNeeded}) as confirmations, ${confirmationsNeeded}::int as confirmations_needed, created_at
    from chain_deposit where user_id = ${userId} and (${cursor}::uuid is null or id < ${cursor}::uuid)
    order by id desc limit ${filter.limit + 1}`.execute(db)
  const items = rows.slice(0, filter.limit)
  return { items, next_cursor: rows.length > filter.limit ? items.at(-1)!.id : null }
}
