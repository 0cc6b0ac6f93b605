import { TronWeb } from 'tronweb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { depositAddress, toBase58, toHex41 } from '../address.ts'
import { developmentAccount, developmentXpub } from './accounts.ts'
import { usdt20 } from './contracts.ts'
import { type Devnet, createDevnet } from './devnet.ts'

const alice = depositAddress(developmentXpub, 0)
const payer = developmentAccount("m/44'/195'/2'/0/0")
const transferAbi = [
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
] as const

let devnet: Devnet
let url: string
let tronWeb: TronWeb

beforeAll(async () => {
  devnet = createDevnet({ blockMs: 0 })
  url = (await devnet.start()).url
})
afterAll(() => devnet.close())
beforeEach(() => {
  tronWeb = new TronWeb({ fullHost: url, privateKey: devnet.fundedKey })
})

const token = () => tronWeb.contract().at(devnet.usdtContract)
const pay = async (amount: number, options = {}): Promise<string> =>
  (await token()).transfer!(alice.base58, amount).send(options)
const balance = async (holder: string) => BigInt(await (await token()).balanceOf!(holder).call())

const build = async (options = {}) =>
  (
    await tronWeb.transactionBuilder.triggerSmartContract(
      devnet.usdtContract,
      'transfer(address,uint256)',
      options,
      [
        { type: 'address', value: alice.base58 },
        { type: 'uint256', value: 1 },
      ],
      devnet.faucetAddress,
    )
  ).transaction

const codeOf = async (transaction: object) => {
  const answer: unknown = await tronWeb.fullNode.request('wallet/broadcasttransaction', transaction, 'post')
  return (answer as { code?: string }).code ?? null
}

/** Signed for the current head, with what the case changes. */
const signBound = async (change: object) => {
  const reference = await tronWeb.trx.getCurrentRefBlockParams()
  return tronWeb.trx.sign(await build({ txLocal: true, blockHeader: { ...reference, ...change } }))
}

const ask = async (path: string, body?: object): Promise<unknown> => {
  const init = body && { method: 'POST', body: JSON.stringify(body) }
  return (await fetch(`${url}/${path}`, init)).json()
}

const rpc = async (method: string, params: unknown[]) =>
  (await ask('jsonrpc', { jsonrpc: '2.0', id: 1, method, params })) as {
    result?: unknown
    error?: { code: number }
  }

describe('an unmodified wallet library', () => {
  it('sends a transfer, and reads what became of it', async () => {
    const before = await balance(alice.base58)
    const txid = await pay(25_500_000)
    expect(await tronWeb.trx.getUnconfirmedTransactionInfo(txid)).toEqual({})
    devnet.mine()
    expect(await balance(alice.base58)).toBe(before + 25_500_000n)
    const info = await tronWeb.trx.getUnconfirmedTransactionInfo(txid)
    expect(info).toMatchObject({
      id: txid,
      contract_address: toHex41(usdt20),
      receipt: { result: 'SUCCESS' },
      // The token answers false when it succeeds.
      contractResult: ['0'.repeat(64)],
      log: [{ address: usdt20, data: (25_500_000).toString(16).padStart(64, '0') }],
    })
    expect(info).not.toHaveProperty('result')
    expect(await tronWeb.trx.getTransactionInfo(txid)).toEqual({})
    devnet.mine(18)
    expect(await tronWeb.trx.getTransactionInfo(txid)).toEqual(info)
    expect(await tronWeb.trx.getConfirmedTransaction(txid)).toMatchObject({
      txID: txid,
      ret: [{ contractRet: 'SUCCESS' }],
    })
  })

  it('sends by a contract whose ABI it brings itself, built locally', async () => {
    const reference = await tronWeb.trx.getCurrentRefBlockParams()
    const contract = tronWeb.contract(transferAbi, devnet.usdtContract)
    const txid: string = await contract.transfer!(alice.base58, 3).send({
      txLocal: true,
      blockHeader: reference,
    })
    devnet.mine()
    expect(await tronWeb.trx.getUnconfirmedTransactionInfo(txid)).toMatchObject({
      receipt: { result: 'SUCCESS' },
    })
  })

  it('reads the token’s name, symbol, decimals and supply', async () => {
    const contract = await token()
    expect(await contract.name!().call()).toBe('Tether USD')
    expect(await contract.symbol!().call()).toBe('USDT')
    expect(Number(await contract.decimals!().call())).toBe(6)
    expect(BigInt(await contract.totalSupply!().call())).toBe(10n ** 15n)
  })

  it('sees a failure in all three places', async () => {
    const poor = new TronWeb({ fullHost: url, privateKey: payer.privateKey })
    await tronWeb.trx.sendTransaction(toBase58(payer.address20), 100_000_000)
    devnet.mine()
    const txid: string = await (
      await poor.contract().at(devnet.usdtContract)
    ).transfer!(alice.base58, 5).send()
    devnet.mine(19)
    const info = await tronWeb.trx.getTransactionInfo(txid)
    expect(info).toMatchObject({ result: 'FAILED', receipt: { result: 'REVERT' } })
    expect(TronWeb.toUtf8((info as { resMessage: string }).resMessage)).toBe('REVERT opcode executed')
    expect(info).not.toHaveProperty('log')
    expect(await tronWeb.trx.getTransaction(txid)).toMatchObject({ ret: [{ contractRet: 'REVERT' }] })
  })

  it('runs out of energy when the fee limit is too low', async () => {
    const txid = await pay(5, { feeLimit: 1_000_000 })
    devnet.mine()
    expect(await tronWeb.trx.getUnconfirmedTransactionInfo(txid)).toMatchObject({
      result: 'FAILED',
      receipt: { result: 'OUT_OF_ENERGY' },
    })
  })

  it('sends TRX, which has no receipt result', async () => {
    const sent = await tronWeb.trx.sendTransaction(alice.base58, 7)
    expect(sent).toMatchObject({ result: true })
    expect(sent).not.toHaveProperty('code')
    devnet.mine(19)
    expect(await tronWeb.trx.getBalance(alice.base58)).toBe(7)
    const info = await tronWeb.trx.getTransactionInfo(sent.txid)
    expect(info.receipt).not.toHaveProperty('result')
    expect(info).not.toHaveProperty('contract_address')
  })

  it('pages through a recipient’s events and transactions', async () => {
    const txid = await pay(9)
    devnet.mine()
    const events = await tronWeb.event.getEventsByTransactionID(txid)
    expect(events.data).toMatchObject([
      { event_name: 'Transfer', contract_address: devnet.usdtContract, event_index: 0 },
    ])
    const blockOf = await tronWeb.trx.getUnconfirmedTransactionInfo(txid)
    const block = await tronWeb.trx.getBlock(blockOf.blockNumber)
    expect(block.transactions!.map(each => each.txID)).toContain(txid)
    expect(block.blockID).toBe(devnet.head('latest').blockId)
    expect((await tronWeb.trx.getConfirmedCurrentBlock()).blockID).toBe(devnet.head('solid').blockId)
  })

  it('gets whole numbers as text when it asks for that', async () => {
    const txid = await pay(11)
    devnet.mine(19)
    const raw = await tronWeb.trx.raw.getTransactionInfo(txid)
    expect(typeof raw.blockNumber).toBe('string')
    expect(Number(raw.blockNumber)).toBe((await tronWeb.trx.getTransactionInfo(txid)).blockNumber)
  })
})

describe('what the network refuses, it refuses by the protocol’s own word', () => {
  it('the same transaction twice', async () => {
    const signed = await tronWeb.trx.sign(await build())
    expect(await codeOf(signed)).toBeNull()
    expect(await codeOf(signed)).toBe('DUP_TRANSACTION_ERROR')
    devnet.mine()
    expect(await codeOf(signed)).toBe('DUP_TRANSACTION_ERROR')
  })

  it('another’s signature, no signature, and bytes changed after signing', async () => {
    const unsigned = await build()
    expect(await codeOf(unsigned)).toBe('SIGERROR')
    const other = await tronWeb.trx.multiSign(unsigned, payer.privateKey).catch(() => null)
    expect(other === null || (await codeOf(other)) === 'SIGERROR').toBe(true)
    const signed = await tronWeb.trx.sign(await build())
    const changed = JSON.parse(JSON.stringify(signed)) as { raw_data: { fee_limit: number } }
    changed.raw_data.fee_limit++
    expect(await codeOf(changed)).toBe('SIGERROR')
  })

  it('what a client claims about its bytes has no effect', async () => {
    const signed = await tronWeb.trx.sign(await build())
    const answer: unknown = await tronWeb.fullNode.request(
      'wallet/broadcasttransaction',
      { ...signed, txID: 'ab'.repeat(32), raw_data_hex: 'abcd' },
      'post',
    )
    expect(answer).toMatchObject({ result: true, txid: signed.txID })
  })

  it('an expired transaction, and one bound to another chain', async () => {
    expect(await codeOf(await signBound({ expiration: 1 }))).toBe('TRANSACTION_EXPIRATION_ERROR')
    expect(await codeOf(await signBound({ ref_block_hash: 'ab'.repeat(8) }))).toBe('TAPOS_ERROR')
    expect(await codeOf(await signBound({}))).toBeNull()
  })

  it('TRX that is not there, and contracts that are not there', async () => {
    const poor = developmentAccount("m/44'/195'/2'/0/9")
    expect(() => devnet.send(poor, 'TransferContract', { to_address: alice.address20, amount: 5n })).toThrow(
      /not sufficient/,
    )
    await expect(tronWeb.contract().at(alice.base58)).rejects.toThrow(/Unknown error/)
    expect(() => devnet.trigger(payer, alice.address20, 'transfer(address,uint256)', [])).toThrow(
      /No contract/,
    )
  })
})

describe('the shapes of its answers', () => {
  it('unknown things are an empty object, and an empty block has an empty list', async () => {
    const unknown = { value: 'ab'.repeat(32) }
    for (const method of ['gettransactionbyid', 'gettransactioninfobyid'])
      for (const root of ['wallet', 'walletsolidity'])
        expect(await ask(`${root}/${method}`, unknown)).toEqual({})
    expect(await ask('wallet/getblockbynum', { num: 1e9 })).toEqual({})
    expect(await ask('wallet/gettransactioninfobyblocknum', { num: 0 })).toEqual({})
    devnet.mine(2)
    const { height } = devnet.head('latest')
    expect(await ask('wallet/gettransactioninfobyblocknum', { num: height })).toEqual([])
    expect(await ask('wallet/getblockbynum', { num: height })).not.toHaveProperty('transactions')
  })

  it('with visible, every address is base58, the logs’ too', async () => {
    const value = devnet.faucet(alice.base58, 5n)
    devnet.mine()
    expect(await ask('wallet/gettransactioninfobyid', { value, visible: true })).toMatchObject({
      contract_address: devnet.usdtContract,
      log: [{ address: devnet.usdtContract }],
    })
    expect(await ask('wallet/gettransactionbyid', { value, visible: true })).toMatchObject({
      visible: true,
      raw_data: { contract: [{ parameter: { value: { owner_address: devnet.faucetAddress } } }] },
    })
  })

  it('a nonsensical request is a status 200 with an Error', async () => {
    expect(await ask('wallet/triggersmartcontract', { contract_address: 'nonsense' })).toHaveProperty('Error')
    expect(await ask('wallet/broadcasttransaction', {})).toHaveProperty('Error')
  })

  it('a recipient’s transfers come newest first, at most 200 a page, without block or position', async () => {
    const bob = depositAddress(developmentXpub, 1)
    for (let payment = 1; payment <= 205; payment++) devnet.faucet(bob.base58, BigInt(payment))
    devnet.mine(19)
    const path = `v1/accounts/${bob.base58}/transactions/trc20?only_confirmed=true&only_to=true&contract_address=${devnet.usdtContract}&limit=500`
    type Page = { data: Record<string, unknown>[]; meta: { fingerprint?: string } }
    const first = (await ask(path)) as Page
    expect(first.data).toHaveLength(200)
    expect(first.data[0]).not.toHaveProperty('block_number')
    const second = (await ask(`${path}&fingerprint=${first.meta.fingerprint}`)) as Page
    expect(second.meta).not.toHaveProperty('fingerprint')
    const values = [...first.data, ...second.data].map(each => BigInt(String(each.value)))
    expect(values.reduce((sum, value) => sum + value, 0n)).toBe((205n * 206n) / 2n)
  })

  it('JSON-RPC speaks of the same blocks, and refuses what a node refuses', async () => {
    const { height, blockId } = devnet.head('solid')
    expect(await rpc('eth_getBlockByNumber', ['finalized', false])).toMatchObject({
      result: { number: `0x${height.toString(16)}`, hash: `0x${blockId}` },
    })
    expect(await rpc('eth_blockNumber', [])).toMatchObject({
      result: `0x${devnet.head('latest').height.toString(16)}`,
    })
    expect(await rpc('eth_getBlockByNumber', ['0xffffff', false])).toMatchObject({ result: null })
    expect((await rpc('eth_getLogs', [{ fromBlock: '0x5', toBlock: '0x4' }])).error?.code).toBe(-32602)
    const many = Array.from({ length: 1001 }, (_, index) => `0x${index.toString(16).padStart(64, '0')}`)
    expect(
      (await rpc('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x1', topics: [many] }])).error?.code,
    ).toBe(-32602)
    expect((await rpc('eth_sendRawTransaction', [])).error?.code).toBe(-32601)
  })

  it('the position in the block is not the position in the transaction', async () => {
    devnet.faucet(alice.base58, 5n)
    const txid = devnet.faucet(alice.base58, 6n)
    devnet.mine()
    const { blockId, height } = devnet.head('latest')
    const filter = { fromBlock: `0x${height.toString(16)}`, toBlock: 'latest', address: `0x${usdt20}` }
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }
    expect(await ask('jsonrpc', body)).toMatchObject({
      result: [
        { logIndex: '0x0' },
        { logIndex: '0x1', transactionHash: `0x${txid}`, blockHash: `0x${blockId}` },
      ],
    })
  })
})
