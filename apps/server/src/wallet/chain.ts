/**
 * The chain that deposits arrive on: a real TRON endpoint with the operator's xpub, or the devnet that comes with the
 * product. Only public keys are here; nothing in the server can spend.
 */
import { createHash } from 'node:crypto'
import { minimumDepositUsdt } from '@ingot/contracts/wallet'
import { parseUsd } from '@ingot/contracts/money'
import { type Address20, checkXpub, depositAddress, parseAddress } from '@ingot/tron/address'
import { developmentXpub } from '@ingot/tron/devnet/accounts'
import { createEndpoints, type Endpoints } from '@ingot/tron/endpoints'
import { confirmationsNeeded } from '@ingot/tron/pending'
import { ConfigError } from '../config/config-error.ts'
import type { Config } from '../config.ts'

/** What the operator makes of a deposit. */
export interface DepositTerms {
  /** A single transfer above it waits for a person; null: none does. */
  readonly reviewMicro: bigint | null
  /** How long the credit can be used that a first deposit brings; null: it brings none. */
  readonly creditDays: number | null
}

export interface Chain extends DepositTerms {
  /** Key of its rows: `tron` or `devnet`. */
  readonly name: string
  readonly networkName: string
  readonly isTestNetwork: boolean
  readonly endpoints: Endpoints
  readonly contract: Address20
  readonly xpub: string
  /** Names the xpub in rows without storing it. */
  readonly accountKey: string
  readonly confirmationsNeeded: number
  readonly minimumMicro: bigint
  /** Between passes of the scanner: while somebody waits for a transfer, and otherwise. */
  readonly scanEveryMs: { readonly watched: number; readonly idle: number }
}

const accountKeyOf = (xpub: string) => createHash('sha256').update(xpub).digest('hex').slice(0, 16)

export const testNetworkName = 'Test network: never send real USDT'

export interface DevnetAccess {
  readonly url: string
  readonly usdtContract: string
  readonly xpub: string
  readonly confirmations: number
}

export function openDevnetChain(devnet: DevnetAccess, terms: DepositTerms): Chain {
  return {
    ...terms,
    name: 'devnet',
    networkName: testNetworkName,
    isTestNetwork: true,
    endpoints: createEndpoints([{ url: devnet.url }]),
    contract: parseAddress(devnet.usdtContract),
    xpub: devnet.xpub,
    accountKey: accountKeyOf(devnet.xpub),
    confirmationsNeeded: devnet.confirmations,
    minimumMicro: parseUsd(minimumDepositUsdt),
    scanEveryMs: { watched: 250, idle: 10_000 },
  }
}

/** Refuses an xpub that is none, above all a private key, and the development one, whose private key is public. */
export function openTronChain(
  config: Extract<Config['chain'], { kind: 'tron' }>,
  terms: DepositTerms,
): Chain {
  try {
    checkXpub(config.xpub)
    if (config.xpub === developmentXpub)
      throw new RangeError('this is the development key: anybody can spend what is sent to it')
    parseAddress(config.contract)
  } catch (error) {
    throw new ConfigError(`INGOT_TRON_XPUB or INGOT_TRON_CONTRACT: ${(error as Error).message}`)
  }
  return {
    ...terms,
    name: 'tron',
    networkName: config.network,
    isTestNetwork: false,
    endpoints: createEndpoints(config.endpoints),
    contract: parseAddress(config.contract),
    xpub: config.xpub,
    accountKey: accountKeyOf(config.xpub),
    confirmationsNeeded,
    minimumMicro: parseUsd(minimumDepositUsdt),
    scanEveryMs: { watched: 4_000, idle: 30_000 },
  }
}

/** When credit ends that is given at `at`; null: none is. */
export const creditEndsAt = ({ creditDays }: DepositTerms, at: string): string | null =>
  creditDays === null ? null : new Date(Date.parse(at) + creditDays * 86_400_000).toISOString()

/** The address of index `index`, as the xpub says now. */
export const addressAt = (chain: Chain, index: bigint) => depositAddress(chain.xpub, Number(index))
