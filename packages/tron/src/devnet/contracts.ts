/**
 * What is deployed on every devnet: the token, the successor it can be moved to, a token that only calls itself the
 * same, and a batch payer. Addresses are derived from names, so they never collide with a real chain's.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { addressWord, keccakHex, selector, uintWord } from '../abi.ts'
import type { Address20 } from '../address.ts'
import { faucetAccount } from './accounts.ts'
import { type Call, type Contract, type Contracts, contract, require, write } from './machine.ts'
import { addressAt, tokenContract, uintAt } from './tether.ts'

const named = (name: string): Address20 => bytesToHex(keccak_256(utf8ToBytes(`devnet ${name}`)).subarray(-20))

export const usdt20 = named('USDT')
export const successor20 = named('USDT successor')
export const fakeUsdt20 = named('fake USDT')
export const batchPayer20 = named('batch payer')

export function createContracts(): Contracts {
  const owner20 = faucetAccount().address20
  const all = [
    tokenContract({ address20: usdt20, owner20, storage20: usdt20, isFake: false }),
    tokenContract({ address20: successor20, owner20, storage20: usdt20, isFake: false }),
    tokenContract({ address20: fakeUsdt20, owner20, storage20: fakeUsdt20, isFake: true }),
    batchPayer(batchPayer20),
  ]
  return new Map(all.map(each => [each.address20, each]))
}

/**
 * Pays many at once out of the caller's allowance. Its own log comes first, so the transfers' positions in the
 * transaction do not begin at 0, and the token is never the contract that was called.
 */
function batchPayer(address20: Address20): Contract {
  const topic = keccakHex('Dispersed(address,uint256)')
  const transferFrom = selector('transferFrom(address,address,uint256)')
  return contract(address20, 'BatchPayer', [
    write('disperse(address,address[],uint256[])', '', call => {
      const token = addressAt(call, 0)
      const [recipients, amounts] = [arrayAt(call, 1), arrayAt(call, 2)]
      require(recipients.length === amounts.length)
      call.emit({
        address: address20,
        topics: [topic, addressWord(call.sender)],
        data: uintWord(BigInt(amounts.length)),
      })
      recipients.forEach((recipient, index) => {
        const data = transferFrom + addressWord(call.sender) + recipient + amounts[index]!
        call.call(token, address20, data)
      })
      return ''
    }),
  ])
}

function arrayAt(call: Call, index: number): readonly string[] {
  const start = Number(uintAt(call, index) / 32n)
  const length = Number(uintAt(call, start))
  require(Number.isSafeInteger(start) && start + 1 + length <= call.words.length)
  return call.words.slice(start + 1, start + 1 + length)
}
