/**
 * Several nodes that stand in for each other, in the order in which they are asked. One reader serves a whole pass of the
 * scanner: what two nodes say is never mixed. One that fails rests, longer each time in a row, and when its rest is over it
 * is asked again before those that come after it. That the next one is on the same chain, and not behind, the cursor proves.
 */
import { ReadError } from './read-error.ts'
import { type ChainReader, createReader, type ReaderOptions } from './reader.ts'

export interface Endpoint {
  /** For logs: its number and its host; the rest of an address may hold a key. */
  readonly name: string
  readonly reader: ChainReader
}

export interface Endpoints {
  readonly all: readonly Endpoint[]
  /** The first that does not rest; where all do, the one whose rest ends first. */
  pick(): Endpoint
  /**
   * It rests, at least as long as it asked for. Returns how long to wait before anybody is asked again: 0 where another one
   * is ready, null where nobody said.
   */
  failed(endpoint: Endpoint, askedMs: number | null): number | null
  worked(endpoint: Endpoint): void
  /** One question, put to one after the other until one answers. */
  ask<T>(question: (reader: ChainReader) => Promise<T>): Promise<T>
}

const restMs = { first: 30_000, longest: 600_000, longestAsked: 3_600_000 }

interface Rest {
  failures: number
  until: number
}

export function createEndpoints(nodes: readonly ReaderOptions[], now: () => number = Date.now): Endpoints {
  const all = nodes.map((node, index) => ({
    name: `${index + 1} (${new URL(node.url).hostname})`,
    reader: createReader(node),
  }))
  const rests = new Map<Endpoint, Rest>(all.map(each => [each, { failures: 0, until: 0 }]))
  const untilOf = (endpoint: Endpoint) => rests.get(endpoint)!.until
  const isReady = (endpoint: Endpoint) => untilOf(endpoint) <= now()
  const inOrder = () => [
    ...all.filter(isReady),
    ...all.filter(each => !isReady(each)).toSorted((a, b) => untilOf(a) - untilOf(b)),
  ]
  const failed: Endpoints['failed'] = (endpoint, askedMs) => {
    const rest = rests.get(endpoint)!
    const asked = askedMs === null ? null : Math.min(askedMs, restMs.longestAsked)
    const own = Math.min(restMs.first * 2 ** rest.failures, restMs.longest)
    rest.failures++
    rest.until = now() + Math.max(own, asked ?? 0)
    return all.some(isReady) ? 0 : asked
  }
  const worked: Endpoints['worked'] = endpoint => {
    rests.set(endpoint, { failures: 0, until: 0 })
  }

  return {
    all,
    pick: () => inOrder()[0]!,
    failed,
    worked,
    async ask(question) {
      let last: unknown
      for (const endpoint of inOrder()) {
        try {
          return await question(endpoint.reader)
        } catch (error) {
          if (!(error instanceof ReadError)) throw error
          last = error
          // What a customer asks about may be odd by itself: only an endpoint that does not answer has failed.
          if (error.failure === 'limited' || error.failure === 'unavailable') failed(endpoint, error.retryMs)
        }
      }
      throw last
    },
  }
}
