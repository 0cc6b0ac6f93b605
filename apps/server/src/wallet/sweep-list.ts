/**
 * `npm run -s sweep-list [-- least USDT]`, for an operator: which deposit addresses hold what, as JSON for a program that
 * signs offline. Nothing in it can spend; the keys are derived there, by the path of each address. Takes the server's
 * settings. The server may run.
 */
import { formatUsd, type Micro, parseUsd } from '@ingot/contracts/money'
import { accountPath, depositAddress, toBase58 } from '@ingot/tron/address'
import type { ChainReader } from '@ingot/tron/reader'
import { tokenBalance } from '@ingot/tron/token'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Db } from '../db/database.ts'
import { assertMigrated } from '../db/migrate.ts'
import { withOperatorDatabase } from '../db/operator-database.ts'
import { type Chain, openTronChain } from './chain.ts'

const askedAtOnce = 4

interface Row {
  readonly account_key: string
  readonly idx: bigint
  readonly base58: string
  readonly last_block: bigint
  readonly recorded: bigint
}

/** Addresses that should hold at least so much, by what is recorded of them. */
async function addressesWith(db: Db, chain: Chain, least: Micro): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select a.account_key, a.idx, a.base58, recorded_balance(a.chain, a.address20, 9223372036854775807) as recorded,
      (select max(d.block_number) from chain_deposit d
        where d.chain = a.chain and d.to20 = a.address20 and d.state in ('credited', 'held', 'rejected')) as last_block
    from deposit_address a
    where a.chain = ${chain.name} and recorded_balance(a.chain, a.address20, 9223372036854775807) >= ${least}
    order by a.account_key, a.idx`.execute(db)
  return rows
}

/** Of the configured xpub the address is derived again: a row that somebody changed must not be paid attention to. */
function pathOf(chain: Chain, { account_key, idx, base58 }: Row): string | null {
  if (account_key !== chain.accountKey) return null
  if (depositAddress(chain.xpub, Number(idx)).base58 !== base58)
    throw new Error(`deposit address ${idx} does not come from the configured xpub`)
  return `${accountPath(chain.xpub)}/0/${idx}`
}

async function listOf(db: Db, chain: Chain, reader: ChainReader, least: Micro) {
  const rows = await addressesWith(db, chain, least)
  const { height } = await reader.head('solid')
  const addresses: object[] = []
  let total = 0n
  for (let start = 0; start < rows.length; start += askedAtOnce) {
    const group = rows.slice(start, start + askedAtOnce)
    const held = await Promise.all(group.map(row => tokenBalance(reader, chain.contract, row.base58)))
    for (const [index, row] of group.entries()) {
      const micro = held[index]!
      if (micro < least) continue
      total += micro
      addresses.push({
        index: Number(row.idx),
        path: pathOf(chain, row),
        account: row.account_key,
        address: row.base58,
        usdt: formatUsd(micro),
        recorded_usdt: formatUsd(row.recorded),
        last_deposit_block: Number(row.last_block),
      })
    }
  }
  return {
    network: chain.networkName,
    contract: toBase58(chain.contract),
    /** The balances are those of this final block, or of one shortly after it. */
    block: height,
    account: chain.accountKey,
    total_usdt: formatUsd(total),
    addresses,
  }
}

try {
  const config = readConfig(process.env)
  const [least = '0.000001'] = process.argv.slice(2)
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(least) || parseUsd(least) === 0n)
    throw new ConfigError('The least amount of USDT is a number above 0, such as 50')
  if (config.chain.kind === 'devnet')
    throw new ConfigError('The test chain has nothing to sweep. Set INGOT_TRON_ENDPOINT and INGOT_TRON_XPUB')
  const chain = openTronChain(config.chain, { reviewMicro: null, creditDays: null })
  const list = await withOperatorDatabase(config, 'sweep-list', async ({ kysely, pool }) => {
    await assertMigrated(pool)
    return chain.endpoints.ask(reader => listOf(kysely, chain, reader, parseUsd(least)))
  })
  console.log(JSON.stringify(list, null, 2))
} catch (error) {
  console.error(`There is no list: ${(error as Error).message}.`.replace(/\.\.$/, '.'))
  process.exitCode = 1
}
