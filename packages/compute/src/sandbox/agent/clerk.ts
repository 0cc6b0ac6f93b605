/**
 * Answers for a stopped machine: what its keeper says of files and of the log, and nothing else. Or for a volume, and then
 * for what is below one folder alone. It can start no program, since it has no code for that. It ends by itself when nobody has asked it anything for a while.
 */
import { createServer, type Socket } from 'node:net'
import { protocol, type Reply, type Request, serveRequest } from '../wire/frames.ts'
import { beginInside, dropComplaints, listenFd } from './inside.ts'
import { sendLog } from './log.ts'
import { confineTo } from './open-files.ts'
import { type Peer, peerOf } from './peer.ts'
import { serveFiles } from './serve-files.ts'

const idleMs = 10_000
const maxConnections = 64

const { top } = beginInside<{ readonly top?: string }>('ingot-clerk')
if (top !== undefined) confineTo(top)
const connections = new Set<Socket>()
const endWhenIdle = () => setTimeout(() => process.exit(0), idleMs)
let idle = endWhenIdle()
createServer(serve).listen({ fd: listenFd }, dropComplaints)

function serve(socket: Socket): void {
  connections.add(socket)
  clearTimeout(idle)
  serveRequest(socket, request => {
    const peer = peerOf(socket)
    answer(socket, peer, request)
    return peer.take
  })
  socket.on('close', () => {
    connections.delete(socket)
    if (connections.size === 0) idle = endWhenIdle()
  })
}

function answer(socket: Socket, peer: Peer, request: Request): void {
  const welcome: Reply = { protocol, ok: true, known: true }
  if (request.kind === 'hello') socket.end(`${JSON.stringify(welcome)}\n`)
  else if (connections.size > maxConnections) peer.refuse('too_many')
  else if (request.kind === 'files') void serveFiles(peer, request.call)
  // Nothing is written any more.
  else if (request.kind === 'logs') void sendLog(peer, { ...request, follow: false }, null)
  else peer.refuse('failed')
}
