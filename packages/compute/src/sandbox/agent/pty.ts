/**
 * One program on a pseudo-terminal, straight on the prebuilt native module: its own JavaScript would allocate 64 KiB
 * for every 4 KiB that a terminal yields, hand small pieces on one by one, and spin when a program does not read its
 * input. Here a flood is read in pieces of up to 64 KiB, and input waits in a queue.
 *
 * Output is complete: `onExit` comes after the last byte, also when a background job keeps the terminal open.
 */
import { closeSync, constants as open, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
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
  /** How the program ended. Its terminal may have closed before. */
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Bytes of input that the program has not taken. */
  readonly inputLength: number
  write(data: Buffer): void
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
  /** The shell waits at its prompt: no other program has the keyboard. */
  isIdle(): boolean
  /** Has the program that has the keyboard draw its screen again. */
  redraw(): void
  /** Hangs up: the program and its jobs get SIGHUP. */
  close(): void
}

const readBytes = 64 * 1024
/** The kernel hands over at most this much at once; a shorter read means that nothing more is waiting. */
const fullRead = 4095
/** A background job may hold the terminal open after the shell has gone: we wait this long for its output. */
const lingerMs = 50
const retryInputMs = 5
const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

let native: NativePty | null = null

function nativePty(): NativePty {
  native ??= createRequire(import.meta.url)(`@lydell/node-pty-linux-${process.arch}/pty.node`) as NativePty
  return native
}

/** Loads what the first terminal would have to wait for. */
export const warmUp = (): void => void nativePty()

/** `onData` says whether it still needs the bytes when it returns; if not, they are overwritten. */
export function openPty(
  program: Program,
  onData: (data: Buffer) => 'kept' | 'done',
  onExit: () => void,
): Pty {
  const exit = Promise.withResolvers<Awaited<Pty['exit']>>()
  const env = Object.entries(program.env).map(([name, value]) => `${name}=${value}`)
  const terminal = nativePty().fork(
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
    (code, signal) => {
      exited = true
      letGo()
      exit.resolve(
        signal ? { code: null, signal: signalNames.get(signal) ?? String(signal) } : { code, signal: null },
      )
      if (isOver) close()
      else awaitEnd()
    },
  )
  const { fd, pid } = terminal
  // Held until the program has ended: of one that closes its terminal as it ends the kernel would take it at once, and
  // hang up on it before it has said how it ended.
  let held = openEnd(terminal.pty)
  let buffer = Buffer.allocUnsafeSlow(readBytes)
  const input: Buffer[] = []
  let inputLength = 0
  let retry: NodeJS.Timeout | undefined
  let linger: NodeJS.Timeout | undefined
  let paused = false
  let exited = false
  let closed = false
  /** Nothing more can be read, and the descriptor may be something else's by now: it is not written to either. */
  let isOver = false

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
    isOver = true
    if (exited) close()
    // It may let go of its terminal and then end by itself.
    else linger = setTimeout(close, lingerMs)
  })
  reader.resume()

  function letGo(): void {
    if (held !== null) closeSync(held)
    held = null
  }

  function close(): void {
    if (closed) return
    closed = true
    letGo()
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
    while (input[0] && !closed && !isOver) {
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
    exit: exit.promise,
    get inputLength() {
      return inputLength
    },
    write(data) {
      if (closed || isOver || data.length === 0) return
      input.push(data)
      inputLength += data.length
      if (!retry) flushInput()
    },
    resize(cols, rows) {
      if (!closed && !isOver) nativePty().resize(fd, cols, rows)
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
    isIdle: () => foregroundGroup(pid) === pid,
    redraw: () => signalForeground(pid, 'SIGWINCH'),
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

/** The end that programs have. Null: it can't be had, and then it is not held. */
function openEnd(path: string): number | null {
  try {
    return openSync(path, open.O_RDWR | open.O_NOCTTY)
  } catch {
    return null
  }
}

function hangUp(pid: number): void {
  try {
    process.kill(-pid, 'SIGHUP')
  } catch {
    // Already gone.
  }
}

/** The process group that the terminal's keyboard speaks to. */
function foregroundGroup(shellPid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${shellPid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[5])
  } catch {
    return null
  }
}

function signalForeground(shellPid: number, signal: NodeJS.Signals): void {
  const group = foregroundGroup(shellPid)
  if (!group || group <= 1) return
  try {
    process.kill(-group, signal)
  } catch {
    // Gone meanwhile.
  }
}
