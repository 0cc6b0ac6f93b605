/**
 * The browser's end of a terminal. One client is one shell: it asks for a ticket, opens the socket, and after a drop
 * does both again, later each time, until it is closed. The same shell answers and draws its screen afresh.
 *
 * Output is acknowledged when it has been drawn, not when it arrived, so that a flood slows the program down instead
 * of filling this tab. Input goes in frames that the service takes. What is typed while nothing is connected is
 * dropped: a shell that comes back must not run what was meant for a screen that was not there. Bytes and closings of
 * an earlier socket are ignored.
 */
import { IngotError } from '@ingot/contracts/errors'
import { terminalLimits } from '@ingot/contracts/instance/terminal'

export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

export type TerminalPhase =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  /** The line was lost, or never was; tried again at `retryAt`. `message`: what the service said, if anything. */
  | { readonly kind: 'waiting'; readonly retryAt: number; readonly message: string | null }
  /**
   * `ended`: the stream is over, because the shell exited or its machine stopped. `refused`: the service gives no
   * ticket, and `error` says why. `closed`: somebody here closed it, or nobody has opened it yet.
   */
  | { readonly kind: 'disconnected'; readonly why: 'closed' }
  | { readonly kind: 'disconnected'; readonly why: 'ended' }
  | { readonly kind: 'disconnected'; readonly why: 'refused'; readonly error: IngotError }

export type TerminalSocket = Pick<WebSocket, 'addEventListener' | 'send' | 'close' | 'binaryType'>

/** Calls `then` once after `ms`; the answer cancels it. */
type Wait = (ms: number, then: () => void) => () => void

export interface TerminalClientOptions {
  /** The address of the socket, ticket included. Asked before every connection. */
  readonly openTicket: () => Promise<string>
  readonly openSocket: (url: string) => TerminalSocket
  readonly size: () => TerminalSize
  /** What comes next draws the whole screen: what is on it goes. */
  readonly clear: () => void
  readonly draw: (bytes: Uint8Array, drawn: () => void) => void
  readonly onPhase: (phase: TerminalPhase) => void
  readonly wait?: Wait
}

export interface TerminalClient {
  /** Opens it, or tries at once what would be tried later. Nothing while it is open or opening. */
  connect(): void
  input(data: string | Uint8Array): void
  resize(size: TerminalSize): void
  close(): void
  /** Closes it, and ends the shell with what runs in it. False: it was not connected, so the shell goes on. */
  end(): boolean
}

export const maxFrameBytes = terminalLimits.inputFrameBytes / 4
/** Far below the limit, so that the service reads on while the page draws. */
export const ackEveryBytes = terminalLimits.unacknowledgedBytes / 16
const firstRetryMs = 500
const lastRetryMs = 10_000
const readyWithinMs = 15_000
/** The service is attached but the shell has not written anything: after this it counts as there. */
const silentMs = 3_000
/** How the service closes when the stream is over. */
const endedCode = 1000

/** Says that the shell is to end. */
export const endMessage = JSON.stringify({ type: 'end' })

/** A path of the service as a socket. */
export function socketAt(path: string): WebSocket {
  const url = new URL(path, location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  return new WebSocket(url)
}

const timer: Wait = (ms, then) => {
  const handle = setTimeout(then, ms)
  return () => clearTimeout(handle)
}
const nothing = () => {}

export function createTerminalClient(options: TerminalClientOptions): TerminalClient {
  const { wait = timer } = options
  const encoder = new TextEncoder()
  let phase: TerminalPhase = { kind: 'disconnected', why: 'closed' }
  /** Grows with every connection and closing: what belongs to an earlier one finds itself outdated. */
  let round = 0
  let socket: TerminalSocket | null = null
  let retryMs = firstRetryMs
  let cancel = nothing

  const enter = (next: TerminalPhase) => {
    phase = next
    options.onPhase(next)
  }

  function letGo(): void {
    cancel()
    cancel = nothing
    round++
    socket?.close(endedCode)
    socket = null
  }

  function retryLater(message: string | null): void {
    letGo()
    cancel = wait(retryMs, () => void open())
    enter({ kind: 'waiting', retryAt: Date.now() + retryMs, message })
    retryMs = Math.min(retryMs * 2, lastRetryMs)
  }

  function stop(next: TerminalPhase): void {
    letGo()
    retryMs = firstRetryMs
    enter(next)
  }

  async function open(): Promise<void> {
    letGo()
    const mine = round
    enter({ kind: 'connecting' })
    try {
      const url = await options.openTicket()
      if (mine === round) listen(url, mine)
    } catch (error) {
      if (mine !== round) return
      const isRefusal = error instanceof IngotError && error.status < 500 && error.code !== 'rate_limited'
      if (isRefusal) stop({ kind: 'disconnected', why: 'refused', error })
      // Words of a proxy in between are no news of the machine.
      else retryLater(error instanceof IngotError && error.requestId ? error.message : null)
    }
  }

  function listen(url: string, mine: number): void {
    const size = options.size()
    const opened = options.openSocket(`${url}&cols=${size.cols}&rows=${size.rows}&flow=ack`)
    opened.binaryType = 'arraybuffer'
    socket = opened
    cancel = wait(readyWithinMs, () => retryLater('The machine did not answer in time.'))
    let message: string | null = null
    let isAttached = false
    let isFirst = true
    let undrawn = 0

    const drawn = (bytes: number) => {
      undrawn += bytes
      if (mine !== round || undrawn < ackEveryBytes) return
      opened.send(JSON.stringify({ type: 'ack', bytes: undrawn }))
      undrawn = 0
    }
    const onControl = (text: string) => {
      const control = parseControl(text)
      if (control?.type === 'error') message = control.message
      if (control?.type !== 'ready') return
      isAttached = true
      retryMs = firstRetryMs
      cancel()
      cancel = wait(silentMs, isThere)
    }
    /** The shell itself: its first output, as a rule. */
    const isThere = () => {
      cancel()
      enter({ kind: 'connected' })
      const now = options.size()
      if (now.cols !== size.cols || now.rows !== size.rows) resize(now)
    }
    opened.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (mine !== round) return
      if (typeof data === 'string') return onControl(data)
      const bytes = new Uint8Array(data as ArrayBuffer)
      if (phase.kind === 'connecting') isThere()
      if (isFirst) options.clear()
      isFirst = false
      options.draw(bytes, () => drawn(bytes.length))
    })
    opened.addEventListener('close', ({ code }: CloseEvent) => {
      if (mine !== round) return
      socket = null
      if (code === endedCode && isAttached) stop({ kind: 'disconnected', why: 'ended' })
      else retryLater(message)
    })
  }

  function resize(size: TerminalSize): void {
    if (phase.kind === 'connected') socket?.send(JSON.stringify({ type: 'resize', ...size }))
  }

  return {
    connect() {
      if (phase.kind === 'connected' || phase.kind === 'connecting') return
      retryMs = firstRetryMs
      void open()
    },
    input(data) {
      if (phase.kind !== 'connected' || !socket) return
      const bytes = typeof data === 'string' ? encoder.encode(data) : data
      // The shell reads a stream of bytes: a character cut in two between frames is whole again there.
      for (let at = 0; at < bytes.length; at += maxFrameBytes)
        socket.send(bytes.slice(at, at + maxFrameBytes))
    },
    resize,
    close() {
      stop({ kind: 'disconnected', why: 'closed' })
    },
    end() {
      const isThere = phase.kind === 'connected' && socket !== null
      if (isThere) socket?.send(endMessage)
      stop({ kind: 'disconnected', why: 'closed' })
      return isThere
    },
  }
}

function parseControl(text: string): { type: 'ready' } | { type: 'error'; message: string } | null {
  try {
    const { type, message } = JSON.parse(text) as Record<string, unknown>
    if (type === 'ready') return { type }
    if (type === 'error') return { type, message: typeof message === 'string' ? message : '' }
  } catch {
    // Not a message of ours.
  }
  return null
}
