/**
 * The control plane's end of a channel to a port: one stream, whose halves end apart. It stands for itself, and not upon
 * `openChannel`'s streams, because each request of a proxy passes it. As there, what comes is handed on as it is read, and
 * what goes waits until the keeper has room.
 */
import { Duplex } from 'node:stream'
import type { Contact } from './contact.ts'
import { createFrameReader, frame, frameType, inputWindowBytes, writeFrame } from './frames.ts'

/** What was sent last has this long to be taken. */
const lingerMs = 60_000

export class Connection extends Duplex {
  /** Resolves when nothing of it is left. */
  readonly over: Promise<void>
  readonly #socket: Duplex
  #underway = 0
  #waiting: { data: Buffer; callback: () => void } | null = null
  #isOver = false
  #hasEnded = false
  #late: NodeJS.Timeout | null = null

  constructor({ socket, rest }: Contact) {
    super({ highWaterMark: 64 * 1024 })
    this.#socket = socket
    const { promise, resolve } = Promise.withResolvers<void>()
    this.over = promise
    const read = createFrameReader((type, payload) => {
      if (type === frameType.output) this.#give(payload)
      else if (type === frameType.ack) this.#passedOn(payload.readUInt32BE(0))
      else if (type === frameType.end) {
        this.#hasEnded = true
        this.push(null)
      } else if (type === frameType.result) this.close()
      else if (type !== frameType.errors) throw new Error(`no frame of a keeper: ${type}`)
    })
    const take = (chunk: Buffer) => {
      try {
        read(chunk)
      } catch {
        this.close()
      }
    }
    socket.on('data', take)
    // Of a connection that is closed while it is paused the rest would never be read.
    socket.once('close', () => {
      this.close()
      resolve()
    })
    if (rest.length > 0) take(rest)
    if (this.readableLength < this.readableHighWaterMark) socket.resume()
  }

  /** Nothing goes or comes any more; what came already can be read. */
  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#hasEnded = true
    if (this.#late) clearTimeout(this.#late)
    if (!this.destroyed) {
      this.push(null)
      this.#send()
      // Nobody takes any more.
      this.end()
    }
    this.#socket.destroy()
  }

  override _read(): void {
    if (this.#socket.isPaused()) this.#socket.resume()
  }

  override _write(data: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.#waiting = { data, callback }
    this.#send()
  }

  override _final(callback: () => void): void {
    if (!this.#isOver && this.#socket.writable) this.#socket.write(frame(frameType.end))
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    // What was sent last is still on its way: the keeper says when it has arrived.
    if (this.writableFinished && this.readableEnded && !this.#isOver) {
      this.#socket.resume()
      this.#late = setTimeout(() => this.close(), lingerMs).unref()
    } else this.close()
    callback(error)
  }

  #give(part: Buffer): void {
    if (this.#hasEnded) throw new Error('output after its end')
    if (this.destroyed || this.push(part)) return
    this.#socket.pause()
  }

  #passedOn(bytes: number): void {
    this.#underway = Math.max(0, this.#underway - bytes)
    this.#send()
  }

  /** As far as the keeper has room. What is written to something that has ended is not missed. */
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
