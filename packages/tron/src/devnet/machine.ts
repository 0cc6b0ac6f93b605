/**
 * Runs a contract call. Contracts here are tables of functions in TypeScript over the shared state; there is no
 * bytecode. A call either returns data and logs, or reverts and leaves nothing behind.
 */
import { selector, wordsOf } from '../abi.ts'
import type { Address20 } from '../address.ts'
import type { State } from './state.ts'

export interface EmittedLog {
  readonly address: Address20
  readonly topics: readonly string[]
  readonly data: string
}

export interface Call {
  /** Read only when the call is constant. */
  readonly state: Pick<State, 'get' | 'set'>
  readonly sender: Address20
  /** Arguments as 32-byte words of hex. */
  readonly words: readonly string[]
  readonly emit: (log: EmittedLog) => void
  /** Calls another contract, which then sees this one as the sender; answers its return data. */
  readonly call: (contract: Address20, sender: Address20, data: string) => string
}

export interface ContractFunction {
  /** `transfer(address,uint256)` */
  readonly signature: string
  /** Type of what it returns, empty when it returns nothing. */
  readonly returns: string
  readonly isView: boolean
  /** Returned data in hex. Throws Revert. */
  readonly run: (call: Call) => string
}

export interface Contract {
  readonly address20: Address20
  readonly name: string
  readonly functions: ReadonlyMap<string, ContractFunction>
}

export type Contracts = ReadonlyMap<Address20, Contract>

/** Undoes the whole transaction. */
export class Revert extends Error {
  constructor() {
    super('REVERT opcode executed')
  }
}

export function require(condition: boolean): asserts condition {
  if (!condition) throw new Revert()
}

export function contract(
  address20: Address20,
  name: string,
  functions: readonly ContractFunction[],
): Contract {
  return { address20, name, functions: new Map(functions.map(each => [selector(each.signature), each])) }
}

export const view = (signature: string, returns: string, run: ContractFunction['run']): ContractFunction => ({
  signature,
  returns,
  isView: true,
  run,
})

export const write = (
  signature: string,
  returns: string,
  run: ContractFunction['run'],
): ContractFunction => ({
  signature,
  returns,
  isView: false,
  run,
})

export interface Outcome {
  readonly isOk: boolean
  readonly returned: string
  readonly logs: readonly EmittedLog[]
}

const reverted: Outcome = { isOk: false, returned: '', logs: [] }

export function execute(
  contracts: Contracts,
  state: State,
  sender: Address20,
  to: Address20,
  data: string,
): Outcome {
  const mark = state.mark()
  const logs: EmittedLog[] = []
  try {
    return { isOk: true, returned: dispatch(contracts, state, sender, to, data, log => logs.push(log)), logs }
  } catch (error) {
    if (!(error instanceof Revert)) throw error
    state.rollback(mark)
    return reverted
  }
}

/** Runs without leaving anything behind; `get` decides as of which block. */
export function executeConstant(
  contracts: Contracts,
  get: State['get'],
  sender: Address20,
  to: Address20,
  data: string,
): Outcome {
  const written = new Map<string, bigint>()
  const state = {
    get: (key: string) => written.get(key) ?? get(key),
    set: (key: string, value: bigint) => void written.set(key, value),
  }
  try {
    return { isOk: true, returned: dispatch(contracts, state, sender, to, data, () => {}), logs: [] }
  } catch (error) {
    if (!(error instanceof Revert)) throw error
    return reverted
  }
}

function dispatch(
  contracts: Contracts,
  state: Call['state'],
  sender: Address20,
  to: Address20,
  data: string,
  emit: Call['emit'],
): string {
  const found = contracts.get(to)?.functions.get(data.slice(0, 8))
  const words = wordsOf(data.slice(8))
  require(found !== undefined && words !== null)
  const call: Call['call'] = (contract, from, inner) =>
    dispatch(contracts, state, from, contract, inner, emit)
  return found.run({ state, sender, words, emit, call })
}
