/**
 * A TRON network in one process, for development, demonstrations and tests: real keys, real signatures, real bytes and
 * ids, served over the HTTP interfaces that wallets and the scanner use. Everything on it is worthless.
 *
 * It mines only while something waits to be mined or to become final, and then stands still, so an idle one costs
 * nothing. With a state file every answer survives a kill: ids, blocks and balances are the same after the next start.
 * It refuses what the main chain refuses, and misbehaves on request only.
 */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addressWord, selector, uintWord } from '../abi.ts'
import { type Address20, parseAddress, toBase58 } from '../address.ts'
import type { BlockRef } from '../answers.ts'
import type { View } from '../reader.ts'
import { type Account, faucetAccount } from './accounts.ts'
import { newRaw } from './build.ts'
import { usdt20 } from './contracts.ts'
import { type Faults, createFaults } from './faults.ts'
import { createHttpServer } from './http.ts'
import { type RpcBounds, rpcBounds } from './json-rpc-api.ts'
import { type Node, type RecordStore, createNode } from './node.ts'
import { memoryStore, openStateFile } from './state-file.ts'
import { balanceKey } from './tether.ts'
import { type ContractType, type ContractValue, sign } from './transaction.ts'

export interface DevnetOptions {
  /** Where the record is kept; in memory when absent. One process at a time. */
  readonly stateFile?: string
  /** Time between blocks while there is work. 0: only `mine` makes blocks. */
  readonly blockMs?: number
  /** Blocks on top that make a block final. A record keeps the depth it began with. */
  readonly solidDepth?: number
  readonly now?: () => number
  /** Seeds the fault plan's chance. */
  readonly seed?: number
  readonly bounds?: Partial<RpcBounds>
}

/** A transaction the network did not take; `code` is the protocol's. */
export class RejectedTransaction extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

export interface Devnet {
  /** The test token, `T…`. */
  readonly usdtContract: string
  /** Owner of the token, and of nearly all of it. */
  readonly faucetAddress: string
  /** The faucet's private key, in hex. Public knowledge. */
  readonly fundedKey: string
  readonly faults: Faults
  /** Serves on a loopback port; 0 picks one. */
  start(address?: { readonly host?: string; readonly port?: number }): Promise<{ readonly url: string }>
  /** Another node of the same chain, with faults of its own. */
  addNode(): Promise<{ readonly url: string; readonly faults: Faults; stop(): Promise<void> }>
  /** Stops serving and mining and closes the record. */
  close(): Promise<void>
  mine(blocks?: number): void
  /** Sends test USDT by an ordinary signed transaction; answers its id. */
  faucet(to: string, amountMicro: bigint): string
  /** Signs and broadcasts a contract call; words are 20-byte addresses or numbers, encoded in order. */
  trigger(
    from: Account,
    contract: Address20,
    signature: string,
    args: readonly (Address20 | bigint)[],
  ): string
  /** Signs and broadcasts anything. */
  send(from: Account, type: ContractType, value: ContractValue, feeLimit?: bigint): string
  reorg(depth: number, options: { readonly keepTransactions: boolean }): void
  freezeSolid(isFrozen: boolean): void
  head(view: View): BlockRef
  balance(holder: string, view: View, token?: Address20): bigint
  /** Called after each change of the chain; the returned function ends it. */
  onChange(listener: () => void): () => void
}

const defaults = { blockMs: 80, solidDepth: 18, seed: 1 }
const feeLimit = 150_000_000n

export function createDevnet(options: DevnetOptions = {}): Devnet {
  const now = options.now ?? Date.now
  const store = options.stateFile ? openStateFile(options.stateFile) : memoryStore()
  const solidDepth = options.solidDepth ?? defaults.solidDepth
  const listeners = new Set<() => void>()
  const changed = () => listeners.forEach(each => each())
  const inner = openNode(store, now, solidDepth)
  const miner = createMiner(inner, options.blockMs ?? defaults.blockMs, changed)
  const node: Node = {
    ...inner,
    accept(transaction) {
      const rejection = inner.accept(transaction)
      if (!rejection) miner.wake()
      return rejection
    },
  }
  const newFaults = () => createFaults(options.seed ?? defaults.seed)
  const serverWith = (faults: Faults) =>
    createHttpServer({ node, faults, bounds: { ...rpcBounds, ...options.bounds } })
  const faults = newFaults()
  const server = serverWith(faults)
  const others = new Set<Server>()
  const sender = createSender(node)

  return {
    usdtContract: toBase58(usdt20),
    faucetAddress: toBase58(faucetAccount().address20),
    fundedKey: faucetAccount().privateKey,
    faults,
    async start({ host = '127.0.0.1', port = 0 } = {}) {
      const url = await listen(server, host, port)
      miner.wake()
      return { url }
    },
    async addNode() {
      const own = newFaults()
      const other = serverWith(own)
      others.add(other)
      return { url: await listen(other, '127.0.0.1', 0), faults: own, stop: () => closeServer(other) }
    },
    async close() {
      miner.stop()
      await Promise.all([server, ...others].map(closeServer))
      store.close()
    },
    mine(blocks = 1) {
      node.mine(blocks)
      changed()
    },
    faucet(to, amountMicro) {
      if (amountMicro <= 0n) throw new RangeError('the amount must be above zero')
      return sender.trigger(faucetAccount(), usdt20, 'transfer(address,uint256)', [
        parseAddress(to),
        amountMicro,
      ])
    },
    trigger: sender.trigger,
    send: sender.send,
    reorg(depth, { keepTransactions }) {
      node.reorg(depth, keepTransactions)
      changed()
      miner.wake()
    },
    freezeSolid(isFrozen) {
      node.freezeSolid(isFrozen)
      changed()
      miner.wake()
    },
    head(view) {
      const { chain } = node
      const block = view === 'latest' ? chain.head() : chain.block(chain.solidHeight())!
      return { height: block.height, blockId: block.id }
    },
    balance: (holder, view, token = usdt20) => node.read(balanceKey(token, parseAddress(holder)), view),
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return `http://${host}:${(server.address() as AddressInfo).port}`
}

/** One that does not listen any more is closed already. */
async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>(resolve => server.close(() => resolve()))
}

/** Closes the record again when it can't be read. */
function openNode(store: RecordStore, now: () => number, solidDepth: number): Node {
  try {
    return createNode({ store, now, solidDepth })
  } catch (error) {
    store.close()
    throw error
  }
}

/** Makes blocks while there is work, and lets the process end meanwhile. */
function createMiner(node: Node, blockMs: number, changed: () => void): { wake(): void; stop(): void } {
  let timer: NodeJS.Timeout | null = null
  let isStopped = false
  const wake = () => {
    if (timer || isStopped || blockMs === 0 || !node.hasWork()) return
    timer = setTimeout(() => {
      timer = null
      node.mine(1)
      changed()
      wake()
    }, blockMs)
    timer.unref()
  }
  return {
    wake,
    stop() {
      isStopped = true
      if (timer) clearTimeout(timer)
    },
  }
}

function createSender(node: Node): Pick<Devnet, 'send' | 'trigger'> {
  let lastTimestamp = 0n
  const send: Devnet['send'] = (from, type, value, limit = 0n) => {
    for (;;) {
      const raw = newRaw(node, type, { ...value, owner_address: from.address20 }, limit)
      // Two equal payments within a millisecond would be one transaction; the timestamp tells them apart.
      const timestamp = raw.timestamp > lastTimestamp ? raw.timestamp : lastTimestamp + 1n
      lastTimestamp = timestamp
      const transaction = sign({ ...raw, timestamp }, from.privateKey)
      const rejection = node.accept(transaction)
      if (!rejection) return transaction.txid
      if (rejection.code !== 'DUP_TRANSACTION_ERROR')
        throw new RejectedTransaction(rejection.code, rejection.message)
    }
  }
  return {
    send,
    trigger(from, contract, signature, args) {
      const words = args.map(each => (typeof each === 'bigint' ? uintWord(each) : addressWord(each)))
      const data = selector(signature) + words.join('')
      return send(from, 'TriggerSmartContract', { contract_address: contract, data }, feeLimit)
    },
  }
}
