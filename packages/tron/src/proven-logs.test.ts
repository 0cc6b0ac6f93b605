import { describe, expect, it } from 'vitest'
import { addressWord, transferTopic, uintWord } from './abi.ts'
import type { Block } from './answers.ts'
import { transfersByBlock } from './block-transfers.ts'
import { transfersByLog } from './log-transfers.ts'
import type { RpcCall } from './json-rpc.ts'
import { type LogQuery, provenLogs } from './proven-logs.ts'
import type { ReadError } from './read-error.ts'
import type { ChainReader } from './reader.ts'
import { watchedOf } from './teller.ts'

const contract = 'c0'.repeat(20)
const alice = 'a1'.repeat(20)
const txid = 'ab'.repeat(32)
const idOf = (height: number) => height.toString(16).padStart(16, '0') + 'f'.repeat(48)
const anchor = { height: 100, blockId: idOf(100) }
const query: LogQuery = { contract, addresses: [alice], sides: ['recipient'], from: 61, to: 120, anchor }
const unused = () => Promise.reject(new Error('not asked for here'))

const log = (change: object = {}) => ({
  address: `0x${contract}`,
  topics: [`0x${transferTopic}`, `0x${addressWord('b2'.repeat(20))}`, `0x${addressWord(alice)}`],
  data: `0x${uintWord(7n)}`,
  blockNumber: '0x6e',
  blockHash: `0x${idOf(110)}`,
  transactionHash: `0x${txid}`,
  ...change,
})

/** A node that has all blocks up to 130; each case sets its answers. */
function readerOf(
  logs: unknown,
  blockOf = (height: number): string | null => idOf(height),
  asked: RpcCall[] = [],
  sent: unknown = [],
) {
  const answer = ({ method, params }: RpcCall) => {
    if (method === 'eth_getLogs') return (params[0] as { topics: unknown[] }).topics[1] ? sent : logs
    const height = params[0] === 'finalized' ? 130 : Number(params[0])
    const id = blockOf(height)
    return id === null ? null : { number: `0x${height.toString(16)}`, hash: `0x${id}` }
  }
  const rpc = async (calls: readonly RpcCall[]) => (asked.push(...calls), calls.map(answer))
  const reader: ChainReader = {
    rpc,
    head: unused,
    block: unused,
    blocks: unused,
    blockInfos: unused,
    facts: unused,
    call: unused,
  }
  return reader
}

const failureOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'none',
    (error: ReadError) => error.failure,
  )

const block = (height: number, parentId = idOf(height - 1)): Block => ({
  height,
  blockId: idOf(height),
  parentId,
  timeMs: 1,
  transactions: [],
})

const watched = watchedOf(new Set([alice]))

/** Reads blocks 40 … 120, of which one does not follow the one before it. */
const readBroken = (broken: number) => {
  const blocks = async (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) =>
      block(from + index, from + index === broken ? 'e'.repeat(64) : undefined),
    )
  const search = { reader: { ...readerOf([]), blocks }, contract, watched }
  return transfersByBlock(search, { anchor, from: 40, to: 120 }, Infinity)
}

describe('logs with their proof', () => {
  it('are taken when the node has the range, for good and on our chain', async () => {
    expect(await provenLogs(readerOf([log()]), query)).toEqual({
      logs: [{ txid, height: 110, blockId: idOf(110), from20: 'b2'.repeat(20), to20: alice, amount: 7n }],
      end: { height: 120, blockId: idOf(120) },
    })
  })

  it.each([
    ['no list', null],
    ['a log of another contract', [log({ address: `0x${alice}` })]],
    ['another event', [log({ topics: [`0x${'e'.repeat(64)}`, ...log().topics.slice(1)] })]],
    ['another recipient', [log({ topics: [...log().topics.slice(0, 2), `0x${addressWord(contract)}`] })]],
    ['a block before the range', [log({ blockNumber: '0x3c' })]],
    ['a block after the range', [log({ blockNumber: '0x79' })]],
    ['no amount', [log({ data: '0x' })]],
    ['no transaction', [log({ transactionHash: undefined })]],
  ])('%s in place of them is malformed', async (_, logs) => {
    expect(await failureOf(provenLogs(readerOf(logs), query))).toBe('malformed')
  })

  it.each([
    ['the end of the range', 120],
    ['the block we stood on', 100],
  ])('a node without %s lags', async (_, missing) => {
    const reader = readerOf([], height => (height === missing ? null : idOf(height)))
    expect(await failureOf(provenLogs(reader, query))).toBe('lagging')
  })

  it('a node whose final block is below the range lags', async () => {
    expect(await failureOf(provenLogs(readerOf([]), { ...query, to: 131 }))).toBe('lagging')
  })

  it('no question names more than 1000 addresses, and answers to parts must agree', async () => {
    const addresses = Array.from({ length: 2500 }, (_, index) => index.toString(16).padStart(40, 'd'))
    const asked: RpcCall[] = []
    await provenLogs(readerOf([], undefined, asked), { ...query, addresses })
    const named = asked
      .filter(call => call.method === 'eth_getLogs')
      .map(call => {
        const [filter] = call.params as [{ topics: [string, null, string[]] }]
        return filter.topics[2].length
      })
    expect(named).toEqual([1000, 1000, 500])
    let times = 0
    const wavering = readerOf([], height =>
      height === 120 && times++ > 0 ? idOf(120).replace('f', 'e') : idOf(height),
    )
    expect(await failureOf(provenLogs(wavering, { ...query, addresses }))).toBe('disputed')
  })
})

describe('when two answers contradict each other', () => {
  const info = { txid, height: 110, timeMs: 1, result: null, receiptResult: 'SUCCESS' }
  const rawDataHex = '0a02beef'

  it('a hit that its transaction does not bear out stops the pass', async () => {
    const { sha256 } = await import('@noble/hashes/sha2.js')
    const id = Buffer.from(sha256(Buffer.from(rawDataHex, 'hex'))).toString('hex')
    const genuine = {
      address: contract,
      topics: log().topics.map(topic => topic.slice(2)),
      data: uintWord(7n),
    }
    const transaction = { txid: id, rawDataHex, type: 'TriggerSmartContract', contractRet: 'SUCCESS' }
    const outcome = (change: object, logs = [genuine]) => {
      const reader: ChainReader = {
        ...readerOf([log({ transactionHash: `0x${id}` })]),
        facts: async () => ({ info: { ...info, txid: id, logs, ...change }, transaction }),
      }
      return failureOf(
        transfersByLog({ reader, contract, watched }, { anchor, from: 61, to: 120 }, [alice], 10),
      )
    }
    expect(await outcome({})).toBe('none')
    expect(await outcome({}, [{ ...genuine, data: uintWord(8n) }])).toBe('disputed')
    expect(await outcome({}, [])).toBe('disputed')
    expect(await outcome({ height: 111 })).toBe('disputed')
    expect(await outcome({ receiptResult: 'REVERT' })).toBe('disputed')
    expect(await outcome({ txid })).toBe('disputed')
  })

  it('neither does a sweep that its transaction does not bear out pass', async () => {
    const { sha256 } = await import('@noble/hashes/sha2.js')
    const id = Buffer.from(sha256(Buffer.from(rawDataHex, 'hex'))).toString('hex')
    const words = [transferTopic, addressWord(alice), addressWord('b2'.repeat(20))]
    const transaction = { txid: id, rawDataHex, type: 'TriggerSmartContract', contractRet: 'SUCCESS' }
    const outcome = (topics: string[], amount = 7n) => {
      const found = log({ transactionHash: `0x${id}`, topics: words.map(word => `0x${word}`) })
      const reader: ChainReader = {
        ...readerOf([], undefined, [], [found]),
        facts: async () => ({
          info: { ...info, txid: id, logs: [{ address: contract, topics, data: uintWord(amount) }] },
          transaction,
        }),
      }
      const search = { reader, contract, watched }
      return failureOf(transfersByLog(search, { anchor, from: 61, to: 120 }, [alice], 10))
    }
    expect(await outcome(words)).toBe('none')
    expect(await outcome(words, 8n)).toBe('disputed')
    expect(await outcome([words[0]!, words[1]!, addressWord('b3'.repeat(20))])).toBe('disputed')
    expect(await outcome([words[0]!, addressWord('b3'.repeat(20)), words[2]!])).toBe('disputed')
  })

  it('blocks that do not follow each other stop the pass, across requests too', async () => {
    expect((await readBroken(0)).end.height).toBe(120)
    // Requests are of 50 blocks: 90 begins the second.
    expect(await failureOf(readBroken(90))).toBe('disputed')
    expect(await failureOf(readBroken(101))).toBe('disputed')
    expect((await readBroken(110)).end).toEqual({ height: 109, blockId: idOf(109) })
  })
})
