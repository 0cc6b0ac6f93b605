/**
 * The control plane's end of a channel: input, two streams of output, and a last word. Output is handed on as it is
 * read, so a reader that stands still stops the program behind it; input waits until the keeper has passed it on.
 * Neither side keeps more than its window for the other, whatever a keeper does that a customer has taken over.
 */
import { type Duplex, Readable, Writable } from 'node:stream'
import type { Contact } from './contact.ts'
import { createFrameReader, frame, frameType, inputWindowBytes, writeFrame } from './frames.ts'

export interface Channel {
  readonly input: Writable
  readonly output: Readable
  readonly errors: Readable
  /** What the keeper said last, after all output; null: the connection ended before, as when the machine ends. */
  readonly result: Promise<unknown>
  /** A frame that waits for nobody: a change of size, a signal. */
  say(small: Buffer): void
  close(): void
}

/** Small frames that a keeper may leave unread; it always reads on, so a keeper that takes none of them is none. */
const maxUnread = 500

export function openChannel({ socket, rest }: Contact): Channel {
  const { promise: result, resolve } = Promise.withResolvers<unknown>()
  const full = new Set<Readable>()
  let hasEnded = false
  let isOver = false
  const output = source()
  const errors = source()
  const input = new Input(socket)

  function source(): Readable {
    const stream: Readable = new Readable({
      read() {
        if (full.delete(stream) && full.size === 0) socket.resume()
      },
      destroy(error, callback) {
        if (full.delete(stream) && full.size === 0) socket.resume()
        callback(error)
      },
    })
    return stream
  }

  function give(stream: Readable, part: Buffer): void {
    if (isOver || (hasEnded && stream === output)) throw new Error('output after its end')
    // What nobody wants is thrown away.
    if (stream.destroyed || stream.readableEnded || stream.push(part)) return
    full.add(stream)
    socket.pause()
  }

  function end(value: unknown): void {
    isOver = true
    for (const stream of [output, errors]) if (!stream.destroyed) stream.push(null)
    input.giveUp()
    resolve(value)
    socket.destroy()
  }

  const read = createFrameReader((type, payload) => {
    if (type === frameType.output) give(output, payload)
    else if (type === frameType.errors) give(errors, payload)
    else if (type === frameType.ack) input.passedOn(payload.readUInt32BE(0))
    else if (type === frameType.end) {
      hasEnded = true
      output.push(null)
    } else if (type === frameType.result) end(JSON.parse(payload.toString()))
    else throw new Error(`no frame of a keeper: ${type}`)
  })
  const take = (chunk: Buffer) => {
    try {
      read(chunk)
    } catch {
      end(null)
    }
  }
  socket.on('data', take)
  // Of a connection that is closed while it is paused the rest would never be read.
  socket.once('close', () => end(null))
  if (rest.length > 0) take(rest)
  if (full.size === 0) socket.resume()

  return {
    input,
    output,
    errors,
    result,
    say(small) {
      if (!socket.writable) return
      socket.write(small)
      if (socket.writableLength > inputWindowBytes + maxUnread * small.length) end(null)
    },
    close: () => end(null),
  }
}

/** Writes as far as the keeper has room. What is written to something that has ended is not missed. */
class Input extends Writable {
  readonly #socket: Duplex
  #underway = 0
  #waiting: { data: Buffer; callback: () => void } | null = null
  #isOver = false

  constructor(socket: Duplex) {
    super({ highWaterMark: 64 * 1024 })
    this.#socket = socket
  }

  passedOn(bytes: number): void {
    this.#underway = Math.max(0, this.#underway - bytes)
    this.#send()
  }

  giveUp(): void {
    this.#isOver = true
    this.#send()
  }

  override _write(data: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.#waiting = { data, callback }
    this.#send()
  }

  override _final(callback: () => void): void {
    if (!this.#isOver && this.#socket.writable) this.#socket.write(frame(frameType.end))
    callback()
  }

  #send(): void {
    if (!this.#waiting) return
    const { data, callback } = this.#waiting
    const part = this.#isOver ? data : data.subarray(0, inputWindowBytes - this.#underway)
    if (part.length === 0 && data.length > 0) return
    if (!this.#isOver && this.#socket.writable) {
      this.#underway += part.length
      writeFrame(this.#socket, frameType.input, part)
    }
    if (part.length < data.length) {
      this.#waiting = { data: data.subarray(part.length), callback }
      return
    }
    this.#waiting = null
    callback()
  }
}
