import type { dev } from '@ingot/contracts/dev'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import type { Output, Parsed } from '@ingot/contracts/operation'
import type { Devnet } from '@ingot/tron/devnet/devnet'
import { watchAddress, type WatchNeeds } from '../wallet/watch-address.ts'

export interface PayTestUsdtNeeds extends WatchNeeds {
  /** The chain that comes with the product; null on a real one. */
  readonly devnet: Devnet | null
}

/** Pays test USDT, and the scanner looks for it now. */
export async function payTestUsdt(
  needs: PayTestUsdtNeeds,
  { address, amount_usdt }: Parsed<typeof dev.faucet>,
): Promise<Output<typeof dev.faucet>> {
  const amount = parseUsd(typeof amount_usdt === 'number' ? amount_usdt.toFixed(6) : amount_usdt)
  if (amount <= 0n)
    throw new IngotError('validation_failed', { fields: { amount_usdt: 'must be more than 0' } })
  if (!needs.devnet) throw new IngotError('not_found')
  const tx_hash = needs.devnet.faucet(address, amount)
  await watchAddress(needs, address)
  return { tx_hash, amount_usdt: formatUsd(amount) }
}
