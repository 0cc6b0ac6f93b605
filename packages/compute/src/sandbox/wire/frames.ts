/**
 * What the control plane and a machine's keeper say to each other over one unix socket per request. Downwards, frames:
 * a type, a length, a payload; the first is the request. Upwards, one line of JSON, and then what the request asks for.
 *
 * - A terminal's bytes come as they are, so that they can be relayed untouched, and only against acknowledgement: never
 *   more than `windowBytes` lie between the two, which bounds both the memory that a slow viewer costs and how long
 *   Ctrl-C takes to be seen.
 * - Everything else is a channel: frames upwards too (`channel.ts`, `agent/peer.ts`). Here input goes only against
 *   acknowledgement, so that the keeper always reads on and sees at once when the control plane has gone.
 *
 * Both ends distrust the other: a malformed frame ends the connection, and so does a header line that is too long.
 * Machines outlive an upgrade of the control plane: a change here that an older keeper can't read needs a new
 * `keeperVersion`, which is noted with each machine that is started.
 */
import type { Duplex, Writable } from 'node:stream'
import type { FilesCall } from './files.ts'

export const protocol = 1
/** 1: terminals alone. 2: channels. */
export const keeperVersion = 2

export const frameType = {
  request: 1,
  input: 2,
  resize: 3,
  /** Downwards: bytes of a terminal's output. Upwards: bytes of a channel's input. */
  ack: 4,
  /** No more comes that way: no input downwards, no output upwards. Of a terminal, downwards: its shell is to end. */
  end: 5,
  signal: 6,
  output: 7,
  errors: 8,
  /** The last one upwards, as JSON. */
  result: 9,
} as const
export type FrameType = (typeof frameType)[keyof typeof frameType]

/** The first frame of every connection, as JSON. */
export type Request =
  | { readonly kind: 'attach'; readonly terminalId: string; readonly cols: number; readonly rows: number }
  /** Answered as soon as the keeper runs. */
  | { readonly kind: 'hello' }
  /** Of a spare: it has become somebody's machine, and its run begins. Asked again, it is answered again. */
  | { readonly kind: 'begin' }
  /** Asks every program of the machine to end, with SIGHUP and SIGTERM; after the grace the machine ends. */
  | { readonly kind: 'hangup'; readonly graceMs: number }
  | ChannelRequest

export type ChannelRequest = ExecRequest | ConnectRequest | LogsRequest | FilesRequest

export interface ExecRequest {
  readonly kind: 'exec'
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | null
  /** Null: no terminal. */
  readonly size: { readonly cols: number; readonly rows: number } | null
}

export interface ConnectRequest {
  readonly kind: 'connect'
  readonly port: number
}

export interface LogsRequest {
  readonly kind: 'logs'
  readonly since: number
  readonly follow: boolean
}

export interface FilesRequest {
  readonly kind: 'files'
  readonly call: FilesCall
}

export const refusals = ['too_many_terminals', 'no_shell', 'nothing_listens', 'too_many', 'failed'] as const

export type Reply =
  | { readonly protocol: number; readonly ok: true; readonly known: boolean }
  | { readonly protocol: number; readonly ok: false; readonly error: (typeof refusals)[number] }

/** Output on its way to one viewer. A flood is a fifth slower with a window of 64 KiB; Ctrl-C waits behind it. */
export const windowBytes = 512 * 1024
/** A viewer acknowledges what it has read in steps of this size. */
export const ackBytes = 64 * 1024
/** Of a channel's input. */
export const inputWindowBytes = 256 * 1024
export const maxReplyBytes = 4096
const maxBytes: Readonly<Record<number, number>> = {
  // A command with its arguments and environment, written as JSON.
  [frameType.request]: 1024 * 1024,
  [frameType.resize]: 4,
  [frameType.ack]: 4,
  [frameType.end]: 0,
  [frameType.signal]: 16,
  [frameType.result]: 4096,
}
const streamed: ReadonlySet<number> = new Set([frameType.input, frameType.output, frameType.errors])
const headerBytes = 5
const smallBytes = 4 * 1024
const nothing: Buffer = Buffer.alloc(0)

export function frame(type: FrameType, payload: Uint8Array = nothing): Buffer {
  const out = Buffer.allocUnsafe(headerBytes + payload.length)
  out[0] = type
  out.writeUInt32BE(payload.length, 1)
  out.set(payload, headerBytes)
  return out
}

/** The same on its way; more than a little is not copied into one piece. Answers as `write` does. */
export function writeFrame(to: Writable, type: FrameType, payload: Buffer): boolean {
  if (payload.length <= smallBytes) return to.write(frame(type, payload))
  const head = Buffer.allocUnsafe(headerBytes)
  head[0] = type
  head.writeUInt32BE(payload.length, 1)
  to.cork()
  to.write(head)
  const hasRoom = to.write(payload)
  to.uncork()
  return hasRoom
}

export const jsonFrame = (type: FrameType, value: object): Buffer =>
  frame(type, Buffer.from(JSON.stringify(value)))

export function resizeFrame(cols: number, rows: number): Buffer {
  const payload = Buffer.allocUnsafe(4)
  payload.writeUInt16BE(cols, 0)
  payload.writeUInt16BE(rows, 2)
  return frame(frameType.resize, payload)
}

export function ackFrame(bytes: number): Buffer {
  const payload = Buffer.allocUnsafe(4)
  payload.writeUInt32BE(bytes, 0)
  return frame(frameType.ack, payload)
}

/**
 * Cuts a byte stream into frames. Input and output are handed on as they arrive, in parts, so that a large paste is
 * never collected. Throws on a frame that the protocol does not have.
 */
export function createFrameReader(
  onFrame: (type: FrameType, payload: Buffer) => void,
): (chunk: Buffer) => void {
  let rest = nothing
  let partOf: FrameType = frameType.input
  let partLeft = 0

  return chunk => {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    rest = nothing
    while (data.length > 0) {
      if (partLeft > 0) {
        const part = data.subarray(0, partLeft)
        partLeft -= part.length
        data = data.subarray(part.length)
        onFrame(partOf, part)
        continue
      }
      if (data.length < headerBytes) break
      const type = data[0] as FrameType
      const length = data.readUInt32BE(1)
      if (streamed.has(type)) {
        partOf = type
        partLeft = length
        data = data.subarray(headerBytes)
        continue
      }
      const limit = maxBytes[type]
      if (limit === undefined) throw new Error(`no such frame: ${type}`)
      if (length > limit) throw new Error(`a frame of type ${type} with ${length} bytes`)
      if (data.length < headerBytes + length) break
      onFrame(type, data.subarray(headerBytes, headerBytes + length))
      data = data.subarray(headerBytes + length)
    }
    rest = data
  }
}

/** What is done with the frames behind a request. */
export type Take = (type: FrameType, payload: Buffer) => void

/** A connection says what it wants within this time. */
const requestMs = 10_000

/** The serving end of a connection: its first frame is handed to `begin`, and what follows to whoever that answers. */
export function serveRequest<R = Request>(connection: Duplex, begin: (request: R) => Take): void {
  let take: Take | null = null
  const tooLate = setTimeout(() => connection.destroy(), requestMs)
  const read = createFrameReader((type, payload) => {
    if (take) return take(type, payload)
    if (type !== frameType.request) throw new Error('no request')
    clearTimeout(tooLate)
    take = begin(JSON.parse(payload.toString()) as R)
  })
  connection.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch {
      connection.destroy()
    }
  })
  connection.on('error', () => connection.destroy())
  connection.on('close', () => clearTimeout(tooLate))
}
