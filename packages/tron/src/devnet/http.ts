/** The devnet's HTTP side: routes a request, lets the fault plan strike, and answers as a node would. */
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type Json, isJson } from '../answers.ts'
import type { FaultRule, Faults } from './faults.ts'
import { accountTransfers, transactionEvents } from './grid-api.ts'
import { type RpcBounds, answerRpc } from './json-rpc-api.ts'
import type { Node } from './node.ts'
import { numbersAsText } from './present.ts'
import { NodeError, type Sight, walletHandlers } from './wallet-api.ts'

export interface HttpOptions {
  readonly node: Node
  readonly faults: Faults
  readonly bounds: RpcBounds
}

const largestBody = 1024 * 1024
const busy = { Error: 'class java.lang.IllegalAccessException : lack of computing resources' }
const liteText = 'this API is closed because this node is a lite fullnode'

interface Answer {
  readonly status: number
  readonly text: string
}

export function createHttpServer(options: HttpOptions): Server {
  return createServer((request, response) => {
    respond(options, request, response).catch(() => response.destroy())
  })
}

async function respond(
  options: HttpOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://devnet')
  const path = url.pathname.replace(/^\/+|\/+$/g, '')
  const body = parseBody(await readBody(request))
  const fault = options.faults.strike(path === 'jsonrpc' ? `jsonrpc ${methodsOf(body)}` : path)
  if (fault?.kind === 'dropped') return void response.destroy()
  if (fault?.kind === 'slow') await delay(fault.ms ?? 1000)
  const { status, text } = faultyAnswer(fault) ?? answer(options, fault, path, url.searchParams, body)
  const sent = fault?.kind === 'truncated' ? text.slice(0, Math.max(1, text.length >> 1)) : text
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(sent),
  })
  response.end(sent)
}

function faultyAnswer(fault: FaultRule | null): Answer | null {
  switch (fault?.kind) {
    case 'error_200':
      return ok(busy)
    case 'limited':
      return { status: 429, text: JSON.stringify({ Error: 'The key exceeds the frequency limit(15)' }) }
    case 'suspended':
      return { status: 403, text: 'Exceed the user daily usage' }
    case 'unavailable':
      return { status: 503, text: '<html>503 Service Temporarily Unavailable</html>' }
    case 'lite':
      return { status: 200, text: liteText }
    default:
      return null
  }
}

function answer(
  options: HttpOptions,
  fault: FaultRule | null,
  path: string,
  query: URLSearchParams,
  body: unknown,
): Answer {
  const sight = sightOf(options.node, fault)
  if (path === 'jsonrpc') {
    const { bounds } = options
    const isBlank = fault?.kind === 'unknown'
    return ok(answerRpc({ ...sight, bounds, isBlank, isIndexMissing: fault?.kind === 'no_index' }, body))
  }
  const [root, method, ...rest] = path.split('/')
  if (root === 'v1') return ok(gridAnswer(sight, [method ?? '', ...rest], query))
  const view = root === 'walletsolidity' ? 'solid' : root === 'wallet' ? 'latest' : null
  const handler = view && walletHandlers[view][(method ?? '').toLowerCase()]
  if (!view || !handler || rest.length > 0) return { status: 404, text: '<html>404 Not Found</html>' }
  if (fault?.kind === 'unknown') return ok({})
  const params: Json = { ...Object.fromEntries(query), ...(isJson(body) ? body : {}) }
  const answered = tolerant(() => handler({ ...sight, view, params }))
  // Only the query can ask for it: on real nodes another parser reads the body.
  return ok(query.get('int64_as_string') === 'true' ? numbersAsText(answered) : answered)
}

const ok = (value: unknown): Answer => ({ status: 200, text: JSON.stringify(value) })

function sightOf(node: Node, fault: FaultRule | null): Sight {
  const behind = fault?.kind === 'stale' ? (fault.blocks ?? 20) : 0
  const { chain } = node
  return {
    node,
    head: Math.max(0, chain.head().height - behind),
    solid: Math.max(0, chain.solidHeight() - behind),
  }
}

function gridAnswer(sight: Sight, path: readonly string[], query: URLSearchParams): unknown {
  const [kind, id, ...rest] = path
  if (kind === 'accounts' && id && rest.join('/') === 'transactions/trc20')
    return tolerant(() => accountTransfers(sight, id, query))
  if (kind === 'transactions' && id && rest.join('/') === 'events') return transactionEvents(sight, id)
  return { success: false, error: 'not found' }
}

/** A node answers 200 and an `Error`, whatever a client sends. */
function tolerant(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (error instanceof NodeError) return { Error: error.message }
    if (error instanceof RangeError || error instanceof SyntaxError)
      return { Error: `class java.lang.IllegalArgumentException : ${error.message}` }
    throw error
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += part.length
    if (bytes > largestBody) throw new Error('the body is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parseBody(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function methodsOf(body: unknown): string {
  const calls = Array.isArray(body) ? body : [body]
  return calls.map(call => (isJson(call) ? String(call.method) : '')).join('+')
}
