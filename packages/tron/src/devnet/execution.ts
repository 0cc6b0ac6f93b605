/** What a mined transaction did to the state, and what it cost. A transaction that fails still pays. */
import { selector } from '../abi.ts'
import type { Address20 } from '../address.ts'
import { type Contracts, type EmittedLog, execute } from './machine.ts'
import type { State } from './state.ts'
import type { SignedTransaction } from './transaction.ts'

export type Receipt = 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY'

export interface Execution {
  readonly receipt: Receipt
  readonly returned: string
  readonly logs: readonly EmittedLog[]
  /** In sun, a millionth of a TRX. */
  readonly fee: bigint
  readonly energy: bigint
}

export const sunPerEnergy = 100n
const energyOfTransfer = 64_285n
const energyOfFirstTransfer = 130_285n
const energyOfCall = 30_000n
const bandwidthFee = 345_000n

export const trxKey = (holder: Address20): string => `trx:${holder}`
export const assetKey = (asset: string, holder: Address20): string => `asset:${asset}:${holder}`

export function runTransaction(
  contracts: Contracts,
  state: State,
  transaction: SignedTransaction,
): Execution {
  const { type, value } = transaction.raw
  const owner = String(value.owner_address)
  if (type === 'TriggerSmartContract') return runCall(contracts, state, transaction)
  const key = (holder: Address20) =>
    type === 'TransferContract' ? trxKey(holder) : assetKey(String(value.asset_name), holder)
  const amount = BigInt(value.amount!)
  const done = { returned: '', logs: [], fee: 0n, energy: 0n }
  // Broadcasting checked this; a payment mined in between can still have emptied the account.
  if (state.get(key(owner)) < amount) return { ...done, receipt: 'REVERT' }
  state.set(key(owner), state.get(key(owner)) - amount)
  const recipient = key(String(value.to_address))
  state.set(recipient, state.get(recipient) + amount)
  return { ...done, receipt: 'SUCCESS' }
}

function runCall(contracts: Contracts, state: State, transaction: SignedTransaction): Execution {
  const { value, feeLimit } = transaction.raw
  const owner = String(value.owner_address)
  const to = String(value.contract_address)
  const data = String(value.data)
  const funds = state.get(trxKey(owner))
  const limit = feeLimit < funds ? feeLimit : funds
  const mark = state.mark()
  const energyNeeded = energyFor(state, to, data)
  const outcome = execute(contracts, state, owner, to, data)
  const cost = energyNeeded * sunPerEnergy + bandwidthFee
  const pay = (fee: bigint) => state.set(trxKey(owner), state.get(trxKey(owner)) - fee)
  if (cost > limit) {
    state.rollback(mark)
    pay(limit)
    return { receipt: 'OUT_OF_ENERGY', returned: '', logs: [], fee: limit, energy: limit / sunPerEnergy }
  }
  pay(cost)
  const { isOk, returned, logs } = outcome
  return { receipt: isOk ? 'SUCCESS' : 'REVERT', returned, logs, fee: cost, energy: energyNeeded }
}

const transferSelector = selector('transfer(address,uint256)')

/** A recipient that never held the token costs about twice as much, as on the main chain. */
function energyFor(state: State, contract: Address20, data: string): bigint {
  if (data.slice(0, 8) !== transferSelector) return energyOfCall
  const recipient = data.slice(8 + 24, 8 + 64)
  return state.get(`${contract}:balance:${recipient}`) === 0n ? energyOfFirstTransfer : energyOfTransfer
}
