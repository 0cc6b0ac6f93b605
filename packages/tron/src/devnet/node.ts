/**
 * The node: decides what the chain accepts, mines, and can be told to misbehave as chains do. Each change is written
 * to the record before it is applied, so what was answered survives a kill.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { type Address20, toBase58 } from '../address.ts'
import { type Chain, type ChainRecord, createChain } from './chain.ts'
import { assetKey, trxKey } from './execution.ts'
import { valueBefore } from './state.ts'
import { type SignedTransaction, encodeSigned, signerOf } from './transaction.ts'

/** Keeps records in order. `append` returns when they are safe. */
export interface RecordStore {
  readonly records: readonly ChainRecord[]
  append(records: readonly ChainRecord[]): void
  close(): void
}

export interface Rejection {
  readonly code: string
  readonly message: string
}

export interface Node {
  readonly chain: Chain
  /** Null when the transaction was taken. */
  accept(transaction: SignedTransaction): Rejection | null
  mine(blocks: number): void
  /** Replaces the newest `depth` blocks by as many others, with their transactions or without. */
  reorg(depth: number, keepTransactions: boolean): void
  freezeSolid(isFrozen: boolean): void
  /** A number of the state, as of the newest or the solid block. */
  read(key: string, view: 'solid' | 'latest'): bigint
  /** Whether something waits to be mined or to become solid. */
  hasWork(): boolean
  now(): number
}

export interface NodeOptions {
  readonly store: RecordStore
  readonly now: () => number
  readonly solidDepth: number
}

const longestLifeMs = 86_400_000n

export function createNode({ store, now, solidDepth }: NodeOptions): Node {
  const chain = openChain(store, now, solidDepth)
  let lastUnsolid = heightOfLastTransaction(chain)

  const commit = (records: readonly Exclude<ChainRecord, { kind: 'genesis' }>[]) => {
    store.append(records)
    records.forEach(chain.apply)
  }
  const mine = (blocks: number) => {
    for (let mined = 0; mined < blocks; mined++) {
      const record = chain.nextBlock(Math.max(now(), chain.head().timeMs + 1))
      if (record.txids.length > 0) lastUnsolid = chain.head().height + 1
      commit([record])
    }
  }

  return {
    chain,
    now,
    mine,
    accept(transaction) {
      const rejection = reject(chain, transaction)
      if (rejection) return rejection
      commit([{ kind: 'transaction', signed: bytesToHex(encodeSigned(transaction)) }])
      return null
    },
    reorg(depth, keep) {
      if (depth < 1 || depth > chain.head().height - chain.solidHeight())
        throw new RangeError(`only ${chain.head().height - chain.solidHeight()} blocks can be replaced`)
      commit([{ kind: 'drop', blocks: depth, keep }])
      mine(depth)
    },
    freezeSolid: isFrozen => commit([{ kind: 'freeze', isFrozen }]),
    read: (key, view) =>
      valueBefore(chain.state, view === 'solid' ? chain.undosAbove(chain.solidHeight()) : [], key),
    hasWork: () => chain.waiting().size > 0 || lastUnsolid > chain.solidHeight(),
  }
}

function openChain(store: RecordStore, now: () => number, solidDepth: number): Chain {
  const [first, ...rest] = store.records
  if (!first) {
    const genesis = { kind: 'genesis', timeMs: now(), solidDepth } as const
    store.append([genesis])
    return createChain(genesis)
  }
  if (first.kind !== 'genesis') throw new Error('the devnet’s record does not begin with its genesis')
  const chain = createChain(first)
  for (const record of rest) {
    if (record.kind === 'genesis') throw new Error('the devnet’s record has a second genesis')
    chain.apply(record)
  }
  return chain
}

function heightOfLastTransaction(chain: Chain): number {
  for (let height = chain.head().height; height > chain.solidHeight(); height--)
    if (chain.block(height)!.transactions.length > 0) return height
  return 0
}

function reject(chain: Chain, transaction: SignedTransaction): Rejection | null {
  const { raw, txid } = transaction
  if (!chain.hasReference(raw)) return { code: 'TAPOS_ERROR', message: 'Tapos failed, different block hash' }
  const left = raw.expiration - BigInt(chain.head().timeMs)
  if (left <= 0n || left > longestLifeMs)
    return { code: 'TRANSACTION_EXPIRATION_ERROR', message: 'Transaction expired' }
  if (chain.waiting().has(txid) || chain.find(txid))
    return { code: 'DUP_TRANSACTION_ERROR', message: 'Dup transaction' }
  const owner = String(raw.value.owner_address)
  if (signerOf(transaction) !== owner)
    return { code: 'SIGERROR', message: `Validate signature error: not signed by ${safeBase58(owner)}` }
  return rejectContent(chain, transaction)
}

function rejectContent(chain: Chain, { raw }: SignedTransaction): Rejection | null {
  const { value } = raw
  const owner = String(value.owner_address)
  if (raw.type === 'TriggerSmartContract')
    return chain.contracts.has(String(value.contract_address))
      ? null
      : invalid('No contract or not a smart contract')
  const amount = BigInt(value.amount!)
  if (amount <= 0n) return invalid('Amount must be greater than 0.')
  const key = raw.type === 'TransferContract' ? trxKey(owner) : assetKey(String(value.asset_name), owner)
  return chain.state.get(key) < amount
    ? invalid('Validate TransferContract error, balance is not sufficient.')
    : null
}

const invalid = (message: string): Rejection => ({
  code: 'CONTRACT_VALIDATE_ERROR',
  message: `Contract validate error : ${message}`,
})

const safeBase58 = (address: Address20) => (/^[0-9a-f]{40}$/.test(address) ? toBase58(address) : 'nobody')
