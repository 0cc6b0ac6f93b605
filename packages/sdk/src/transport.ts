/**
 * One HTTP call from one operation object, and errors as the class the server threw. No call has a time limit of its
 * own: `signal` ends it, also while a file is being read.
 */
import { errors, type ErrorCode, IngotError } from '@ingot/contracts/errors'
import { inQuery, type Operation, pathKeys } from '@ingot/contracts/operation'
import { received } from './received.ts'

export interface ClientOptions {
  /** Origin of the service, without a trailing slash. Empty in a browser on the same origin. */
  readonly baseUrl: string
  /** The bearer to send: an access token or an API key. Called before every request. */
  readonly token?: () => Promise<string | null> | string | null
  readonly fetch?: typeof fetch
}

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Names a write so that a retry cannot happen twice. Made up when absent. */
  readonly idempotencyKey?: string
}

/** Of a call that takes bytes. */
export interface UploadOptions extends CallOptions {
  /** Its length is known. */
  readonly body: Blob | Uint8Array<ArrayBuffer>
}

/** The answer's JSON, or its file. */
export async function call(
  options: ClientOptions,
  op: Operation,
  input: Record<string, unknown>,
  callOptions?: CallOptions | UploadOptions,
): Promise<unknown> {
  const response = await send(options, op, input, callOptions)
  if (response.ok && op.transport === 'bytes') return received(response)
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw toError(response.status, body)
  return body
}

async function send(
  options: ClientOptions,
  op: Operation,
  input: Record<string, unknown>,
  { signal, idempotencyKey, ...given }: CallOptions | UploadOptions = {},
): Promise<Response> {
  const inPath = new Set(pathKeys(op.path))
  const path = op.path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input[key])))
  const rest = Object.entries(input).filter(([key, value]) => !inPath.has(key) && value !== undefined)
  const hasBody = !inQuery(op)
  const bytes = 'body' in given ? given.body : undefined
  const query = hasBody
    ? ''
    : new URLSearchParams(rest.map(([key, value]): [string, string] => [key, String(value)])).toString()

  const accept = op.transport === 'bytes' ? '*/*' : 'application/json'
  const headers: Record<string, string> = { accept, ...(await authorization(options)) }
  if (hasBody) headers['content-type'] = 'application/json'
  if (bytes) headers['content-type'] = 'application/octet-stream'
  if (op.method !== 'GET') headers['idempotency-key'] = idempotencyKey ?? crypto.randomUUID()

  return (options.fetch ?? fetch)(options.baseUrl + path + (query && `?${query}`), {
    method: op.method,
    headers,
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : bytes,
    signal,
  })
}

export async function authorization(options: ClientOptions): Promise<Record<string, string>> {
  const token = await options.token?.()
  return token ? { authorization: `Bearer ${token}` } : {}
}

/** An answer that is not ours (a proxy's page, a cut connection) becomes `unavailable` or `internal`. */
export function toError(status: number, body: unknown): IngotError {
  const error = (
    body as {
      error?: { code?: string; message?: string; fields?: Record<string, string>; request_id?: string }
    } | null
  )?.error
  if (error?.code && error.code in errors) {
    return new IngotError(error.code as ErrorCode, {
      message: error.message,
      fields: error.fields,
      requestId: error.request_id,
    })
  }
  return new IngotError(status >= 502 && status <= 504 ? 'unavailable' : 'internal', {
    message: `Unexpected answer (HTTP ${status})`,
  })
}
