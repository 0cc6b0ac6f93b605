import { describe, expect, it } from 'vitest'
import { ReadError, type ReadFailure } from './read-error.ts'
import { createReader } from './reader.ts'

const txid = 'ab'.repeat(32)

/** A node that gives the same answer to everything. */
function readerOf(text: string, status = 200, headers: Record<string, string> = {}) {
  return createReader({ url: 'http://node', fetch: async () => new Response(text, { status, headers }) })
}

async function failureOf(run: Promise<unknown>): Promise<ReadError> {
  try {
    await run
  } catch (error) {
    if (error instanceof ReadError) return error
    throw error
  }
  throw new Error('taken for data')
}

const busy = '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}'
const lite = 'this API is closed because this node is a lite fullnode'

describe('an answer that is no data is never taken for data', () => {
  const cases: readonly [what: string, text: string, status: number, failure: ReadFailure][] = [
    ['the rate limiter’s status 200', busy, 200, 'limited'],
    ['the key’s limit', '{"Error":"The key exceeds the frequency limit(15)"}', 200, 'limited'],
    ['429', '{}', 429, 'limited'],
    ['403, a suspended key', '{}', 403, 'limited'],
    ['401', '{}', 401, 'refused'],
    ['503', '<html>', 503, 'unavailable'],
    ['502 with JSON', '{}', 502, 'unavailable'],
    ['413', '', 413, 'too_large'],
    ['404 of an unknown path', '<html>', 404, 'refused'],
    ['404 of a closed one', '{"Error":"this API is unavailable due to config"}', 404, 'unavailable'],
    ['a lite node’s bare text', lite, 200, 'unavailable'],
    ['a lite node’s text in quotes', JSON.stringify(lite), 200, 'unavailable'],
    ['an unknown exception', '{"Error":"class java.lang.NullPointerException : null"}', 200, 'unavailable'],
    ['half a document', '{"id":"ab', 200, 'malformed'],
    ['nothing', '', 200, 'malformed'],
    ['a number', '7', 200, 'malformed'],
    ['null', 'null', 200, 'malformed'],
    ['a page', '<html>captcha</html>', 200, 'malformed'],
    ['a list', '[]', 200, 'malformed'],
    ['an info without its height', `{"id":"${txid}"}`, 200, 'malformed'],
    ['another transaction’s info', `{"id":"${'cd'.repeat(32)}","blockNumber":1}`, 200, 'malformed'],
  ]
  it.each(cases)('%s', async (_, text, status, failure) => {
    expect((await failureOf(readerOf(text, status).facts(txid, 'solid'))).failure).toBe(failure)
  })

  it('an empty object is "unknown", for one transaction and only there', async () => {
    expect(await readerOf('{}').facts(txid, 'solid')).toBeNull()
    expect(await readerOf('{}').block(5, 'solid')).toBeNull()
    expect((await failureOf(readerOf('{}').head('solid'))).failure).toBe('malformed')
    expect((await failureOf(readerOf('{}').blocks(1, 2))).failure).toBe('lagging')
  })

  it('a block whose id does not carry its height is refused', async () => {
    const id = `${'9'.padStart(16, '0')}${'a'.repeat(48)}`
    const raw = { number: 8, parentHash: 'b'.repeat(64), timestamp: 1 }
    const text = JSON.stringify({ blockID: id, block_header: { raw_data: raw } })
    expect((await failureOf(readerOf(text).head('latest'))).failure).toBe('malformed')
  })

  it('the head is asked by its header alone, and whole where a node knows no other way', async () => {
    const id = `${'9'.padStart(16, '0')}${'a'.repeat(48)}`
    const block = {
      blockID: id,
      block_header: { raw_data: { number: 9, timestamp: 5 } },
      transactions: ['unread'],
    }
    const asked: string[] = []
    const nodeWith = (known: RegExp) =>
      createReader({
        url: 'http://node',
        fetch: async url => {
          asked.push(String(url).slice(12))
          return known.test(String(url)) ? Response.json(block) : new Response('', { status: 404 })
        },
      })
    expect(await nodeWith(/getblock$/).head('solid')).toEqual({ height: 9, blockId: id, timeMs: 5 })
    expect(await nodeWith(/getnowblock/).head('latest')).toEqual({ height: 9, blockId: id, timeMs: 5 })
    expect(asked).toEqual(['walletsolidity/getblock', 'wallet/getblock', 'wallet/getnowblock'])
  })

  it('a connection that fails, or is silent too long, is unavailable', async () => {
    const dead = createReader({ url: 'http://127.0.0.1:9' })
    expect((await failureOf(dead.head('solid'))).failure).toBe('unavailable')
    const silent = createReader({
      url: 'http://node',
      timeoutMs: 10,
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error))
        }),
    })
    const failure = await failureOf(silent.head('solid'))
    expect(failure.failure).toBe('unavailable')
    expect(failure.message).toContain('in time')
  })

  it('an answer without end is cut off', async () => {
    const body = `{"a":"${'x'.repeat(5000)}"}`
    const reader = createReader({ url: 'http://node', maxBytes: 1000, fetch: async () => new Response(body) })
    expect((await failureOf(reader.head('solid'))).failure).toBe('too_large')
  })

  it('says how long the provider asked to wait', async () => {
    const failure = await failureOf(readerOf('', 429, { 'retry-after': '30' }).head('solid'))
    expect(failure.retryMs).toBe(30_000)
  })
})

describe('JSON-RPC', () => {
  const calls = [
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_chainId', params: [] },
  ]
  const cases: readonly [what: string, answer: unknown, failure: ReadFailure][] = [
    [
      'too many results',
      [{ id: 1, error: { code: -32005, message: 'query returned more than' } }],
      'too_large',
    ],
    [
      'too wide a range',
      [{ id: 1, error: { code: -32602, message: 'exceed max block range: 5000' } }],
      'too_large',
    ],
    ['too large a response', { id: null, error: { code: -32003, message: 'too large' } }, 'too_large'],
    ['an unknown method', [{ id: 1, error: { code: -32601, message: 'not available' } }], 'refused'],
    ['a busy node', [{ id: 1, error: { code: -32000, message: 'lack of computing resources' } }], 'limited'],
    ['an internal error', [{ id: 1, error: { code: -32603, message: 'null' } }], 'unavailable'],
    ['no batches', { jsonrpc: '2.0', id: 1, result: '0x1' }, 'refused'],
    ['half of the answers', [{ id: 1, result: '0x1' }], 'malformed'],
    ['an answer without result', [{ id: 1 }, { id: 2, result: '0x1' }], 'malformed'],
  ]
  it.each(cases)('%s', async (_, answer, failure) => {
    expect((await failureOf(readerOf(JSON.stringify(answer)).rpc(calls))).failure).toBe(failure)
  })

  it('puts answers in the order of the calls', async () => {
    const reader = readerOf('[{"id":2,"result":"second"},{"id":1,"result":"first"}]')
    expect(await reader.rpc(calls)).toEqual(['first', 'second'])
  })
})

describe('what is sent', () => {
  it('the key goes in its header, to the host of its endpoint alone, never in a message', async () => {
    const sent: [url: string, key: string | null][] = []
    const reader = createReader({
      url: 'http://node/',
      solidUrl: 'http://node:8091',
      jsonRpcUrl: 'http://rpc/jsonrpc',
      apiKey: 'secret-key',
      fetch: async (url, init) => {
        sent.push([String(url), new Headers(init?.headers).get('tron-pro-api-key')])
        return new Response(busy)
      },
    })
    for (const run of [
      reader.head('latest'),
      reader.head('solid'),
      reader.rpc([{ method: 'eth_x', params: [] }]),
    ])
      expect((await failureOf(run)).message).not.toMatch(/secret-key|http/)
    expect(sent).toEqual([
      ['http://node/wallet/getblock', 'secret-key'],
      ['http://node:8091/walletsolidity/getblock', 'secret-key'],
      ['http://rpc/jsonrpc', null],
    ])
  })
})
