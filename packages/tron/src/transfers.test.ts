import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { addressWord, approvalTopic, transferTopic, uintWord } from './abi.ts'
import { toBase58 } from './address.ts'
import { type Json, parseTransaction, parseTransactionInfo } from './answers.ts'
import { type Refusal, mainRefusal, readTransfers } from './transfers.ts'

const contract = 'a614f803b6fd780986a42c78ec9c7f77e6ded13c'
const alice = '11'.repeat(20)
const bob = '22'.repeat(20)
const payer = '33'.repeat(20)
const stranger = '44'.repeat(20)
const ours = new Set([alice, bob])
const policy = { contract, isOurs: (address: string) => ours.has(address) }

const rawDataHex = '0a02beef'
const txid = bytesToHex(sha256(hexToBytes(rawDataHex)))

const transferLog = (to: string, amount: bigint, more: Json = {}): Json => ({
  address: contract,
  topics: [transferTopic, addressWord(payer), addressWord(to)],
  data: uintWord(amount),
  ...more,
})

/** The answers of a node for a successful call, with what each case changes. */
function read(log: readonly Json[] | undefined, info: Json = {}, tx: Json = {}) {
  const infoAnswer = {
    id: txid,
    blockNumber: 100,
    blockTimeStamp: 1_700_000_000_000,
    // The genuine token returns false when it succeeds.
    contractResult: [uintWord(0n)],
    receipt: { result: 'SUCCESS' },
    log,
    ...info,
  }
  const txAnswer = {
    txID: txid,
    ret: [{ contractRet: 'SUCCESS' }],
    raw_data: { contract: [{ type: 'TriggerSmartContract' }] },
    raw_data_hex: rawDataHex,
    ...tx,
  }
  const [parsedInfo, parsedTx] = [
    JSON.parse(JSON.stringify(infoAnswer)),
    JSON.parse(JSON.stringify(txAnswer)),
  ]
  return readTransfers(parseTransactionInfo(parsedInfo)!, parseTransaction(parsedTx)!, policy)
}

const one = [transferLog(alice, 25_500_000n)]
const contractOf = (type: string): Json => ({ raw_data: { contract: [{ type }] } })

describe('what is accepted', () => {
  it('a transfer to an address of ours, as the log has it', () => {
    expect(read(one)).toEqual({
      accepted: [
        {
          txid,
          position: 0,
          from20: payer,
          to20: alice,
          amount: 25_500_000n,
          height: 100,
          timeMs: 1_700_000_000_000,
        },
      ],
      sent: [],
      refused: [],
    })
  })

  it('each log of one transaction by its position among all its logs', () => {
    const dispersed = { address: stranger, topics: ['ee'.repeat(32)] }
    const log = [
      dispersed,
      transferLog(alice, 1n),
      transferLog(stranger, 9n),
      transferLog(alice, 1n),
      transferLog(bob, 2n),
    ]
    const { accepted, refused } = read(log)
    expect(accepted.map(each => [each.position, each.to20, each.amount])).toEqual([
      [1, alice, 1n],
      [3, alice, 1n],
      [4, bob, 2n],
    ])
    expect(refused.map(each => each.reason)).toEqual(['other_event', 'not_ours'])
  })

  it('whatever contract was called, by whoever', () => {
    expect(
      read(one, { contract_address: `41${stranger}` }, contractOf('CreateSmartContract')).accepted,
    ).toHaveLength(1)
  })

  it('the contract’s address in any of a node’s forms', () => {
    for (const address of [contract, `41${contract}`, toBase58(contract), contract.toUpperCase()])
      expect(read([transferLog(alice, 1n, { address })]).accepted).toHaveLength(1)
  })

  it('addresses in a log’s words in the old form of 21 bytes', () => {
    const word = `41${alice}`.padStart(64, '0')
    const log = transferLog(alice, 3n, { topics: [transferTopic, `41${payer}`.padStart(64, '0'), word] })
    expect(read([log]).accepted).toMatchObject([{ from20: payer, to20: alice }])
  })

  it('amounts to the last unit, however large', () => {
    for (const amount of [1n, 10n ** 15n + 1n, 2n ** 63n - 1n])
      expect(read([transferLog(alice, amount)]).accepted[0]!.amount).toBe(amount)
  })

  it('what arrived, when the issuer keeps a fee', () => {
    const { accepted } = read([transferLog(alice, 99_900_000n), transferLog(stranger, 100_000n)])
    expect(accepted.map(each => each.amount)).toEqual([99_900_000n])
  })
})

describe('what is refused, and why', () => {
  const zero = uintWord(0n)
  const wrongTopic = 'ff'.repeat(12) + alice
  const cases: readonly [what: string, reading: ReturnType<typeof read>, reason: Refusal][] = [
    [
      'a token that only calls itself USDT',
      read([transferLog(alice, 1n, { address: stranger })]),
      'other_token',
    ],
    ['a failed result', read(one, { result: 'FAILED' }), 'failed'],
    ['a reverted receipt', read(one, { receipt: { result: 'REVERT' } }), 'failed'],
    ['a receipt out of energy', read(undefined, { receipt: { result: 'OUT_OF_ENERGY' } }), 'failed'],
    ['a receipt without a result', read(one, { receipt: {} }), 'failed'],
    ['no receipt', read(one, { receipt: undefined }), 'failed'],
    ['a transaction marked as reverted', read(one, {}, { ret: [{ contractRet: 'REVERT' }] }), 'failed'],
    ['a transaction without a result', read(one, {}, { ret: undefined }), 'failed'],
    ['call data that says transfer, and no log', read(undefined), 'no_transfer'],
    ['another recipient', read([transferLog(stranger, 5n)]), 'not_ours'],
    ['TRX', read(undefined, { receipt: {}, contractResult: [''] }, contractOf('TransferContract')), 'trx'],
    ['TRC10', read(undefined, { receipt: {} }, contractOf('TransferAssetContract')), 'trc10'],
    [
      'an approval',
      read([{ ...transferLog(alice, 5n), topics: [approvalTopic, addressWord(payer), addressWord(alice)] }]),
      'approval',
    ],
    ['nothing, moved by anyone', read([transferLog(alice, 0n)]), 'zero_value'],
    [
      'a recipient word that is no address',
      read([transferLog(alice, 5n, { topics: [transferTopic, addressWord(payer), wrongTopic] })]),
      'malformed_log',
    ],
    [
      'a missing topic',
      read([transferLog(alice, 5n, { topics: [transferTopic, addressWord(payer)] })]),
      'malformed_log',
    ],
    [
      'a topic too many',
      read([
        transferLog(alice, 5n, { topics: [transferTopic, addressWord(payer), addressWord(alice), zero] }),
      ]),
      'malformed_log',
    ],
    ['no amount', read([transferLog(alice, 5n, { data: undefined })]), 'malformed_log'],
    ['two words of amount', read([transferLog(alice, 5n, { data: zero + zero })]), 'malformed_log'],
    ['an amount above what can exist', read([transferLog(alice, 2n ** 63n)]), 'malformed_log'],
    ['another event of the token', read([{ address: contract, topics: ['ee'.repeat(32)] }]), 'other_event'],
    ['a log from nowhere', read([transferLog(alice, 5n, { address: 'T-not-an-address' })]), 'malformed_log'],
    ['signed bytes that give another id', read(one, {}, { raw_data_hex: '0a02dead' }), 'forged'],
    ['an info of another transaction', read(one, { id: 'ab'.repeat(32) }), 'forged'],
  ]
  it.each(cases)('%s', (_, reading, reason) => {
    expect(reading.accepted).toEqual([])
    expect(mainRefusal(reading)).toBe(reason)
  })

  it('a genuine transfer beside a fake one is accepted alone', () => {
    const { accepted, refused } = read([
      transferLog(alice, 9n, { address: stranger }),
      transferLog(alice, 4n),
    ])
    expect(accepted.map(each => [each.position, each.amount])).toEqual([[1, 4n]])
    expect(refused).toEqual([{ reason: 'other_token', position: 0, to20: alice }])
  })
})
