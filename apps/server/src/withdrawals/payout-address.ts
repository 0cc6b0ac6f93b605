import { IngotError } from '@ingot/contracts/errors'
import { type Address20, parseAddress } from '@ingot/tron/address'
import type { Db, Tx } from '../db/database.ts'
import { ownersAmong } from '../wallet/addresses.ts'
import type { Chain } from '../wallet/chain.ts'

/** Where money may go: an address of the chain that is neither the token's own nor a deposit address here. */
export async function readPayoutAddress(db: Db | Tx, chain: Chain, text: string): Promise<Address20> {
  const to = parse(text.trim())
  if (to === chain.contract) throw wrong('This is the address of the token, not of a wallet')
  if ((await ownersAmong(db, chain, [to])).has(to))
    throw wrong('This is a deposit address here: what is sent there is deposited again')
  return to
}

function parse(text: string): Address20 {
  try {
    return parseAddress(text)
  } catch {
    throw wrong('This is not a TRON address: a letter is wrong or missing')
  }
}

const wrong = (what: string) => new IngotError('validation_failed', { fields: { address: what } })
