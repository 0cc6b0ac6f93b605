/**
 * The devnet's keys. They come from the best-known test phrase there is and are printed here: everything they hold is
 * worthless by design. Never fund them on a real chain, and never let a real chain's configuration use this xpub.
 *
 * Deposit addresses use account 0 by its public key. The faucet lives in account 1, apart, because a child's private
 * key together with the account's xpub gives the whole account away.
 */
import { pbkdf2Sync } from 'node:crypto'
import { bytesToHex } from '@noble/hashes/utils.js'
import { HDKey } from '@scure/bip32'
import { type Address20, addressOfPublicKey } from '../address.ts'

export const developmentMnemonic = 'test test test test test test test test test test test junk'

/** Account m/44'/195'/0' of that phrase: the default for deposit addresses on a devnet. */
export const developmentXpub =
  'xpub6BuRy7ZmkGfP2RWhoor1kWB1w9DvrtmJbFBvnC1bQ4SB5NbCHTyQYCJSXZtxDbFyHTmC7wkU2he3nYYdpZ3Vf6qUAkXSnL6RPif4BDtDEKr'

export interface Account {
  /** 64 hex digits. */
  readonly privateKey: string
  readonly address20: Address20
}

/** Any account of the phrase; `path` as in `m/44'/195'/1'/0/0`. */
export function developmentAccount(path: string): Account {
  const key = developmentKey(path)
  return { privateKey: bytesToHex(key.privateKey!), address20: addressOfPublicKey(key.publicKey!) }
}

let faucet: Account | null = null

/** Owns the test token and nearly all of it. Derived once: it takes a few milliseconds. */
export const faucetAccount = (): Account => (faucet ??= developmentAccount("m/44'/195'/1'/0/0"))

export function developmentKey(path: string): HDKey {
  const seed = pbkdf2Sync(developmentMnemonic, 'mnemonic', 2048, 64, 'sha512')
  return HDKey.fromMasterSeed(seed).derive(path)
}
