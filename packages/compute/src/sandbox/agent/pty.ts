/**
 * One program on a pseudo-terminal, straight on the prebuilt native module: its own JavaScript would allocate 64 KiB
 * for every 4 KiB that a terminal yields, hand small pieces on one by one, and spin when a program does not read its
 * input. Here a flood is read in pieces of up to 64 KiB, and input waits in a queue.
 *
 * Output is complete: `onExit` comes after the last byte, also when a background job keeps the terminal open.
 */
import { readSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { ReadStream } from 'node:tty'

interface NativePty {
  fork(
    file: string,
    args: readonly string[],
    env: readonly string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (code: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string }
  resize(fd: number, cols: number, rows: number): void
}

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly cols: number
  readonly rows: number
}

export interface Pty {
  readonly pid: number
  /** Bytes of input that the program has not taken. */
  readonly inputLength: number
  write(data: Buffer): void
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
  /** Hangs up: the program and its jobs get SIGHUP. */
  close(): void
}

const readBytes = 64 * 1024
/** The kernel hands over at most this much at once; a shorter read means that nothing more is waiting. */
const fullRead = 4095
/** A background job may hold the terminal open after the shell has gone: we wait this long for its output. */
const lingerMs = 50
const retryInputMs = 5

let native: NativePty | null = null

function nativePty(): NativePty {
  native ??= createRequire(import.meta.url)(`@lydell/node-pty-linux-${process.arch}/pty.node`) as NativePty
  return native
}

/** `onData` says whether it still needs the bytes when it returns; if not, they are overwritten. */
export function openPty(
  program: Program,
  onData: (data: Buffer) => 'kept' | 'done',
  onExit: () => void,
): Pty {
  const env = Object.entries(program.env).map(([name, value]) => `${name}=${value}`)
  const { fd, pid } = nativePty().fork(
    program.file,
    program.args,
    env,
    program.cwd,
    program.cols,
    program.rows,
    -1,
    -1,
    true,
    '',
    () => {
      exited = true
      awaitEnd()
    },
  )
  let buffer = Buffer.allocUnsafeSlow(readBytes)
  const input: Buffer[] = []
  let inputLength = 0
  let retry: NodeJS.Timeout | undefined
  let linger: NodeJS.Timeout | undefined
  let paused = false
  let exited = false
  let closed = false

  const reader = new ReadStream(fd, {
    onread: {
      buffer: () => buffer,
      callback: count => {
        const length = count < fullRead ? count : readOn(fd, buffer, count)
        if (exited) awaitEnd()
        if (onData(buffer.subarray(0, length)) === 'kept') buffer = Buffer.allocUnsafeSlow(readBytes)
        return !paused
      },
    },
  })
  // EIO is how a terminal says that no program holds its other end.
  reader.on('error', () => reader.destroy())
  reader.on('close', () => {
    if (!closed) close()
  })
  reader.resume()

  function close(): void {
    if (closed) return
    closed = true
    clearTimeout(retry)
    clearTimeout(linger)
    reader.destroy()
    if (!exited) hangUp(pid)
    onExit()
  }

  /** After the exit, reads what is left as long as it comes and somebody reads. */
  function awaitEnd(): void {
    clearTimeout(linger)
    if (!paused && !closed) linger = setTimeout(close, lingerMs)
  }

  function flushInput(): void {
    retry = undefined
    while (input[0] && !closed) {
      const head = input[0]
      const written = writeSome(fd, head)
      inputLength -= written
      if (written === head.length) input.shift()
      else {
        input[0] = head.subarray(written)
        retry = setTimeout(flushInput, retryInputMs)
        return
      }
    }
  }

  return {
    pid,
    get inputLength() {
      return inputLength
    },
    write(data) {
      if (closed || data.length === 0) return
      input.push(data)
      inputLength += data.length
      if (!retry) flushInput()
    },
    resize(cols, rows) {
      if (!closed) nativePty().resize(fd, cols, rows)
    },
    pause() {
      if (paused || closed) return
      paused = true
      clearTimeout(linger)
      reader.pause()
    },
    resume() {
      if (!paused || closed) return
      paused = false
      reader.resume()
      if (exited) awaitEnd()
    },
    close,
  }
}

/** Reads on into the same buffer until the terminal is empty or the buffer full; answers how much it holds. */
function readOn(fd: number, buffer: Buffer, from: number): number {
  let length = from
  try {
    while (length < buffer.length) {
      const count = readSync(fd, buffer, length, buffer.length - length, null)
      if (count === 0) break
      length += count
    }
  } catch {
    // EAGAIN: empty for now. EIO: the reader meets it next.
  }
  return length
}

function writeSome(fd: number, data: Buffer): number {
  try {
    return writeSync(fd, data)
  } catch (error) {
    // A terminal that is gone takes everything: its exit is on the way.
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : data.length
  }
}

function hangUp(pid: number): void {
  try {
    process.kill(-pid, 'SIGHUP')
  } catch {
    // Already gone.
  }
}
