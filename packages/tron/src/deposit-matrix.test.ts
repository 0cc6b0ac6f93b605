import { afterEach, describe, expect, it } from 'vitest'
import { toBase58 } from './address.ts'
import {
  alice,
  bob,
  closeAll,
  creditedByAll,
  faucet,
  keyOf,
  onChain,
  ours,
  payer,
  scenarios,
  setUp,
  solidDepth,
  spender,
  stranger,
  transfer,
} from './deposit-scenarios.ts'
import { fakeUsdt20, usdt20 } from './devnet/contracts.ts'
import { type FaultKind, faultKinds, seededRandom } from './devnet/faults.ts'

afterEach(closeAll)

describe.each(['logs', 'blocks'] as const)('by %s', method => {
  it.each(scenarios)('%s: what is credited is what arrived', async (_, run, credited) => {
    const { devnet, teller } = await setUp()
    const desk = teller({ method })
    await desk.catchUp()
    run(devnet)
    devnet.mine(solidDepth)
    await desk.catchUp()
    expect(desk.total()).toBe(0n)
    devnet.mine()
    await desk.catchUp()
    expect(desk.total()).toBe(credited)
    expect(onChain(devnet)).toBe(credited)
  })

  const plans: readonly FaultKind[] = [
    'error_200',
    'limited',
    'suspended',
    'unavailable',
    'lite',
    'unknown',
    'stale',
    'slow',
    'truncated',
    'dropped',
  ]
  it.each([...plans, 'all' as const])('under %s every payment is credited once', async plan => {
    const seed = 1000 + plans.indexOf(plan as FaultKind)
    const { devnet, teller } = await setUp({ seed }, { timeoutMs: plan === 'slow' ? 40 : 2000 })
    const desk = teller({ method, limits: { overlapBlocks: method === 'logs' ? 40 : 4 } })
    await desk.catchUp()
    const random = seededRandom(seed)
    const kinds = plan === 'all' ? plans.filter(kind => kind !== 'slow') : [plan]
    const chance = plan === 'all' ? 0.04 : plan === 'slow' ? 0.1 : 0.2
    for (const kind of kinds) devnet.faults.add({ kind, chance, ms: 80, blocks: 3 })
    for (const [, run] of scenarios) {
      run(devnet)
      devnet.mine(1 + Math.floor(random() * 6))
      await desk.pass()
    }
    devnet.mine(solidDepth + 1)
    await desk.catchUp({ to: devnet.head('solid').height })
    expect(desk.total()).toBe(creditedByAll)
    expect(desk.total()).toBe(onChain(devnet))
    for (const address of ours) expect(desk.totalOf(address)).toBe(devnet.balance(toBase58(address), 'solid'))
    const struck = [...devnet.faults.struck.values()].reduce((sum, times) => sum + times, 0)
    expect(struck).toBeGreaterThan(4)
    // Trouble is passing: nothing of it may look like a broken chain.
    expect([...desk.stops.keys()].filter(why => why === 'disputed' || why === 'discontinuity')).toEqual([])
  })

  it('what leaves our addresses is found under its own identity, and what anybody can fake is not', async () => {
    const { devnet, teller } = await setUp()
    const desk = teller({ method })
    await desk.catchUp()
    devnet.send(faucet, 'TransferContract', { to_address: alice.address20, amount: 10n ** 10n })
    transfer(devnet, payer, alice.address20, 100n)
    transfer(devnet, payer, bob.address20, 9n)
    devnet.mine(1)
    const away = transfer(devnet, keyOf(0), stranger.address20, 30n)
    // From one of ours to another: it leaves and arrives.
    const inside = transfer(devnet, keyOf(0), bob.address20, 11n)
    devnet.trigger(spender, usdt20, 'transferFrom(address,address,uint256)', [
      bob.address20,
      stranger.address20,
      0n,
    ])
    devnet.trigger(spender, usdt20, 'transferFrom(address,address,uint256)', [
      bob.address20,
      stranger.address20,
      5n,
    ])
    transfer(devnet, keyOf(0), stranger.address20, 7n, fakeUsdt20)
    devnet.mine(solidDepth)
    await desk.catchUp()
    expect(desk.sweeps.size).toBe(0)
    devnet.mine(2)
    await desk.catchUp()
    const found = [...desk.sweeps.values()].map(({ txid, from20, amount }) => [txid, from20, amount])
    expect(new Map(found.map(each => [each[0], each]))).toEqual(
      new Map([
        [away, [away, alice.address20, 30n]],
        [inside, [inside, alice.address20, 11n]],
      ]),
    )
    expect(desk.total()).toBe(120n)
    const swept = [...desk.sweeps.values()].reduce((sum, each) => sum + each.amount, 0n)
    expect(desk.total() - swept).toBe(onChain(devnet))
    expect(desk.stops.size).toBe(0)
  })

  it('a payment is credited once for every depth of reorganisation, or not at all when it is lost', async () => {
    const { devnet, teller } = await setUp()
    const desk = teller({ method })
    devnet.mine(solidDepth)
    await desk.catchUp()
    let expected = 0n
    for (let depth = 1; depth <= solidDepth; depth++) {
      for (const keepTransactions of [true, false]) {
        const amount = BigInt(depth * 10 + (keepTransactions ? 1 : 2))
        transfer(devnet, payer, alice.address20, amount)
        devnet.mine(depth)
        await desk.pass()
        devnet.reorg(depth, { keepTransactions })
        if (keepTransactions) expected += amount
        devnet.mine(solidDepth)
        await desk.catchUp()
      }
    }
    expect(desk.total()).toBe(expected)
    expect(onChain(devnet)).toBe(expected)
    expect(desk.stops.size).toBe(0)
  }, 15_000)

  it.each([11, 12, 13, 14, 15, 16])(
    'in any order of things (seed %i) the credits are what is on the chain',
    async seed => {
      const { devnet, teller } = await setUp({ seed })
      const desk = teller({ method, limits: { overlapBlocks: 6, maxTransactions: 4 } })
      // The transfers that fund the senders must not be lost on the way.
      devnet.mine(solidDepth)
      await desk.catchUp()
      const random = seededRandom(seed)
      const below = (bound: number) => Math.floor(random() * bound)
      const steps = [
        () => scenarios[below(scenarios.length)]![1](devnet),
        () => devnet.mine(1 + below(8)),
        () => desk.pass(),
        () => {
          const replaceable = devnet.head('latest').height - devnet.head('solid').height
          if (replaceable > 0) devnet.reorg(1 + below(replaceable), { keepTransactions: random() < 0.5 })
        },
        () => devnet.freezeSolid(random() < 0.3),
        () => devnet.faults.add({ kind: faultKinds[below(9)]!, chance: 0.3, ms: 1, blocks: 2, times: 3 }),
      ]
      for (let step = 0; step < 120; step++) await steps[below(steps.length)]!()
      devnet.freezeSolid(false)
      devnet.mine(solidDepth + 1)
      await desk.catchUp({ to: devnet.head('solid').height })
      for (const address of ours)
        expect(desk.totalOf(address)).toBe(devnet.balance(toBase58(address), 'solid'))
    },
  )

  it('what is read again is credited once', async () => {
    const { devnet, teller } = await setUp()
    const desk = teller({ method, isForgetful: true })
    await desk.catchUp()
    for (const [, run] of scenarios) {
      run(devnet)
      devnet.mine()
      await desk.catchUp()
    }
    devnet.mine(solidDepth + 1)
    await desk.catchUp()
    expect(desk.total()).toBe(creditedByAll)
  })

  it('what is read back never holds the cursor back, however much it is', async () => {
    const { devnet, teller } = await setUp()
    const desk = teller({ method, isForgetful: true, limits: { maxTransactions: 3 } })
    await desk.catchUp()
    for (let payment = 0; payment < 12; payment++) transfer(devnet, payer, alice.address20, 1n)
    devnet.mine(solidDepth + 1)
    await desk.catchUp()
    for (let payment = 0; payment < 8; payment++) {
      transfer(devnet, payer, alice.address20, 1n)
      devnet.mine()
    }
    devnet.mine(solidDepth)
    await desk.catchUp({ maxPasses: 10 })
    expect(desk.total()).toBe(20n)
  })

  it('a provider that fails often slows a busy pass down and does not stop it', async () => {
    const { devnet, teller } = await setUp({ seed: 7 })
    const desk = teller({ method, limits: { overlapBlocks: 1 } })
    await desk.catchUp()
    for (let payment = 0; payment < 40; payment++) {
      transfer(devnet, payer, alice.address20, 1n)
      devnet.mine()
    }
    devnet.mine(solidDepth + 1)
    devnet.faults.add({ kind: 'limited', chance: 0.2 })
    await desk.catchUp({ maxPasses: 60 })
    expect(desk.total()).toBe(40n)
  })

  it('an outage is made up for, payment by payment, in bounded passes', async () => {
    const { devnet, teller } = await setUp()
    const limits = { maxBlocks: 100, maxWholeBlocks: 100, maxTransactions: 5 }
    const desk = teller({ method, limits })
    await desk.catchUp()
    let paid = 0n
    for (let round = 0; round < 30; round++) {
      transfer(devnet, payer, ours[round % ours.length]!, BigInt(round + 1))
      paid += BigInt(round + 1)
      devnet.mine(round % 3 === 0 ? 0 : 11)
    }
    devnet.mine(solidDepth + 1)
    const steps: number[] = []
    for (let pass = 0; pass < 50 && desk.cursor()!.height < devnet.head('solid').height; pass++) {
      const result = await desk.pass()
      if (typeof result !== 'string') steps.push(result.cursor.height)
    }
    expect(desk.total()).toBe(paid)
    expect(steps.length).toBeGreaterThan(2)
    expect(steps).toEqual(steps.toSorted((a, b) => a - b))
    expect(new Set(steps).size).toBe(steps.length)
  })
})
