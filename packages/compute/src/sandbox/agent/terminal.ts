/**
 * One shell and everybody who looks at it. The viewer who typed, resized or came last leads: their size is the
 * terminal's, and how fast they read is how fast the program may write. Others who fall behind are passed over and
 * get the screen afresh when they have caught up, so a forgotten window never holds up a program. With nobody
 * looking the program runs on.
 *
 * The shell's exit ends every viewer's connection after the last byte.
 */
import type { Socket } from 'node:net'
import { frameType, type Reply, protocol, type Take, windowBytes } from '../wire/frames.ts'
import type { Pty } from './pty.ts'
import { createScreen, type Size } from './screen.ts'

export interface Viewer {
  input(data: Buffer): void
  resize(size: Size): void
  acknowledge(bytes: number): void
  /** Ends the shell for every viewer. */
  hangUp(): void
  leave(): void
}

export interface ShellTerminal {
  readonly viewers: number
  readonly lastUsedAt: number
  /** The shell waits at its prompt. */
  isIdle(): boolean
  attach(socket: Socket, size: Size): Promise<Viewer>
  close(): void
}

/** A viewer's end of a connection, from the request on. What comes before he has joined is dropped. Null: he was refused. */
export function takeFor(socket: Socket, joining: Promise<Viewer | null>): Take {
  let viewer: Viewer | null = null
  void joining.then(joined => {
    viewer = joined
    if (socket.destroyed) viewer?.leave()
  })
  socket.on('close', () => viewer?.leave())
  return (type, payload) => {
    if (type === frameType.input) viewer?.input(payload)
    else if (type === frameType.ack) viewer?.acknowledge(payload.readUInt32BE(0))
    else if (type === frameType.resize)
      viewer?.resize({ cols: payload.readUInt16BE(0), rows: payload.readUInt16BE(2) })
    else if (type === frameType.end) viewer?.hangUp()
  }
}

interface Seat {
  readonly socket: Socket
  size: Size
  inFlight: number
  /** Was passed over: gets no output until it has the screen again. */
  isBehind: boolean
  isRefreshing: boolean
}

/** Input that the program has not taken; above it the viewer's connection is not read. */
const maxInputBytes = 128 * 1024
const smallBytes = 4 * 1024
/** A screen takes some 20 ms to make: a slow viewer of a flood gets one now and then. */
const refreshMs = 250
/** After ESC: what a viewer's terminal answers to a program's question. From two viewers it would arrive twice. */
const terminalReply = /^(?:\[[?>]?[\d;]*[cRny]$|[\]P].)/s

/** Starts the shell. `onData` says whether it still needs the bytes when it returns. */
export type OpenShell = (
  size: Size,
  onData: (data: Buffer) => 'kept' | 'done',
  onExit: () => void,
) => Omit<Pty, 'pid' | 'exit'>

export function openTerminal(open: OpenShell, size: Size, onExit: () => void): ShellTerminal {
  const seats = new Set<Seat>()
  const screen = createScreen(size)
  let current = size
  let lead: Seat | null = null
  let lastUsedAt = performance.now()
  let isNew = true
  /** Nothing may be read while a screen is being taken. */
  let holds = 0
  let turn: Promise<unknown> = Promise.resolve()

  const pty = open(size, output, () => {
    for (const seat of seats) seat.socket.end()
    seats.clear()
    onExit()
  })

  function output(data: Buffer): 'kept' | 'done' {
    // A connection keeps what waits in it: a few typed characters are copied, a flood gets a new buffer.
    const sent = data.length <= smallBytes ? Buffer.from(data) : data
    for (const seat of seats) {
      if (seat.isBehind) continue
      if (seat !== lead && seat.inFlight >= windowBytes) seat.isBehind = true
      else send(seat, sent)
    }
    screen.push(data)
    pace()
    return sent === data && [...seats].some(({ socket }) => socket.writableLength > 0) ? 'kept' : 'done'
  }

  function send(seat: Seat, data: Buffer): void {
    seat.inFlight += data.length
    seat.socket.write(data)
  }

  function pace(): void {
    if (holds > 0 || (lead && lead.inFlight >= windowBytes)) pty.pause()
    else pty.resume()
  }

  function follow(seat: Seat): void {
    lead = seat
    lastUsedAt = performance.now()
    if (seat.size.cols !== current.cols || seat.size.rows !== current.rows) {
      current = seat.size
      screen.resize(current)
      pty.resize(current.cols, current.rows)
    }
    pace()
  }

  /** The screen as it stands, with no output between it and what is sent next. */
  function takeScreen(then: (screen: Buffer) => void): Promise<void> {
    holds++
    pace()
    const taken = turn.then(async () => {
      const mustRedraw = screen.isIncomplete && screen.isAlternate
      then(await screen.snapshot().catch(() => Buffer.alloc(0)))
      holds--
      pace()
      if (mustRedraw) pty.redraw()
    })
    turn = taken
    return taken
  }

  function refresh(seat: Seat): void {
    if (seat.isRefreshing) return
    seat.isRefreshing = true
    setTimeout(() => {
      void takeScreen(data => {
        seat.isRefreshing = false
        if (!seats.has(seat)) return
        seat.isBehind = false
        send(seat, data)
      })
    }, refreshMs)
  }

  function viewerOf(seat: Seat): Viewer {
    return {
      input(data) {
        if (seat !== lead && data[0] === 0x1b && terminalReply.test(data.toString('latin1', 1))) return
        follow(seat)
        pty.write(Buffer.from(data))
        if (pty.inputLength > maxInputBytes) waitForProgram(seat.socket, pty)
      },
      resize(size) {
        seat.size = size
        follow(seat)
      },
      acknowledge(bytes) {
        seat.inFlight = Math.max(0, seat.inFlight - bytes)
        if (seat.inFlight > windowBytes / 2) return
        if (seat.isBehind) refresh(seat)
        pace()
      },
      hangUp: () => pty.close(),
      leave() {
        seats.delete(seat)
        lastUsedAt = performance.now()
        if (lead === seat) lead = [...seats].at(-1) ?? null
        if (lead) follow(lead)
        else pace()
      },
    }
  }

  return {
    get viewers() {
      return seats.size
    },
    get lastUsedAt() {
      return lastUsedAt
    },
    isIdle: () => pty.isIdle(),

    async attach(socket, size) {
      const seat: Seat = { socket, size, inFlight: 0, isBehind: false, isRefreshing: false }
      const reply: Reply = { protocol, ok: true, known: !isNew }
      if (isNew) {
        isNew = false
        socket.write(`${JSON.stringify(reply)}\n`)
        seats.add(seat)
        follow(seat)
      } else {
        holds++
        follow(seat)
        await takeScreen(data => {
          holds--
          if (socket.destroyed) return
          seats.add(seat)
          socket.write(`${JSON.stringify(reply)}\n`)
          send(seat, data)
        })
      }
      return viewerOf(seat)
    },

    close: () => pty.close(),
  }
}

function waitForProgram(socket: Socket, pty: Pick<Pty, 'inputLength'>): void {
  if (socket.isPaused()) return
  socket.pause()
  const check = setInterval(() => {
    if (pty.inputLength > maxInputBytes / 4 && !socket.destroyed) return
    clearInterval(check)
    socket.resume()
  }, 10)
}
