/**
 * One request to a port and its answer, passed on as they come: for as long as they take, as fast as whoever reads takes
 * them, and with no more of them in memory than the streams between hold.
 */
import { type ClientRequest, type IncomingMessage, request as ask, type ServerResponse } from 'node:http'
import type { Admitted } from './admit.ts'
import { towardsMachine, towardsVisitor } from './headers.ts'
import { notices, say } from './notices.ts'
import type { Passes } from './pass.ts'
import { freshly, Unreachable, type Upstreams } from './upstream.ts'

/** Whoever let it in has gone, or it has ended. One for each request: an `AbortController` costs several times as much. */
export class Over {
  isOver = false
  onEnd: () => void = () => {}
  end(): void {
    this.isOver = true
    this.onEnd()
  }
}

interface RelayNeeds {
  readonly upstreams: Upstreams
  readonly passes: Passes
}

/** Resolves when it is over, however it ends. `over`: it may go on no more. */
export function relayRequest(
  { upstreams, passes }: RelayNeeds,
  request: IncomingMessage,
  response: ServerResponse,
  { to, visitor, cookies, standing: { isPublic } }: Admitted,
  over: Over,
): Promise<void> {
  const { headers } = request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const sent = towardsMachine(request, to.port, visitor)
  if (headers['transfer-encoding'] !== undefined) sent.push('Transfer-Encoding', 'chunked')
  else if (!hasBody && !isRead(request) && headers['content-length'] === undefined)
    sent.push('Content-Length', '0')
  let outgoing: ClientRequest | null = null
  let answer: IncomingMessage | null = null

  function fail(error: Error): void {
    if (over.isOver || response.destroyed) return void response.destroy()
    // Half an answer must not pass for a whole one.
    if (response.headersSent) return void response.destroy()
    const isSilent = error instanceof Unreachable && error.isSilent
    say(request, response, isSilent ? notices.silent(to.port) : notices.broken(to.port))
  }
  function send(isAgain: boolean): void {
    // What changes something goes out once: never over a connection that may have been closed meanwhile.
    const isFresh = isAgain || hasBody || !isRead(request)
    const going = ask({
      ...(isFresh ? freshly(to) : { agent: upstreams.agent(to) }),
      method: request.method,
      path: request.url,
      headers: sent,
    })
    outgoing = going
    going.on('response', come)
    going.on('error', error => {
      if (answer === null && going.reusedSocket && !isAgain && !response.destroyed) return send(true)
      fail(error)
    })
    // A program that switches to something else was not asked to.
    going.on('upgrade', (_, stream) => {
      stream.destroy()
      fail(new Error('upgraded'))
    })
    if (hasBody) request.pipe(going)
    else going.end()
  }
  function come(incoming: IncomingMessage): void {
    answer = incoming
    const back = towardsVisitor(incoming, {
      port: to.port,
      origin: visitor.origin,
      isPublic,
      isOurs: passes.isOurs,
      cookies,
    })
    response.writeHead(incoming.statusCode!, incoming.statusMessage, back)
    let hasBegun = false
    incoming.on('data', part => {
      hasBegun = true
      if (!response.write(part)) incoming.pause()
    })
    response.on('drain', () => incoming.resume())
    incoming.once('end', () => response.end())
    incoming.once('error', fail)
    // The head of a stream of events comes before its first event.
    setImmediate(() => {
      if (!hasBegun && !response.writableEnded && !response.destroyed) response.flushHeaders()
    })
  }

  return new Promise(resolve => {
    const end = () => {
      response.destroy()
      outgoing?.destroy()
    }
    over.onEnd = end
    response.on('error', () => {})
    response.once('close', () => {
      if (!answer?.complete) outgoing?.destroy()
      else if (hasBody && !request.complete) outgoing?.destroy()
      resolve()
    })
    try {
      send(false)
    } catch {
      say(request, response, notices.bad)
    }
  })
}

export const isRead = ({ method }: IncomingMessage): boolean =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
