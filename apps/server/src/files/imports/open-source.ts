/**
 * Asks an https address for its bytes, from a place on if it can. A name is resolved once for each address that is asked,
 * all that it leads to must be public, and the connection goes to one of those; the certificate is held against the name.
 * Nothing that came is decoded, no cookie is kept, and what an address leads on to is looked at as the first one was.
 */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { isPublic } from './addresses.ts'
import type { Outside } from './outside.ts'
import { hostOf, notPublic, readUrl } from './read-url.ts'

/** Words for the customer. `isFinal`: asking again would change nothing. */
export class SourceFailure extends Error {
  readonly isFinal: boolean
  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}

export interface Source {
  /** Where its first byte belongs: 0 also where a part was asked for and is not to be had. */
  readonly from: number
  /** Of the whole file; null: it does not say. */
  readonly total: number | null
  /** What it calls this state of the file; null: it has no name that can be relied on. */
  readonly tag: string | null
  readonly body: IncomingMessage
}

const httpsPort = 443
const mostRedirects = 5
const connectMs = 10_000
const idleMs = 60_000
/** Of a name that has many. */
const mostAddresses = 4
const maxTag = 1_000

export async function openSource(
  outside: Outside,
  first: URL,
  { from, tag, signal }: { from: number; tag: string | null; signal: AbortSignal },
): Promise<Source> {
  let url = first
  for (let redirects = 0; ; redirects++) {
    const asked = from > 0 && tag !== null ? { from, tag } : null
    const answer = await ask(outside, url, asked, signal)
    const next = redirectOf(answer, url)
    if (!next) {
      const source = read(answer, url, asked)
      if (source) return source
      // The part that was asked for is not to be had of it.
      answer.destroy()
      return openSource(outside, first, { from: 0, tag: null, signal })
    }
    answer.destroy()
    if (redirects === mostRedirects)
      throw new SourceFailure(`This address leads on more than ${mostRedirects} times.`, true)
    url = next
  }
}

function redirectOf({ statusCode, headers: { location } }: IncomingMessage, url: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(statusCode ?? 0) || location === undefined) return null
  const next = readUrl(location, url)
  if ('why' in next) throw new SourceFailure(`${hostOf(url)} leads on to another address. ${next.why}`, true)
  return next.url
}

/** Null: not from there on. */
function read(
  answer: IncomingMessage,
  url: URL,
  asked: { readonly from: number; readonly tag: string } | null,
): Source | null {
  const { statusCode: status = 0, headers } = answer
  // A weak one is the same for what differs in its bytes.
  const tag = headers.etag !== undefined && /^"[^"]*"$/.test(headers.etag) ? headers.etag : null
  const known = tag !== null && tag.length <= maxTag ? tag : null
  if (status === 200) return { from: 0, total: numberOf(headers['content-length']), tag: known, body: answer }
  if (asked && status === 206) {
    const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
    if (Number(start) !== asked.from) return null
    return { from: asked.from, total: numberOf(total), tag: asked.tag, body: answer }
  }
  if (asked && status === 416) return null
  answer.destroy()
  const mayPass = status >= 500 || status === 408 || status === 425 || status === 429
  throw new SourceFailure(`${hostOf(url)} answers ${status}.`, !mayPass)
}

const numberOf = (text: string | undefined): number | null => {
  const number = text !== undefined && /^\d{1,16}$/.test(text) ? Number(text) : NaN
  return Number.isSafeInteger(number) ? number : null
}

async function ask(
  outside: Outside,
  url: URL,
  part: { readonly from: number; readonly tag: string } | null,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = hostOf(url)
  const socket = await secured(outside, host, await connected(outside, host, signal), signal)
  const asking: ClientRequest = request({
    createConnection: () => socket,
    host,
    path: url.pathname + url.search,
    headers: {
      host: url.host,
      'user-agent': 'ingot-import',
      accept: '*/*',
      'accept-encoding': 'identity',
      connection: 'close',
      ...(part ? { range: `bytes=${part.from}-`, 'if-range': part.tag } : {}),
    },
    signal,
  })
  asking.setTimeout(idleMs, () =>
    asking.destroy(new SourceFailure(`${host} has sent nothing for ${idleMs / 1000} seconds.`, false)),
  )
  asking.end()
  const [answer] = (await once(asking, 'response').catch(error => {
    signal.throwIfAborted()
    throw error instanceof SourceFailure ? error : silent(host, error)
  })) as [IncomingMessage]
  // Errors of its body are told to whoever reads it.
  asking.on('error', error => answer.destroy(error))
  return answer
}

const silent = (host: string, cause?: unknown): SourceFailure =>
  Object.assign(new SourceFailure(`${host} does not answer.`, false), { cause })

/** All that the name leads to is looked at before anything is connected. */
async function addressesOf(outside: Outside, host: string): Promise<readonly string[]> {
  const found = isIP(host) ? [host] : await outside.resolve(host).catch(() => [])
  if (found.length === 0) throw new SourceFailure(`${host} has no address.`, false)
  if (!found.every(isPublic)) throw new SourceFailure(notPublic, true)
  return found.slice(0, mostAddresses)
}

async function connected(outside: Outside, host: string, signal: AbortSignal): Promise<Socket> {
  for (const address of await addressesOf(outside, host)) {
    signal.throwIfAborted()
    // What is wrong with it is told below, or by what is laid over it.
    const socket = outside.connect(address, httpsPort).on('error', () => {})
    try {
      await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(connectMs)]) })
      return socket
    } catch {
      socket.destroy()
    }
  }
  signal.throwIfAborted()
  throw silent(host)
}

async function secured(
  outside: Outside,
  host: string,
  socket: Socket,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    // The certificate is held against it. An address is no name to ask for.
    ...(isIP(host) ? { host } : { host, servername: host }),
    ...(outside.ca === null ? {} : { ca: outside.ca }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  })
  try {
    await once(secure, 'secureConnect', {
      signal: AbortSignal.any([signal, AbortSignal.timeout(connectMs)]),
    })
    return secure
  } catch (error) {
    secure.on('error', () => {}).destroy()
    signal.throwIfAborted()
    // Node has looked at it before it says so.
    if (secure.authorizationError) throw new SourceFailure(`The certificate of ${host} is not valid.`, true)
    throw silent(host, error)
  }
}
