/**
 * What the control plane and a machine's keeper say to each other over one unix socket per viewer. Downwards, frames:
 * a type, a length, a payload. Upwards, one line of JSON and then a terminal's bytes as they are, so that they can be
 * relayed untouched. Output flows only against acknowledgement: never more than `windowBytes` lie between the two,
 * which bounds both the memory that a slow viewer costs and how long Ctrl-C takes to be seen.
 *
 * Both ends distrust the other: a malformed frame ends the connection, and so does a header line that is too long.
 * Machines outlive an upgrade of the control plane: a change here that an older keeper can't read needs a new
 * `protocol`.
 */
export const protocol = 1

export const frameType = { request: 1, input: 2, resize: 3, ack: 4 } as const
export type FrameType = (typeof frameType)[keyof typeof frameType]

/** The first frame of every connection, as JSON. */
export type Request =
  | { readonly kind: 'attach'; readonly terminalId: string; readonly cols: number; readonly rows: number }
  /** Answered as soon as the keeper runs. */
  | { readonly kind: 'hello' }
  /** Asks every program of the machine to end, with SIGHUP and SIGTERM; after the grace the machine ends. */
  | { readonly kind: 'hangup'; readonly graceMs: number }

export const refusals = ['too_many_terminals', 'no_shell'] as const

export type Reply =
  | { readonly protocol: number; readonly ok: true; readonly known: boolean }
  | { readonly protocol: number; readonly ok: false; readonly error: (typeof refusals)[number] }

/** Output on its way to one viewer. A flood is a fifth slower with a window of 64 KiB; Ctrl-C waits behind it. */
export const windowBytes = 512 * 1024
/** A viewer acknowledges what it has read in steps of this size. */
export const ackBytes = 64 * 1024
export const maxReplyBytes = 4096
/** Input comes in pieces of any size; every other frame is small. */
const maxControlBytes = 4096
const headerBytes = 5

export function frame(type: FrameType, payload: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(headerBytes + payload.length)
  out[0] = type
  out.writeUInt32BE(payload.length, 1)
  out.set(payload, headerBytes)
  return out
}

export const requestFrame = (request: Request): Buffer =>
  frame(frameType.request, Buffer.from(JSON.stringify(request)))

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
 * Cuts a byte stream into frames. Input is handed on as it arrives, in parts, so that a large paste is never
 * collected. Throws on a frame that the protocol does not have.
 */
export function createFrameReader(
  onFrame: (type: FrameType, payload: Buffer) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let inputLeft = 0

  return chunk => {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    rest = Buffer.alloc(0)
    while (data.length > 0) {
      if (inputLeft > 0) {
        const part = data.subarray(0, inputLeft)
        inputLeft -= part.length
        data = data.subarray(part.length)
        onFrame(frameType.input, part)
        continue
      }
      if (data.length < headerBytes) break
      const type = data[0]
      const length = data.readUInt32BE(1)
      if (type === frameType.input) {
        inputLeft = length
        data = data.subarray(headerBytes)
        continue
      }
      if (type !== frameType.request && type !== frameType.resize && type !== frameType.ack)
        throw new Error(`no such frame: ${type}`)
      if (length > maxControlBytes) throw new Error(`a control frame of ${length} bytes`)
      if (data.length < headerBytes + length) break
      onFrame(type, data.subarray(headerBytes, headerBytes + length))
      data = data.subarray(headerBytes + length)
    }
    rest = data
  }
}
