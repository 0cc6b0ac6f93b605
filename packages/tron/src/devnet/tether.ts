/**
 * The token contract, function by function as the real one behaves, oddities included: `transfer` returns false when
 * it succeeds, an optional fee goes to the owner by a second Transfer log, and the owner can pause it, black-list and
 * destroy balances without a Transfer, and move it to a successor, whose logs then carry the successor's address.
 */
import {
  addressOfWord,
  addressWord,
  approvalTopic,
  keccakHex,
  selector,
  transferTopic,
  uintOfWord,
  uintWord,
} from '../abi.ts'
import type { Address20 } from '../address.ts'
import { type Call, type Contract, type ContractFunction, contract, require, view, write } from './machine.ts'

export interface Token {
  readonly address20: Address20
  readonly owner20: Address20
  /** Whose balances it keeps; a successor keeps those of the token before it. */
  readonly storage20: Address20
  /** Anyone may mint: a worthless token that calls itself like the real one. */
  readonly isFake: boolean
}

export const balanceKey = (storage: Address20, holder: Address20): string => `${storage}:balance:${holder}`

const decimals = 6n
const falsehood = uintWord(0n)
const truth = uintWord(1n)
const unlimited = 2n ** 256n - 1n

export const tokenContract = (token: Token): Contract =>
  contract(token.address20, 'TetherToken', [...facts(token), ...movements(token), ...powers(token)])

/** Where the contract keeps what. */
const keysOf = ({ address20, storage20 }: Token) => ({
  balance: (holder: Address20) => balanceKey(storage20, holder),
  allowance: (holder: Address20, spender: Address20) => `${storage20}:allowance:${holder}:${spender}`,
  blackListed: (holder: Address20) => `${address20}:blackListed:${holder}`,
  supply: `${storage20}:supply`,
  paused: `${address20}:paused`,
  rate: `${address20}:rate`,
  maximumFee: `${address20}:maximumFee`,
  successor: `${address20}:successor`,
})

function facts(token: Token): readonly ContractFunction[] {
  const keys = keysOf(token)
  return [
    view('name()', 'string', () => textData('Tether USD')),
    view('symbol()', 'string', () => textData('USDT')),
    view('decimals()', 'uint8', () => uintWord(decimals)),
    view('owner()', 'address', () => addressWord(token.owner20)),
    stored('totalSupply()', 'uint256', () => keys.supply),
    stored('balanceOf(address)', 'uint256', call => keys.balance(addressAt(call, 0))),
    stored('allowance(address,address)', 'uint256', call =>
      keys.allowance(addressAt(call, 0), addressAt(call, 1)),
    ),
    stored('isBlackListed(address)', 'bool', call => keys.blackListed(addressAt(call, 0))),
    stored('paused()', 'bool', () => keys.paused),
    stored('basisPointsRate()', 'uint256', () => keys.rate),
    stored('maximumFee()', 'uint256', () => keys.maximumFee),
    stored('upgradedAddress()', 'address', () => keys.successor),
    view('deprecated()', 'bool', call => (call.state.get(keys.successor) === 0n ? falsehood : truth)),
  ]
}

const stored = (signature: string, type: string, key: (call: Call) => string): ContractFunction =>
  view(signature, type, call => uintWord(call.state.get(key(call))))

function movements(token: Token): readonly ContractFunction[] {
  const keys = keysOf(token)
  return [
    write('transfer(address,uint256)', 'bool', call => {
      const successor = call.state.get(keys.successor)
      if (successor !== 0n) {
        const data = transferByLegacy + addressWord(call.sender) + call.words.join('')
        return call.call(successor.toString(16).padStart(40, '0'), token.address20, data)
      }
      move(token, call, call.sender, addressAt(call, 0), uintAt(call, 1))
      return falsehood
    }),
    // A token that was moved calls this on its successor. Nothing here checks that the caller is that token.
    write('transferByLegacy(address,address,uint256)', 'bool', call => {
      move(token, call, addressAt(call, 0), addressAt(call, 1), uintAt(call, 2))
      return falsehood
    }),
    write('transferFrom(address,address,uint256)', 'bool', call => {
      const [from, amount] = [addressAt(call, 0), uintAt(call, 2)]
      const key = keys.allowance(from, call.sender)
      const allowed = call.state.get(key)
      require(allowed >= amount)
      if (allowed < unlimited) call.state.set(key, allowed - amount)
      move(token, call, from, addressAt(call, 1), amount)
      return truth
    }),
    write('approve(address,uint256)', 'bool', call => {
      const [spender, amount] = [addressAt(call, 0), uintAt(call, 1)]
      call.state.set(keys.allowance(call.sender, spender), amount)
      emit(token, call, approvalTopic, call.sender, spender, amount)
      return truth
    }),
    write('mint(address,uint256)', '', call => {
      require(token.isFake)
      add(token, call, addressAt(call, 0), uintAt(call, 1))
      return ''
    }),
  ]
}

const transferByLegacy = selector('transferByLegacy(address,address,uint256)')

function powers(token: Token): readonly ContractFunction[] {
  const keys = keysOf(token)
  const ownerOnly = (signature: string, run: (call: Call) => void) =>
    write(signature, '', call => {
      require(call.sender === token.owner20)
      run(call)
      return ''
    })
  return [
    ownerOnly('issue(uint256)', call => add(token, call, token.owner20, uintAt(call, 0))),
    ownerOnly('pause()', call => call.state.set(keys.paused, 1n)),
    ownerOnly('unpause()', call => call.state.set(keys.paused, 0n)),
    ownerOnly('addBlackList(address)', call => call.state.set(keys.blackListed(addressAt(call, 0)), 1n)),
    ownerOnly('removeBlackList(address)', call => call.state.set(keys.blackListed(addressAt(call, 0)), 0n)),
    ownerOnly('destroyBlackFunds(address)', call => {
      const holder = addressAt(call, 0)
      require(call.state.get(keys.blackListed(holder)) === 1n)
      call.state.set(keys.balance(holder), 0n)
      call.emit({ address: token.address20, topics: [destroyedTopic, addressWord(holder)], data: '' })
    }),
    ownerOnly('setParams(uint256,uint256)', call => {
      call.state.set(keys.rate, uintAt(call, 0))
      call.state.set(keys.maximumFee, uintAt(call, 1) * 10n ** decimals)
    }),
    ownerOnly('deprecate(address)', call =>
      call.state.set(keys.successor, BigInt(`0x${addressAt(call, 0)}`)),
    ),
  ]
}

const destroyedTopic = keccakHex('DestroyedBlackFunds(address,uint256)')

function move(token: Token, call: Call, from: Address20, to: Address20, amount: bigint): void {
  const keys = keysOf(token)
  const { state } = call
  require(state.get(keys.paused) === 0n && state.get(keys.blackListed(from)) === 0n)
  require(!/^0{40}$/.test(to))
  const share = (amount * state.get(keys.rate)) / 10_000n
  const fee = share < state.get(keys.maximumFee) ? share : state.get(keys.maximumFee)
  add(token, call, from, -amount)
  add(token, call, to, amount - fee)
  emit(token, call, transferTopic, from, to, amount - fee)
  if (fee === 0n) return
  add(token, call, token.owner20, fee)
  emit(token, call, transferTopic, from, token.owner20, fee)
}

function add(token: Token, call: Call, holder: Address20, amount: bigint): void {
  const key = balanceKey(token.storage20, holder)
  const after = call.state.get(key) + amount
  require(after >= 0n)
  call.state.set(key, after)
}

const emit = (token: Token, call: Call, topic: string, from: Address20, to: Address20, amount: bigint) =>
  call.emit({
    address: token.address20,
    topics: [topic, addressWord(from), addressWord(to)],
    data: uintWord(amount),
  })

export function addressAt(call: Call, index: number): Address20 {
  const address = addressOfWord(call.words[index] ?? '')
  require(address !== null)
  return address
}

export function uintAt(call: Call, index: number): bigint {
  const value = uintOfWord(call.words[index] ?? '')
  require(value !== null)
  return value
}

function textData(text: string): string {
  const hex = Buffer.from(text).toString('hex')
  return uintWord(32n) + uintWord(BigInt(text.length)) + hex.padEnd(64, '0')
}
