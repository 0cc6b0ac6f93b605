/**
 * The keeper's end of a channel. It reads on whatever happens, so that it sees when the control plane has gone; input
 * is acknowledged in steps as it is taken, and the control plane sends no more than a window ahead.
 */
import { type Duplex, Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import {
  ackBytes,
  ackFrame,
  frame,
  type FrameType,
  frameType,
  jsonFrame,
  protocol,
  type Reply,
  writeFrame,
} from '../wire/frames.ts'

export interface Peer {
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable
  /** Is called with a small frame: a change of size or a signal. */
  onFrame: (type: FrameType, payload: Buffer) => void
  /** The control plane has let go, or has gone. */
  readonly closed: AbortSignal
  /** Says that it goes on. Nothing else may be said before. */
  accept(): void
  refuse(error: Extract<Reply, { ok: false }>['error']): void
  /** No more output comes. */
  end(): void
  /** The last word, after all output. */
  finish(result: object): Promise<void>
  /** What came down the connection behind the request. */
  take(type: FrameType, payload: Buffer): void
}

const inputBytes = 64 * 1024

export function peerOf(socket: Duplex): Peer {
  const closed = new AbortController()
  let received = 0
  let acknowledged = 0
  // It is asked for more before what it holds is taken from it, and not again if that is all there is for now.
  const input = new Readable({ highWaterMark: inputBytes, read: () => queueMicrotask(acknowledge) })

  function acknowledge(): void {
    const taken = received - input.readableLength
    if (taken < acknowledged + ackBytes) return
    if (socket.writable) socket.write(ackFrame(taken - acknowledged))
    acknowledged = taken
  }

  const outlet = (type: FrameType) =>
    new Writable({
      highWaterMark: 64 * 1024,
      write(data: Buffer, _encoding, callback) {
        if (!socket.writable || writeFrame(socket, type, data)) return callback()
        const done = () => {
          socket.off('drain', done).off('close', done)
          callback()
        }
        socket.on('drain', done).on('close', done)
      },
    })

  const peer: Peer = {
    input,
    output: outlet(frameType.output),
    errors: outlet(frameType.errors),
    onFrame: () => {},
    closed: closed.signal,
    accept: () =>
      void socket.write(`${JSON.stringify({ protocol, ok: true, known: true } satisfies Reply)}\n`),
    refuse(error) {
      socket.end(`${JSON.stringify({ protocol, ok: false, error } satisfies Reply)}\n`)
    },
    end() {
      if (socket.writable) socket.write(frame(frameType.end))
    },
    async finish(result) {
      await Promise.all([peer.output, peer.errors].map(stream => finished(stream.end()).catch(() => {})))
      if (socket.writable) socket.end(jsonFrame(frameType.result, result))
    },
    take(type, payload) {
      if (type === frameType.input) {
        received += payload.length
        input.push(payload)
      } else if (type === frameType.end) input.push(null)
      else peer.onFrame(type, payload)
    },
  }
  socket.once('close', () => closed.abort())
  return peer
}
