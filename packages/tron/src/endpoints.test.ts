/** Nodes that stand in for each other: which is asked, for how long another rests, and that no answer is ever mixed. */
import { afterEach, describe, expect, it } from 'vitest'
import { alice, closeAll, ours, payer, setUp, solidDepth, transfer } from './deposit-scenarios.ts'
import { usdt20 } from './devnet/contracts.ts'
import { type FaultKind, seededRandom } from './devnet/faults.ts'
import { createEndpoints, type Endpoint } from './endpoints.ts'
import { ReadError } from './read-error.ts'
import { scan } from './scan.ts'
import { watchedOf } from './teller.ts'
import type { BlockRef } from './answers.ts'

afterEach(closeAll)

const node = (name: string) => ({ url: `http://${name}.example.com` })
const names = (endpoints: readonly Endpoint[]) => endpoints.map(each => each.name)

describe('which endpoint is asked', () => {
  it('is the first, and while that one rests the next; longer after each failure in a row, and never for ever', () => {
    let now = 0
    const endpoints = createEndpoints([node('a'), node('b')], () => now)
    const [a, b] = endpoints.all as [Endpoint, Endpoint]
    expect(names(endpoints.all)).toEqual(['1 (a.example.com)', '2 (b.example.com)'])
    expect(endpoints.pick()).toBe(a)
    const rests: number[] = []
    for (let failure = 0; failure < 8; failure++) {
      expect(endpoints.failed(a, null)).toBe(0)
      const from = now
      while (endpoints.pick() === b) now += 1_000
      rests.push((now - from) / 1_000)
    }
    expect(rests).toEqual([30, 60, 120, 240, 480, 600, 600, 600])
    endpoints.worked(a)
    endpoints.failed(a, null)
    now += 30_000
    expect(endpoints.pick()).toBe(a)
  })

  it('is, where all rest, the one whose rest ends first; a provider that asks for patience gets it, up to an hour', () => {
    let now = 0
    const endpoints = createEndpoints([node('a'), node('b')], () => now)
    const [a, b] = endpoints.all as [Endpoint, Endpoint]
    expect(endpoints.failed(a, 90_000)).toBe(0)
    expect(endpoints.failed(b, null)).toBe(null)
    expect(endpoints.pick()).toBe(b)
    now = 89_000
    expect(endpoints.failed(b, 10 * 86_400_000)).toBe(3_600_000)
    expect(endpoints.pick()).toBe(a)
    const alone = createEndpoints([node('a')], () => now)
    expect(alone.failed(alone.pick(), null)).toBe(null)
    expect(alone.failed(alone.pick(), 5_000)).toBe(5_000)
    expect(alone.pick()).toBe(alone.all[0])
  })

  it('for one question: each in turn until one answers; only one that does not answer is given a rest', async () => {
    const endpoints = createEndpoints([node('a'), node('b')])
    const [a, b] = endpoints.all as [Endpoint, Endpoint]
    const failing = (why: 'malformed' | 'unavailable') =>
      endpoints.ask(async reader => {
        if (reader === a.reader) throw new ReadError(why, 'no')
        return 'b'
      })
    expect(await failing('malformed')).toBe('b')
    expect(endpoints.pick()).toBe(a)
    expect(await failing('unavailable')).toBe('b')
    expect(endpoints.pick()).toBe(b)
    const none = endpoints.ask(() => Promise.reject(new ReadError('limited', 'none')))
    await expect(none).rejects.toThrow('none')
    await expect(endpoints.ask(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow(TypeError)
  })
})

/** A scanner over several endpoints, as the server runs it; its clock is the test's. */
function scannerOf(urls: readonly string[]) {
  let now = 0
  const endpoints = createEndpoints(
    urls.map(url => ({ url, timeoutMs: 2_000 })),
    () => now,
  )
  const credits = new Map<string, bigint>()
  const passes: string[] = []
  let cursor: BlockRef | null = null
  return {
    passes,
    wait: (ms: number) => void (now += ms),
    total: () => [...credits.values()].reduce((sum, each) => sum + each, 0n),
    cursor: () => cursor,
    async pass() {
      now += 4_000
      const endpoint = endpoints.pick()
      const result = await scan({
        reader: endpoint.reader,
        cursor,
        contract: usdt20,
        watched: watchedOf(new Set(ours)),
      })
      passes.push(`${endpoint.name[0]} ${result.kind === 'stopped' ? result.why : 'scanned'}`)
      if (result.kind === 'stopped') return void endpoints.failed(endpoint, result.retryMs)
      endpoints.worked(endpoint)
      for (const hit of result.hits) credits.set(`${hit.txid}:${hit.position}`, hit.amount)
      cursor = result.cursor
    },
  }
}

describe('a scanner with several endpoints', () => {
  const kinds: readonly [FaultKind | 'down', RegExp][] = [
    ['down', /unavailable/],
    ['limited', /limited/],
    ['error_200', /limited/],
    ['lite', /unavailable/],
    ['suspended', /limited/],
    ['truncated', /malformed/],
    ['stale', /lagging/],
    ['unknown', /malformed/],
  ]
  it.each(kinds)('goes on with the next when the first is %s, and returns to it', async (kind, why) => {
    const { devnet, url } = await setUp()
    const other = await devnet.addNode()
    // A port at which nobody listens: the first is there again when it is `other`'s.
    const first = kind === 'down' ? await devnet.addNode() : null
    const scanner = scannerOf([first?.url ?? url, other.url])
    await scanner.pass()
    transfer(devnet, payer, alice.address20, 25n)
    devnet.mine(solidDepth + 1)
    await scanner.pass()
    transfer(devnet, payer, alice.address20, 7n)
    devnet.mine(solidDepth + 1)
    if (kind === 'down') await first!.stop()
    else devnet.faults.add({ kind, blocks: 60 })
    await scanner.pass()
    await scanner.pass()
    expect(scanner.passes).toEqual(['1 scanned', '1 scanned', expect.stringMatching(why), '2 scanned'])
    expect(scanner.total()).toBe(32n)
    devnet.faults.clear()
    scanner.wait(30_000)
    await scanner.pass()
    expect(scanner.passes.at(-1)![0]).toBe('1')
  })

  it('takes a node that is behind the cursor for one that is behind, never for one that saw nothing', async () => {
    const { devnet, url } = await setUp()
    const late = await devnet.addNode()
    const scanner = scannerOf([url, late.url])
    await scanner.pass()
    transfer(devnet, payer, alice.address20, 25n)
    devnet.mine(30)
    await scanner.pass()
    late.faults.add({ kind: 'stale', blocks: 10 })
    devnet.faults.add({ kind: 'unavailable' })
    const before = scanner.cursor()
    for (let pass = 0; pass < 4; pass++) await scanner.pass()
    expect(new Set(scanner.passes.slice(2))).toEqual(new Set(['1 unavailable', '2 lagging']))
    expect(scanner.cursor()).toEqual(before)
  })

  it('never takes a block from another chain', async () => {
    const { devnet, url } = await setUp()
    const stranger = await setUp({ now: () => Date.now() + 5_000 })
    const scanner = scannerOf([url, stranger.url])
    await scanner.pass()
    devnet.faults.add({ kind: 'unavailable' })
    transfer(stranger.devnet, payer, alice.address20, 1_000n)
    stranger.devnet.mine(solidDepth + 5)
    for (let pass = 0; pass < 3; pass++) await scanner.pass()
    expect(scanner.passes.filter(each => each.startsWith('2'))).toContain('2 discontinuity')
    expect(scanner.passes).not.toContain('2 scanned')
    expect(scanner.total()).toBe(0n)
    devnet.faults.clear()
    scanner.wait(600_000)
    transfer(devnet, payer, alice.address20, 9n)
    devnet.mine(solidDepth + 1)
    await scanner.pass()
    expect(scanner.total()).toBe(9n)
  })

  it.each([1, 2, 3])('credits each payment once whatever fails where, and when (seed %i)', async seed => {
    const { devnet, url } = await setUp({ seed })
    const nodes = [devnet, await devnet.addNode(), await devnet.addNode()]
    const scanner = scannerOf([url, ...nodes.slice(1).map(each => (each as { url: string }).url)])
    const random = seededRandom(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    await scanner.pass()
    let paid = 0n
    for (let step = 0; step < 60; step++) {
      const { faults } = nodes[below(nodes.length)]!
      if (random() < 0.4)
        faults.add({
          kind: kinds[1 + below(7)]![0] as FaultKind,
          chance: 0.5,
          blocks: 1 + below(40),
          times: 6,
        })
      transfer(devnet, payer, alice.address20, BigInt(step + 1))
      paid += BigInt(step + 1)
      devnet.mine(1 + below(9))
      await scanner.pass()
    }
    for (const { faults } of nodes) faults.clear()
    devnet.mine(solidDepth + 1)
    scanner.wait(600_000)
    for (let pass = 0; pass < 3; pass++) await scanner.pass()
    expect(scanner.total()).toBe(paid)
    expect(scanner.passes.filter(each => /discontinuity|disputed/.test(each))).toEqual([])
    expect(new Set(scanner.passes.map(each => each[0])).size).toBe(3)
  })
})
