/**
 * One HTTP exchange with a node: JSON comes back, or a ReadError. Nodes say "too busy" as status 200 with
 * `{"Error":…}`, "not here" as bare text, and load balancers in front of them add 403, 429 and 503; all of that is
 * told apart here. Messages name the call and the reason, never the address or the key of the endpoint.
 */
import { ReadError, type ReadFailure } from './read-error.ts'

export interface WireOptions {
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly apiKey: string | null
  readonly fetch: typeof fetch
}

/** `label` names the call in messages. With a body it is a POST. */
export type Wire = (url: string, label: string, body?: unknown) => Promise<unknown>

export function createWire(options: WireOptions): Wire {
  const headers: Record<string, string> = { accept: 'application/json', 'content-type': 'application/json' }
  if (options.apiKey) headers['tron-pro-api-key'] = options.apiKey
  return async (url, label, body) => {
    const { status, retryMs, text } = await exchange(options, headers, url, label, body)
    const failure = failureOfStatus(status)
    if (failure && !(status === 404 && /due to config/.test(text)))
      throw new ReadError(failure, `${label}: status ${status}`, retryMs)
    return readAnswer(label, text)
  }
}

async function exchange(
  options: WireOptions,
  headers: Record<string, string>,
  url: string,
  label: string,
  body: unknown,
): Promise<{ status: number; retryMs: number | null; text: string }> {
  try {
    const response = await options.fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(options.timeoutMs),
    })
    const text = await readText(response, options.maxBytes, label)
    return { status: response.status, retryMs: retryAfterMs(response.headers.get('retry-after')), text }
  } catch (error) {
    if (error instanceof ReadError) throw error
    throw new ReadError('unavailable', `${label}: ${networkReason(error)}`)
  }
}

async function readText(response: Response, maxBytes: number, label: string): Promise<string> {
  if (!response.body) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new ReadError('too_large', `${label}: more than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function failureOfStatus(status: number): ReadFailure | null {
  if (status === 200) return null
  // 403 is how TronGrid says that a key, or a caller without one, is suspended for a while.
  if (status === 429 || status === 403) return 'limited'
  if (status === 413) return 'too_large'
  return status >= 500 ? 'unavailable' : 'refused'
}

function readAnswer(label: string, text: string): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new ReadError(failureOfText(text) ?? 'malformed', `${label}: ${quote(text)}`)
  }
  if (typeof answer !== 'object' || answer === null)
    throw new ReadError(failureOfText(text) ?? 'malformed', `${label}: ${quote(text)}`)
  if ('Error' in answer) {
    const said = typeof answer.Error === 'string' ? answer.Error : JSON.stringify(answer.Error)
    throw new ReadError(failureOfText(said) ?? 'unavailable', `${label}: ${quote(said)}`)
  }
  return answer
}

/** What a node's own words mean, where they are known. */
export function failureOfText(text: string): ReadFailure | null {
  if (/lack of computing resources|frequency limit|rate limit|too many requests/i.test(text)) return 'limited'
  if (/this API is (closed|unavailable)|lite ?fullnode|due to config/i.test(text)) return 'unavailable'
  return null
}

function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError') return 'no answer in time'
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? `no answer (${String(cause.code)})` : 'no answer'
}

function retryAfterMs(header: string | null): number | null {
  return header && /^\d{1,5}$/.test(header) ? Number(header) * 1000 : null
}

/** A node's words, cut and cleaned for a log line. */
const quote = (text: string): string => JSON.stringify(text.slice(0, 120))
