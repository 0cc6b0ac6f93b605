/** `/wallet/…` and `/walletsolidity/…`: the same reads, up to the newest block and up to the solid one. */
import { type Address20, parseAddress, toBase58, toHex41 } from '../address.ts'
import type { Json } from '../answers.ts'
import { buildTransaction, parseRequested } from './build.ts'
import type { ChainBlock, Mined } from './block.ts'
import { testAsset } from './chain.ts'
import { assetKey, sunPerEnergy, trxKey } from './execution.ts'
import { type Contract, executeConstant } from './machine.ts'
import type { Node } from './node.ts'
import { type JsonObject, blockJson, hexText, infoJson, minedJson, transactionJson } from './present.ts'
import { decodeSigned } from './transaction.ts'

/** What part of the chain a request may see. A stale node sees less of both. */
export interface Sight {
  readonly node: Node
  readonly head: number
  readonly solid: number
}

export interface WalletRequest extends Sight {
  readonly view: 'solid' | 'latest'
  readonly params: Json
}

/** Answered as `{"Error": "class … : message"}`. */
export class NodeError extends Error {}

type Handler = (request: WalletRequest) => unknown

const reads: Record<string, Handler> = {
  getnowblock: request => blockJson(request.node.chain.block(top(request))!, isVisible(request)),
  getblock: request => {
    const { id_or_num: wanted } = request.params
    const block =
      wanted === undefined || wanted === '' ? blockAt(request, top(request)) : anyBlock(request, wanted)
    return block ? blockJson(block, isVisible(request), isTrue(request.params.detail)) : {}
  },
  getblockbynum: request => shown(request, blockAt(request, number(request, 'num'))),
  getblockbyid: request => shown(request, anyBlock(request, request.params.value)),
  getblockbylimitnext: request => {
    const [from, end] = [number(request, 'startNum'), number(request, 'endNum')]
    if (from < 0 || end <= from || end - from > 100) return {}
    const blocks: JsonObject[] = []
    for (let height = from; height < end; height++) {
      const block = blockAt(request, height)
      if (block) blocks.push(blockJson(block, isVisible(request)))
    }
    return blocks.length > 0 ? { block: blocks } : {}
  },
  gettransactionbyid: request => {
    const found = mined(request)
    return found ? minedJson(found.mined, isVisible(request)) : {}
  },
  gettransactioninfobyid: request => {
    const found = mined(request)
    return found ? infoJson(found.mined, found.block, isVisible(request)) : {}
  },
  gettransactioninfobyblocknum: request => {
    const height = number(request, 'num')
    if (height <= 0) return {}
    const block = blockAt(request, height)
    return (block?.transactions ?? []).map(each => infoJson(each, block!, isVisible(request)))
  },
  getaccount: request => {
    const holder = address(request, 'address')
    const balance = request.node.read(trxKey(holder), request.view)
    const asset = request.node.read(assetKey(testAsset, holder), request.view)
    if (balance === 0n && asset === 0n) return {}
    return {
      address: isVisible(request) ? toBase58(holder) : toHex41(holder),
      ...(balance && { balance: Number(balance) }),
      ...(asset && { assetV2: [{ key: '1000001', value: Number(asset) }] }),
    }
  },
  triggerconstantcontract: request => {
    const transaction = buildTransaction(request.node, 'TriggerSmartContract', request.params)
    const { owner_address: owner, contract_address: to, data } = transaction.raw.value
    const { contracts } = request.node.chain
    if (!contracts.has(String(to))) return contractError('No contract or not a valid smart contract')
    const get = (key: string) => request.node.read(key, request.view)
    const outcome = executeConstant(contracts, get, String(owner), String(to), String(data))
    return {
      result: { result: true, ...(!outcome.isOk && { message: hexText('REVERT opcode executed') }) },
      energy_used: 935,
      constant_result: [outcome.returned],
      transaction: {
        ...(outcome.isOk ? { ret: [{}] } : { ret: [{ ret: 'FAILED' }] }),
        ...transactionJson(transaction.raw, transaction.txid, isVisible(request)),
      },
    }
  },
}

const writes: Record<string, Handler> = {
  triggersmartcontract: request => {
    const { raw, txid } = buildTransaction(request.node, 'TriggerSmartContract', request.params)
    if (!request.node.chain.contracts.has(String(raw.value.contract_address)))
      return contractError('No contract or not a smart contract')
    return { result: { result: true }, transaction: transactionJson(raw, txid, isVisible(request)) }
  },
  createtransaction: request => {
    const { raw, txid } = buildTransaction(request.node, 'TransferContract', request.params)
    return transactionJson(raw, txid, isVisible(request))
  },
  broadcasttransaction: request => broadcast(request.node, () => parseRequested(request.params)),
  broadcasthex: request =>
    broadcast(request.node, () => decodeSigned(Buffer.from(String(request.params.transaction), 'hex'))),
  getcontract: request => {
    const found = request.node.chain.contracts.get(address(request, 'value'))
    return found ? contractJson(found, isVisible(request)) : {}
  },
  getchainparameters: () => ({
    chainParameter: [
      { key: 'getEnergyFee', value: Number(sunPerEnergy) },
      { key: 'getTransactionFee', value: 1000 },
    ],
  }),
}

export const walletHandlers: Readonly<Record<WalletRequest['view'], Readonly<Record<string, Handler>>>> = {
  solid: reads,
  latest: { ...reads, ...writes },
}

const top = (request: WalletRequest) => (request.view === 'solid' ? request.solid : request.head)
const isTrue = (value: unknown) => value === true || value === 'true'
const isVisible = (request: WalletRequest) => isTrue(request.params.visible)

const blockAt = (request: WalletRequest, height: number): ChainBlock | undefined =>
  height <= top(request) ? request.node.chain.block(height) : undefined

function anyBlock(request: WalletRequest, wanted: unknown): ChainBlock | undefined {
  const text = String(wanted)
  if (!/^[0-9a-f]{64}$/.test(text)) return blockAt(request, Number(text))
  const block = blockAt(request, Number.parseInt(text.slice(0, 16), 16))
  return block?.id === text ? block : undefined
}

const shown = (request: WalletRequest, block: ChainBlock | undefined) =>
  block ? blockJson(block, isVisible(request)) : {}

function mined(request: WalletRequest): { readonly mined: Mined; readonly block: ChainBlock } | null {
  const found = request.node.chain.find(String(request.params.value))
  if (!found || found.block.height > top(request)) return null
  return { mined: found.block.transactions[found.index]!, block: found.block }
}

function number(request: WalletRequest, name: string): number {
  const value = Number(request.params[name] ?? 0)
  if (!Number.isSafeInteger(value)) throw new NodeError(`class java.lang.NumberFormatException : ${name}`)
  return value
}

function address(request: WalletRequest, name: string): Address20 {
  try {
    return parseAddress(String(request.params[name]))
  } catch {
    throw new NodeError('class java.lang.IllegalArgumentException : INVALID address')
  }
}

function broadcast(node: Node, read: () => ReturnType<typeof decodeSigned>): JsonObject {
  const transaction = read()
  const rejection = node.accept(transaction)
  // On success there is no `code` at all: clients take any code for a failure.
  if (!rejection) return { result: true, txid: transaction.txid }
  return { code: rejection.code, txid: transaction.txid, message: hexText(rejection.message) }
}

const contractError = (message: string) => ({
  result: { code: 'CONTRACT_VALIDATE_ERROR', message: hexText(`Contract validate error : ${message}`) },
})

function contractJson(found: Contract, isVisible: boolean): JsonObject {
  const entrys = [...found.functions.values()].map(each => ({
    name: each.signature.slice(0, each.signature.indexOf('(')),
    type: 'Function',
    stateMutability: each.isView ? 'View' : 'Nonpayable',
    inputs: parameterTypes(each.signature).map(type => ({ type })),
    outputs: each.returns ? [{ type: each.returns }] : [],
  }))
  return {
    name: found.name,
    contract_address: isVisible ? toBase58(found.address20) : toHex41(found.address20),
    bytecode: '00',
    abi: { entrys },
  }
}

function parameterTypes(signature: string): readonly string[] {
  const list = signature.slice(signature.indexOf('(') + 1, -1)
  return list ? list.split(',') : []
}
