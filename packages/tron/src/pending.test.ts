import { afterEach, describe, expect, it } from 'vitest'
import { depositAddress } from './address.ts'
import { developmentXpub } from './devnet/accounts.ts'
import { usdt20 } from './devnet/contracts.ts'
import { type Devnet, createDevnet } from './devnet/devnet.ts'
import { lookUp, parseTxid } from './lookup.ts'
import { type PendingTransfer, pending } from './pending.ts'
import { probeLogIndex } from './probe.ts'
import { createReader } from './reader.ts'
import { createTeller } from './teller.ts'

const alice = depositAddress(developmentXpub, 0)
const addresses = [alice.address20]
const policy = { contract: usdt20, isOurs: (address: string) => address === alice.address20 }

let devnet: Devnet
afterEach(() => devnet.close())

async function setUp(options = {}) {
  devnet = createDevnet({ blockMs: 0, ...options })
  const { url } = await devnet.start()
  devnet.mine(20)
  return createReader({ url })
}

async function seen(reader: ReturnType<typeof createReader>): Promise<readonly PendingTransfer[]> {
  const result = await pending({ reader, contract: usdt20, addresses })
  if (result.kind === 'stopped') throw new Error(result.message)
  return result.transfers
}

describe('a transfer that is arriving', () => {
  it('counts its blocks up to the last but one, then is the scanner’s, under the same identity', async () => {
    const reader = await setUp()
    const desk = createTeller(reader, usdt20, addresses)
    await desk.catchUp()
    devnet.faucet(alice.base58, 5n)
    expect(await seen(reader)).toEqual([])
    const counts: number[] = []
    let identity = ''
    for (let block = 1; block <= 18; block++) {
      devnet.mine()
      const [transfer] = await seen(reader)
      counts.push(transfer!.confirmations)
      identity = `${transfer!.txid}:${transfer!.position}`
      expect(transfer).toMatchObject({ to20: alice.address20, amount: 5n, needed: 19 })
    }
    expect(counts).toEqual(Array.from({ length: 18 }, (_, index) => index + 1))
    devnet.mine()
    expect(await seen(reader)).toEqual([])
    await desk.catchUp()
    expect([...desk.credits.keys()]).toEqual([identity])
  })

  it('is never complete while the chain does not call it final', async () => {
    const reader = await setUp()
    devnet.freezeSolid(true)
    devnet.faucet(alice.base58, 5n)
    devnet.mine(50)
    expect(await seen(reader)).toMatchObject([{ confirmations: 18, needed: 19 }])
  })

  it('is gone when its block is', async () => {
    const reader = await setUp()
    devnet.faucet(alice.base58, 5n)
    devnet.mine(3)
    expect(await seen(reader)).toHaveLength(1)
    devnet.reorg(3, { keepTransactions: false })
    expect(await seen(reader)).toEqual([])
  })

  it('is left out, not guessed, when its transaction cannot be read', async () => {
    const reader = await setUp()
    devnet.faucet(alice.base58, 5n)
    devnet.mine(3)
    devnet.faults.add({ kind: 'unknown', on: /gettransactioninfobyid/ })
    expect(await seen(reader)).toEqual([])
  })

  it('a provider’s refusal is told as one', async () => {
    const reader = await setUp()
    devnet.faults.add({ kind: 'limited' })
    expect(await pending({ reader, contract: usdt20, addresses })).toMatchObject({
      kind: 'stopped',
      why: 'limited',
    })
  })
})

describe('a transaction that somebody names', () => {
  it('is read in whatever way it was pasted', () => {
    const txid = 'ab'.repeat(32)
    for (const text of [txid, ` 0x${txid}\n`, txid.toUpperCase(), `0X${txid.toUpperCase()}`])
      expect(parseTxid(text)).toBe(txid)
    for (const text of ['', 'ab', `${txid}ab`, `z${txid.slice(1)}`, alice.base58])
      expect(parseTxid(text)).toBeNull()
  })

  it('is unknown, then pending, then solid', async () => {
    const reader = await setUp()
    const txid = devnet.faucet(alice.base58, 5n)
    expect(await lookUp(reader, txid, policy)).toEqual({ state: 'unknown' })
    devnet.mine(2)
    expect(await lookUp(reader, txid, policy)).toMatchObject({
      state: 'pending',
      height: 21,
      head: { height: 22 },
    })
    devnet.mine(17)
    const found = await lookUp(reader, txid, policy)
    expect(found).toMatchObject({ state: 'solid', reading: { accepted: [{ amount: 5n, position: 0 }] } })
  })
})

describe('a log index with holes', () => {
  it('is found out by comparing it with a whole block', async () => {
    const reader = await setUp()
    expect(await probeLogIndex(reader, usdt20)).toBe('unproven')
    devnet.faucet(alice.base58, 5n)
    devnet.mine(19)
    expect(await probeLogIndex(reader, usdt20)).toBe('complete')
    devnet.faults.add({ kind: 'no_index' })
    expect(await probeLogIndex(reader, usdt20)).toBe('holes')
  })

  it('loses nothing when whole blocks are read instead', async () => {
    const reader = await setUp()
    const desk = createTeller(reader, usdt20, addresses, { method: 'blocks' })
    await desk.catchUp()
    devnet.faults.add({ kind: 'no_index' })
    devnet.faucet(alice.base58, 5n)
    devnet.mine(19)
    await desk.catchUp()
    expect(desk.total()).toBe(5n)
  })
})
