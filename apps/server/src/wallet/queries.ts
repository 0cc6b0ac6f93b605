import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { balanceLevel, creditUsd, type Deposit, type UsdtConfig, type Wallet } from '@ingot/contracts/wallet'
import { sql } from 'kysely'
import type { Database, Db } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, uuid } from '../db/page.ts'
import { getBalance } from '../ledger/ledger.ts'
import type { Chain } from './chain.ts'
import { delayedMinutes } from './delay.ts'
import { getDepositAddress } from './get-deposit-address.ts'

/** The wallet, made on demand, unless whoever asks may make nothing. */
export async function getWallet(
  { kysely, pool }: Database,
  chain: Pick<Chain, 'networkName' | 'isTestNetwork'>,
  userId: string,
  at: string,
  canMake = true,
): Promise<Wallet> {
  let balance = await getBalance(pool, userId, at)
  if (!balance) {
    if (!canMake) throw new IngotError('not_found', { message: 'This customer has no wallet yet' })
    await sql`select get_or_create_wallet(${userId})`.execute(kysely).catch((cause: unknown) => {
      throw Object.assign(new IngotError('wallet_not_created'), { cause })
    })
    balance = (await getBalance(pool, userId, at))!
  }
  const { account_id: _, ...amounts } = balance
  return {
    user_id: userId,
    ...amounts,
    level: balanceLevel(parseUsd(balance.balance_usd) + parseUsd(balance.credit?.amount_usd ?? '0')),
    network_name: chain.networkName,
    is_test_network: chain.isTestNetwork,
  }
}

async function creditOffer(db: Db, { creditDays }: Chain, userId: string): Promise<UsdtConfig['credit']> {
  if (creditDays === null) return null
  const given = await db
    .selectFrom('wallets')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('credit_account', 'is not', null)
    .executeTakeFirst()
  const amount = formatUsd(parseUsd(creditUsd))
  return given ? null : { amountUsd: amount, minimumUsdt: amount, days: creditDays }
}

/** The network and the user's own address on it, made on demand. */
export async function getUsdtConfig(db: Db, chain: Chain, userId: string): Promise<UsdtConfig> {
  return {
    networkName: chain.networkName,
    walletAddress: await getDepositAddress(db, chain, userId),
    isTestNetwork: chain.isTestNetwork,
    minimumUsdt: formatUsd(chain.minimumMicro),
    delayedMinutes: (await delayedMinutes(db, chain)) ?? null,
    credit: await creditOffer(db, chain, userId),
  }
}

const depositStatus = sql<
  Deposit['status']
>`case state when 'credited' then 'confirmed' when 'orphaned' then 'failed' when 'rejected' then 'failed' else state end`
const depositReason = sql<
  Deposit['reason']
>`case state when 'orphaned' then 'dropped' when 'rejected' then 'rejected' else nullif(held_reason, 'account_deleted') end`

/** Newest first, those still arriving included. */
export async function listDeposits(
  db: Db,
  userId: string,
  confirmationsNeeded: number,
  filter: Paging,
): Promise<Page<Deposit>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const { rows } = await sql<Deposit>`
    select id, encode(txid, 'hex') as tx_hash, usd(amount_micro) as amount_usdt, ${depositStatus} as status, ${depositReason} as reason,
      least(confirmations, ${confirmationsNeeded}) as confirmations, ${confirmationsNeeded}::int as confirmations_needed, created_at
    from chain_deposit where user_id = ${userId} and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${filter.limit + 1}`.execute(db)
  return page(rows, filter.limit, last => [last.id])
}
