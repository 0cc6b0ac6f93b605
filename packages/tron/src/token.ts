/**
 * The state of the token's contract: balances, for the check that every address holds what was credited to it less
 * what was swept, and the issuer's switches, for the operator's alarm. A successor contract is reported, never followed.
 */
import { addressOfWord, addressWord, selector, uintOfWord } from './abi.ts'
import { type Address20, parseAddress } from './address.ts'
import { ReadError } from './read-error.ts'
import type { ChainReader, View } from './reader.ts'

export async function tokenBalance(
  reader: ChainReader,
  contract: string,
  holder: string,
  view: View = 'solid',
): Promise<bigint> {
  return uint(
    await reader.call(
      parseAddress(contract),
      selector('balanceOf(address)') + addressWord(parseAddress(holder)),
      view,
    ),
  )
}

export interface TokenSwitches {
  readonly paused: boolean
  /** Where the issuer has moved the token, or null. */
  readonly successor: Address20 | null
  /** Share of each transfer that the issuer keeps, in 1/10,000. */
  readonly feeBasisPoints: bigint
}

export async function tokenSwitches(
  reader: ChainReader,
  contract: string,
  view: View = 'solid',
): Promise<TokenSwitches> {
  const read = (signature: string) => reader.call(parseAddress(contract), selector(signature), view)
  const deprecated = uint(await read('deprecated()')) !== 0n
  return {
    paused: uint(await read('paused()')) !== 0n,
    successor: deprecated ? addressOfWord(await read('upgradedAddress()')) : null,
    feeBasisPoints: uint(await read('basisPointsRate()')),
  }
}

function uint(returned: string): bigint {
  const value = uintOfWord(returned)
  if (value === null)
    throw new ReadError('malformed', 'a contract answered with something else than a number')
  return value
}
