import { afterEach, describe, expect, it } from 'vitest'
import { depositAddress } from './address.ts'
import { alice, closeAll, faucet, payer, setUp, solidDepth, transfer } from './deposit-scenarios.ts'
import { developmentXpub } from './devnet/accounts.ts'
import { successor20, usdt20 } from './devnet/contracts.ts'
import { scan } from './scan.ts'
import { type Teller, createTeller, watchedOf } from './teller.ts'
import { tokenBalance, tokenSwitches } from './token.ts'

afterEach(closeAll)

/** One pass that must stop, leaving nothing changed. */
async function stopOf(desk: Teller): Promise<string> {
  const before = desk.cursor()
  const why = await desk.pass()
  if (typeof why !== 'string' || desk.credits.size > 0) throw new Error('the pass went on')
  expect(desk.cursor()).toEqual(before)
  return why
}

async function withPayment() {
  const rig = await setUp()
  const desk = rig.teller()
  await desk.catchUp()
  rig.devnet.faucet(alice.base58, 5n)
  rig.devnet.mine(solidDepth + 1)
  return { ...rig, desk }
}

describe('the cursor', () => {
  it('stays when the log index answers from a node that lags, though its answer looks like none', async () => {
    const { devnet, desk } = await withPayment()
    devnet.faults.add({ kind: 'stale', on: /jsonrpc/, blocks: 1 })
    expect(await stopOf(desk)).toBe('lagging')
    devnet.faults.clear()
    await desk.catchUp()
    expect(desk.total()).toBe(5n)
  })

  it.each(['gettransactioninfobyid', 'gettransactionbyid'])(
    'stays when %s does not know a hit yet',
    async path => {
      const { devnet, desk } = await withPayment()
      devnet.faults.add({ kind: 'unknown', on: new RegExp(path), times: 1 })
      expect(await stopOf(desk)).toBe('lagging')
      await desk.catchUp()
      expect(desk.total()).toBe(5n)
    },
  )

  it('stays when logs come back as null', async () => {
    const { devnet, desk } = await withPayment()
    devnet.faults.add({ kind: 'unknown', on: /eth_getLogs/, times: 1 })
    expect(await stopOf(desk)).toBe('lagging')
  })

  it('moves by what was read in the time of a pass of whole blocks, at least by one', async () => {
    const { devnet, teller } = await setUp()
    const desk = teller({ method: 'blocks', limits: { maxWholeMs: 0 } })
    await desk.catchUp()
    const from = desk.cursor()!.height
    devnet.faucet(alice.base58, 5n)
    devnet.mine(3)
    devnet.faucet(alice.base58, 7n)
    devnet.mine(solidDepth + 1)
    await desk.pass()
    expect(desk.cursor()!.height).toBe(from + 1)
    await desk.catchUp()
    expect(desk.total()).toBe(12n)
  })

  it('stays when the solid head is behind it', async () => {
    const { devnet, teller } = await setUp()
    devnet.mine(30)
    const desk = teller()
    await desk.catchUp()
    devnet.faults.add({ kind: 'stale', on: /walletsolidity.getblock$/, blocks: 2 })
    expect(await stopOf(desk)).toBe('lagging')
  })

  it('stays while the solid head is frozen, and nothing unsolid is credited', async () => {
    const { devnet, teller } = await setUp()
    const desk = teller()
    await desk.catchUp()
    devnet.freezeSolid(true)
    devnet.faucet(alice.base58, 5n)
    devnet.mine(60)
    await desk.catchUp()
    expect(desk.total()).toBe(0n)
    devnet.freezeSolid(false)
    await desk.catchUp()
    expect(desk.total()).toBe(5n)
  })

  it.each(['logs', 'blocks'] as const)('stops for good on another chain, by %s', async method => {
    const first = await setUp({ now: () => 1_700_000_000_000 })
    const second = await setUp({ now: () => 1_700_000_000_001 })
    first.devnet.mine(40)
    const firstDesk = first.teller()
    await firstDesk.catchUp()
    const cursor = firstDesk.cursor()!
    second.devnet.faucet(alice.base58, 5n)
    second.devnet.mine(40)
    expect(await stopOf(second.teller({ method, cursor }))).toBe('discontinuity')
    second.devnet.mine(40)
    expect(await stopOf(second.teller({ method, cursor }))).toBe('discontinuity')
    expect(await stopOf(second.teller({ method, cursor, limits: { overlapBlocks: 0 } }))).toBe(
      'discontinuity',
    )
  })

  it('a log that the index left out once is found by reading back', async () => {
    const { devnet, desk } = await withPayment()
    devnet.faults.add({ kind: 'no_index', on: /eth_getLogs/, times: 1 })
    await desk.catchUp()
    expect(desk.total()).toBe(0n)
    devnet.mine(39 - solidDepth)
    await desk.catchUp()
    expect(desk.total()).toBe(5n)
  })

  it('an address that appears while the head is read is in time', async () => {
    const { devnet, reader } = await setUp()
    const watched = new Set<string>()
    const cursor = await reader.head('solid')
    devnet.faucet(alice.base58, 5n)
    devnet.mine(solidDepth + 1)
    const late = { ...reader, head: async () => (watched.add(alice.address20), reader.head('solid')) }
    const input = { reader: late, contract: devnet.usdtContract, cursor, watched: watchedOf(watched) }
    expect(await scan(input)).toMatchObject({ hits: [{ amount: 5n }] })
  })

  it('begins at the head and moves without an address to watch', async () => {
    const { devnet, reader } = await setUp()
    const desk = createTeller(reader, usdt20, [])
    await desk.catchUp()
    devnet.mine(50)
    await desk.catchUp()
    expect(desk.cursor()).toEqual(devnet.head('solid'))
  })
})

describe('the bounds of a node', () => {
  it('ranges and addresses are halved until the answer is small enough, and nothing is lost', async () => {
    const { devnet, reader } = await setUp({ bounds: { maxResults: 3, maxBlocks: 500 } })
    const many = Array.from({ length: 12 }, (_, index) => depositAddress(developmentXpub, index).address20)
    const desk = createTeller(reader, usdt20, many, { limits: { maxBlocks: 5000 } })
    await desk.catchUp()
    devnet.mine(700)
    // All in one block: here only fewer addresses help.
    for (const address of many) transfer(devnet, payer, address, 2n)
    devnet.mine(700)
    await desk.catchUp()
    expect(desk.total()).toBe(24n)
    expect(desk.stops.size).toBe(0)
  })

  it('more addresses than one question may name are asked in parts', async () => {
    const { devnet, reader } = await setUp()
    const many = Array.from({ length: 2500 }, (_, index) => index.toString(16).padStart(40, 'a'))
    const desk = createTeller(reader, usdt20, [...many, alice.address20])
    await desk.catchUp()
    transfer(devnet, payer, many[0]!, 1n)
    transfer(devnet, payer, many[1000]!, 2n)
    transfer(devnet, payer, alice.address20, 4n)
    devnet.mine(solidDepth + 1)
    await desk.catchUp()
    expect(desk.total()).toBe(7n)
  })
})

describe('what the issuer can do', () => {
  it('a successor’s transfers are not credited, and the switch is reported', async () => {
    const { devnet, reader, teller } = await setUp()
    const desk = teller()
    await desk.catchUp()
    devnet.trigger(faucet, usdt20, 'deprecate(address)', [successor20])
    transfer(devnet, payer, alice.address20, 70n)
    devnet.mine(solidDepth + 1)
    await desk.catchUp()
    expect(desk.total()).toBe(0n)
    expect(await tokenBalance(reader, usdt20, alice.address20)).toBe(70n)
    expect(await tokenSwitches(reader, usdt20)).toMatchObject({ paused: false, successor: successor20 })
  })

  it('destroyed funds leave no transfer: only the balance shows it', async () => {
    const { devnet, reader, teller } = await setUp()
    const desk = teller()
    await desk.catchUp()
    devnet.faucet(alice.base58, 90n)
    devnet.trigger(faucet, usdt20, 'addBlackList(address)', [alice.address20])
    devnet.trigger(faucet, usdt20, 'destroyBlackFunds(address)', [alice.address20])
    devnet.mine(solidDepth + 1)
    await desk.catchUp()
    expect(desk.total()).toBe(90n)
    expect(await tokenBalance(reader, usdt20, alice.address20)).toBe(0n)
  })

  it('balances and switches are read as of the solid block', async () => {
    const { devnet, reader } = await setUp()
    devnet.trigger(faucet, usdt20, 'pause()', [])
    devnet.trigger(faucet, usdt20, 'setParams(uint256,uint256)', [20n, 50n])
    devnet.mine(solidDepth)
    expect(await tokenSwitches(reader, usdt20)).toEqual({
      paused: false,
      successor: null,
      feeBasisPoints: 0n,
    })
    expect(await tokenSwitches(reader, usdt20, 'latest')).toMatchObject({ paused: true, feeBasisPoints: 20n })
    devnet.mine(1)
    expect(await tokenSwitches(reader, usdt20)).toMatchObject({ paused: true, feeBasisPoints: 20n })
  })
})
