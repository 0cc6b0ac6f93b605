/** A WebSocket to a port: the program in the machine decides whether it opens, then bytes pass both ways. */
import { type IncomingMessage, request as ask } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Admitted } from './admit.ts'
import { towardsMachine, towardsVisitor } from './headers.ts'
import { createMessageFinder } from './messages.ts'
import { type Notice, notices } from './notices.ts'
import type { Passes } from './pass.ts'
import type { Over } from './relay-request.ts'
import { freshly, Unreachable } from './upstream.ts'

/** Resolves when it is over, however it ends. */
export function relaySocket(
  { passes }: { readonly passes: Passes },
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { to, visitor, cookies, standing: { isPublic } }: Admitted,
  { over, onMessage }: { readonly over: Over; readonly onMessage: () => void },
): Promise<void> {
  const sent = [...towardsMachine(request, to.port, visitor), 'Connection', 'Upgrade', 'Upgrade', 'websocket']
  const outgoing = ask({ ...freshly(to), method: 'GET', path: request.url, headers: sent })
  const back = (answer: IncomingMessage) =>
    towardsVisitor(answer, {
      port: to.port,
      origin: visitor.origin,
      isPublic,
      isOurs: passes.isOurs,
      cookies,
    })

  outgoing.on('error', error =>
    refuse(
      socket,
      error instanceof Unreachable && error.isSilent ? notices.silent(to.port) : notices.broken(to.port),
    ),
  )
  outgoing.on('response', answer => {
    writeHead(socket, answer.statusCode!, answer.statusMessage ?? '', [
      ...back(answer),
      'Connection',
      'close',
    ])
    answer.on('error', () => socket.destroy())
    answer.pipe(socket)
  })
  outgoing.on('upgrade', (answer, stream, early) => {
    const end = () => {
      stream.destroy()
      socket.destroy()
    }
    if (answer.headers.upgrade?.toLowerCase() !== 'websocket') {
      stream.destroy()
      return refuse(socket, notices.broken(to.port))
    }
    writeHead(socket, 101, 'Switching Protocols', [
      ...back(answer),
      'Connection',
      'Upgrade',
      'Upgrade',
      'websocket',
    ])
    const find = createMessageFinder(onMessage)
    if (early.length > 0) socket.write(early)
    if (head.length > 0) {
      find(head)
      stream.write(head)
    }
    socket.on('data', find)
    for (const each of [stream, socket]) each.on('error', end).once('close', end)
    socket.pipe(stream).pipe(socket)
  })
  outgoing.end()
  return new Promise(resolve => {
    const end = () => {
      outgoing.destroy()
      socket.destroy()
    }
    over.onEnd = end
    socket.on('error', end)
    socket.once('close', () => {
      outgoing.destroy()
      resolve()
    })
    if (socket.destroyed) end()
  })
}

function writeHead(socket: Duplex, status: number, words: string, headers: readonly string[]): void {
  let text = `HTTP/1.1 ${status} ${words}\r\n`
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`
  socket.write(`${text}\r\n`, 'latin1')
}

export function refuse(socket: Duplex, { status, title, text }: Notice): void {
  if (socket.destroyed || !socket.writable) return
  const body = `${title}. ${text}\n`
  const length = String(Buffer.byteLength(body))
  writeHead(socket, status, title.replace(/[^\x20-\x7e]/g, '?'), [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Content-Length',
    length,
    'Cache-Control',
    'no-store',
    'Connection',
    'close',
  ])
  socket.end(body)
}
