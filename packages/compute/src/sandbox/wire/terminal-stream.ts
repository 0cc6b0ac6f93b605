/**
 * A viewer's end of a terminal. Output passes as it comes and is acknowledged as it is read, so a reader that stands
 * still holds up to one window and stops the program; nothing is queued without limit. A keeper, also one that a
 * customer has taken over, costs this process no more than that whatever it does.
 */
import { Duplex } from 'node:stream'
import type { TerminalSize, TerminalStream } from '../../driver.ts'
import type { Contact } from './contact.ts'
import { ackBytes, ackFrame, frame, frameType, resizeFrame, windowBytes } from './frames.ts'

export function terminalStream({ socket, rest }: Contact): TerminalStream {
  return new SandboxTerminal(socket, rest)
}

/** A keeper that reads has a window's acknowledgements to take, and changes of size by hand. */
const maxWaiting = 500
const inRange = (value: number) => Math.min(1000, Math.max(1, Math.trunc(value) || 1))

/** A size that every terminal can have. */
export const clamped = ({ cols, rows }: TerminalSize): TerminalSize => ({
  cols: inRange(cols),
  rows: inRange(rows),
})

class SandboxTerminal extends Duplex implements TerminalStream {
  readonly #socket: Duplex
  /** Handed to the reader, not yet acknowledged. */
  #read = 0
  /** Small frames that the keeper has not taken. */
  #waiting = 0
  #isEnded = false

  constructor(socket: Duplex, rest: Buffer) {
    super({ allowHalfOpen: false, readableHighWaterMark: windowBytes })
    this.#socket = socket
    socket.on('data', chunk => this.#take(chunk))
    socket.once('end', () => this.#end())
    socket.once('close', () => this.#end())
    if (rest.length > 0) this.#take(rest)
  }

  #end(): void {
    if (!this.#isEnded) this.push(null)
    this.#isEnded = true
  }

  #take(chunk: Buffer): void {
    this.#read += chunk.length
    if (!this.push(chunk)) this.#socket.pause()
  }

  override _read(): void {
    if (this.#read >= ackBytes) {
      this.#say(ackFrame(this.#read))
      this.#read = 0
    }
    this.#socket.resume()
  }

  /** Says something that waits for nobody. A keeper that takes none of it is no keeper. */
  #say(small: Buffer): void {
    if (!this.#socket.writable) return
    this.#waiting++
    this.#socket.write(small, () => this.#waiting--)
    if (this.#waiting > maxWaiting) this.destroy()
  }

  override _write(
    chunk: Buffer | string,
    encoding: BufferEncoding,
    callback: (error?: Error | null) => void,
  ): void {
    // Typing into a shell that has gone is not an error.
    if (!this.#socket.writable) return callback()
    const data = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
    if (this.#socket.write(frame(frameType.input, data))) return callback()
    const done = () => {
      this.#socket.off('drain', done).off('close', done)
      callback()
    }
    this.#socket.once('drain', done).once('close', done)
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.end()
    callback()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy()
    callback(error)
  }

  resize(size: TerminalSize): void {
    const { cols, rows } = clamped(size)
    this.#say(resizeFrame(cols, rows))
  }

  /** A keeper of before this was possible goes on: its shell stays until it is made room for. */
  hangUp(): void {
    this.#say(frame(frameType.end))
  }
}
