/** The first words with a keeper: a request, and its answer or none. */
import type { Duplex } from 'node:stream'
import {
  frameType,
  jsonFrame,
  maxReplyBytes,
  protocol,
  refusals,
  type Reply,
  type Request,
} from './frames.ts'
import { connectIn, type SocketName } from './listener.ts'

/** What the keeper answered first, the bytes that came with it, and the connection, paused. */
export interface Contact {
  readonly reply: Reply
  readonly rest: Buffer
  readonly socket: Duplex
}

/** Asks the keeper one thing; null when nothing answers in time. */
export function ask(
  folder: string,
  request: Request,
  patienceMs: number,
  name: SocketName = 'keeper.sock',
): Promise<Contact | null> {
  try {
    return askOn(connectIn(folder, name), request, patienceMs)
  } catch {
    return Promise.resolve(null)
  }
}

/** The same over a connection that is there. */
export function askOn(socket: Duplex, request: object, patienceMs: number): Promise<Contact | null> {
  return new Promise(resolve => {
    let head: Buffer = Buffer.alloc(0)
    const settle = (contact: Contact | null) => {
      clearTimeout(timer)
      socket.off('data', look).off('close', fail)
      if (!contact) socket.destroy()
      resolve(contact)
    }
    const fail = () => settle(null)
    const look = (chunk: Buffer) => {
      head = head.length > 0 ? Buffer.concat([head, chunk]) : chunk
      const end = head.indexOf(0x0a)
      if (end === -1 && head.length < maxReplyBytes) return
      socket.pause()
      const reply = end === -1 || end > maxReplyBytes ? null : parseReply(head.subarray(0, end))
      settle(reply && { reply, rest: head.subarray(end + 1), socket })
    }
    const timer = setTimeout(fail, patienceMs)
    // It matters that it ended, not why.
    socket.on('error', () => {})
    socket.on('close', fail)
    socket.on('data', look)
    socket.write(jsonFrame(frameType.request, request))
  })
}

function parseReply(line: Buffer): Reply | null {
  try {
    const reply = JSON.parse(line.toString()) as Reply
    const isKnown = reply.ok === true || (reply.ok === false && refusals.includes(reply.error))
    return reply.protocol === protocol && isKnown ? reply : null
  } catch {
    return null
  }
}
