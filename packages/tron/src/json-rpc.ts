/**
 * JSON-RPC in batches. A batch is one HTTP request, so one node answers all of it: that is how an answer that proves
 * nothing by itself (an empty list of logs) is bound to one that does (the id of the block it reaches to). Nodes
 * take at least 100 calls a batch; ours have at most five.
 */
import { isJson, json } from './answers.ts'
import { ReadError, type ReadFailure } from './read-error.ts'
import { type Wire, failureOfText } from './wire.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** Results in the order of the calls. An error in any of them fails the batch. */
export function createRpc(
  wire: Wire,
  url: string,
): (calls: readonly RpcCall[]) => Promise<readonly unknown[]> {
  return async calls => {
    const label = `jsonrpc ${calls.map(call => call.method).join('+')}`
    const batch = calls.map(({ method, params }, index) => ({
      jsonrpc: '2.0',
      id: index + 1,
      method,
      params,
    }))
    const answer = await wire(url, label, batch)
    // A single object instead of a list is the endpoint's word on the batch as a whole.
    if (!Array.isArray(answer)) throw errorOf(label, json(answer, 'JSON-RPC answer').error)
    const results = new Map<unknown, unknown>()
    for (const each of answer) {
      const reply = json(each, 'JSON-RPC answer')
      if (reply.error !== undefined && reply.error !== null) throw errorOf(label, reply.error)
      if (!('result' in reply)) throw new ReadError('malformed', `${label}: neither result nor error`)
      results.set(reply.id, reply.result)
    }
    return batch.map(({ id }) => {
      if (!results.has(id)) throw new ReadError('malformed', `${label}: an answer is missing`)
      return results.get(id)
    })
  }
}

function errorOf(label: string, error: unknown): ReadError {
  if (!isJson(error)) return new ReadError('refused', `${label}: this endpoint takes no batches`)
  const message = typeof error.message === 'string' ? error.message : ''
  return new ReadError(failureOf(error.code, message), `${label}: ${JSON.stringify(message.slice(0, 120))}`)
}

function failureOf(code: unknown, message: string): ReadFailure {
  const known = failureOfText(message)
  if (known) return known
  // −32005: too many results. −32003: the response would exceed the node's own bound.
  if (code === -32005 || code === -32003 || /exceed max|more than \d+ results/i.test(message))
    return 'too_large'
  return code === -32000 || code === -32603 ? 'unavailable' : 'refused'
}
