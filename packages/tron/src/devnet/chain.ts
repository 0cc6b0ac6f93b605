/**
 * The chain as a state machine: records go in, blocks and state come out, and the same records always give the same
 * chain. Nothing here checks whether a record is allowed (the node does, before it writes one) or knows the time.
 *
 * The solid height never goes back, and blocks at or below it can no longer be replaced.
 */
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { faucetAccount } from './accounts.ts'
import { type ChainBlock, sealBlock } from './block.ts'
import { createContracts, usdt20 } from './contracts.ts'
import { assetKey, runTransaction, trxKey } from './execution.ts'
import type { Contracts } from './machine.ts'
import { type State, type Undo, createState } from './state.ts'
import { type RawTransaction, type SignedTransaction, decodeSigned } from './transaction.ts'
import { balanceKey } from './tether.ts'

export type ChainRecord =
  | { readonly kind: 'genesis'; readonly timeMs: number; readonly solidDepth: number }
  /** Waits to be mined. */
  | { readonly kind: 'transaction'; readonly signed: string }
  | {
      readonly kind: 'block'
      readonly timeMs: number
      readonly txids: readonly string[]
      readonly id: string
    }
  /** The newest blocks are gone; their transactions wait again, or are gone too. */
  | { readonly kind: 'drop'; readonly blocks: number; readonly keep: boolean }
  | { readonly kind: 'freeze'; readonly isFrozen: boolean }

export interface Chain {
  readonly contracts: Contracts
  readonly state: State
  readonly solidDepth: number
  apply(record: Exclude<ChainRecord, { kind: 'genesis' }>): void
  /** The record that would append a block now. */
  nextBlock(timeMs: number): Extract<ChainRecord, { kind: 'block' }>
  head(): ChainBlock
  solidHeight(): number
  block(height: number): ChainBlock | undefined
  /** Whether the block that a transaction is bound to is on this chain. */
  hasReference(raw: RawTransaction): boolean
  /** Where a mined transaction is. */
  find(txid: string): { readonly block: ChainBlock; readonly index: number } | null
  /** Waiting transactions, oldest first. */
  waiting(): ReadonlyMap<string, SignedTransaction>
  /** What the blocks above a height changed, oldest first. */
  undosAbove(height: number): readonly Undo[]
}

/** A billion of each; the faucet cannot run dry by hand. */
const genesisTokens = 10n ** 15n
export const testAsset = bytesToHex(utf8ToBytes('1000001'))
/** A reference block is found by two bytes of its height. */
const referenceSpan = 0x10000
const noParent = '0'.repeat(64)

interface ChainData {
  readonly contracts: Contracts
  readonly state: State
  readonly solidDepth: number
  readonly blocks: ChainBlock[]
  /** What each block above the solid one changed. */
  readonly undos: Map<number, Undo>
  readonly places: Map<string, number>
  readonly waiting: Map<string, SignedTransaction>
  forks: number
  solid: number
  isFrozen: boolean
}

export function createChain(genesis: Extract<ChainRecord, { kind: 'genesis' }>): Chain {
  const state = createState()
  fund(state)
  const data: ChainData = {
    contracts: createContracts(),
    state,
    solidDepth: genesis.solidDepth,
    blocks: [sealBlock(0, noParent, genesis.timeMs, 0, [])],
    undos: new Map(),
    places: new Map(),
    waiting: new Map(),
    forks: 0,
    solid: 0,
    isFrozen: false,
  }
  const { blocks, undos, places, waiting } = data
  return {
    contracts: data.contracts,
    state,
    solidDepth: data.solidDepth,
    apply: record => apply(data, record),
    nextBlock(timeMs) {
      const { id } = sealNext(data, timeMs, [...waiting.values()])
      return { kind: 'block', timeMs, txids: [...waiting.keys()], id }
    },
    hasReference: raw => hasReference(data, raw),
    head: () => headOf(data),
    solidHeight: () => data.solid,
    block: height => blocks[height],
    find(txid) {
      const height = places.get(txid)
      if (height === undefined) return null
      const block = blocks[height]!
      return { block, index: block.transactions.findIndex(each => each.transaction.txid === txid) }
    },
    waiting: () => waiting,
    undosAbove(height) {
      const above: Undo[] = []
      for (let each = Math.max(height, data.solid) + 1; each < blocks.length; each++)
        above.push(undos.get(each)!)
      return above
    },
  }
}

function apply(data: ChainData, record: Parameters<Chain['apply']>[0]): void {
  if (record.kind === 'transaction') {
    const transaction = decodeSigned(hexToBytes(record.signed))
    data.waiting.set(transaction.txid, transaction)
  } else if (record.kind === 'block') {
    append(data, record.timeMs, record.txids, record.id)
  } else if (record.kind === 'drop') {
    drop(data, record.blocks, record.keep)
  } else {
    data.isFrozen = record.isFrozen
    solidify(data)
  }
}

const headOf = (data: ChainData): ChainBlock => data.blocks.at(-1)!

const sealNext = (data: ChainData, timeMs: number, transactions: readonly SignedTransaction[]): ChainBlock =>
  sealBlock(headOf(data).height + 1, headOf(data).id, timeMs, data.forks, transactions)

function append(data: ChainData, timeMs: number, txids: readonly string[], id: string): void {
  const { contracts, state, waiting } = data
  const transactions = txids.map(txid => waiting.get(txid)!)
  const sealed = sealNext(data, timeMs, transactions)
  if (sealed.id !== id) throw new Error(`devnet block ${sealed.height} is not the one recorded`)
  const mined = transactions.map(transaction => ({
    transaction,
    execution: runTransaction(contracts, state, transaction),
  }))
  data.blocks.push({ ...sealed, transactions: mined })
  data.undos.set(sealed.height, state.seal())
  for (const txid of txids) {
    waiting.delete(txid)
    data.places.set(txid, sealed.height)
  }
  for (const [txid, { raw }] of waiting) if (raw.expiration <= BigInt(timeMs)) waiting.delete(txid)
  solidify(data)
}

function solidify(data: ChainData): void {
  if (data.isFrozen) return
  const next = Math.max(data.solid, headOf(data).height - data.solidDepth)
  for (let height = data.solid + 1; height <= next; height++) data.undos.delete(height)
  data.solid = next
}

function drop(data: ChainData, count: number, keep: boolean): void {
  const { blocks, places, state, undos, waiting } = data
  const dropped = blocks.splice(blocks.length - count)
  for (const { height } of dropped.toReversed()) {
    state.undo(undos.get(height)!)
    undos.delete(height)
  }
  const lost = dropped.flatMap(block => block.transactions.map(each => each.transaction))
  for (const { txid } of lost) places.delete(txid)
  // Mined transactions come first again, in their order; one that was bound to a lost block is lost with it.
  const again = [...(keep ? lost : []), ...waiting.values()]
  waiting.clear()
  for (const each of again) if (hasReference(data, each.raw)) waiting.set(each.txid, each)
  data.forks++
}

function hasReference(data: ChainData, raw: RawTransaction): boolean {
  const { height } = headOf(data)
  const reference = height - ((height - Number.parseInt(raw.refBlockBytes, 16)) & (referenceSpan - 1))
  return data.blocks[reference]?.id.slice(16, 32) === raw.refBlockHash
}

function fund(state: State): void {
  const { address20 } = faucetAccount()
  state.set(trxKey(address20), genesisTokens)
  state.set(assetKey(testAsset, address20), genesisTokens)
  state.set(balanceKey(usdt20, address20), genesisTokens)
  state.set(`${usdt20}:supply`, genesisTokens)
  state.seal()
}
