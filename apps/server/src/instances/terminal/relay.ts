/**
 * Carries bytes between a terminal and its WebSocket. Output goes out as it comes, in binary frames, and stops being
 * read as soon as the browser or the network falls behind, so that a flood slows the program down instead of filling
 * memory. Input comes in binary frames; text frames are control messages (resize, acknowledgement, end). A detached
 * terminal lives on, until its page ends it: the same id returns to it.
 */
import type { TerminalStream } from '@ingot/compute/driver'
import { terminalLimits } from '@ingot/contracts/instance/terminal'
import type { WebSocket } from 'ws'

/** From the page: its new size, how many bytes of output it has drawn, or that the shell is to end. */
type ControlMessage =
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'ack'; readonly bytes: number }
  | { readonly type: 'end' }

/** To the page: the shell is attached. Every other fact of the instance comes by the event stream. */
export const readyMessage = JSON.stringify({ type: 'ready' })

const highWaterBytes = terminalLimits.unacknowledgedBytes
const lowWaterBytes = 256 * 1024
const pingEveryMs = 20_000
const maxCells = 1000

export interface RelayOptions {
  /** The page acknowledges what it has drawn; without this only the socket's own buffer is watched. */
  readonly acknowledged: boolean
  readonly onInput: () => void
}

export function relay(
  socket: WebSocket,
  terminal: TerminalStream,
  { acknowledged, onInput }: RelayOptions,
): void {
  let unacknowledged = 0
  let paused = false
  let alive = true

  const behind = () => Math.max(socket.bufferedAmount, acknowledged ? unacknowledged : 0)
  const resume = () => {
    if (!paused || behind() > lowWaterBytes) return
    paused = false
    terminal.resume()
  }

  terminal.on('data', (chunk: Buffer) => {
    unacknowledged += chunk.length
    socket.send(chunk, { binary: true }, resume)
    if (behind() > highWaterBytes) {
      paused = true
      terminal.pause()
    }
  })
  terminal.once('end', () => socket.close(1000, 'ended'))
  terminal.once('error', () => socket.close(1011, 'the machine went away'))
  terminal.once('close', () => socket.close(1000, 'ended'))

  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) {
      onInput()
      terminal.write(data)
      return
    }
    const message = parseControl(data)
    if (message?.type === 'resize') terminal.resize({ cols: message.cols, rows: message.rows })
    if (message?.type === 'end') terminal.hangUp()
    if (message?.type === 'ack') {
      unacknowledged = Math.max(0, unacknowledged - message.bytes)
      resume()
    }
  })
  const ping = setInterval(() => {
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
  }, pingEveryMs)
  socket.on('pong', () => (alive = true))
  socket.once('close', () => {
    clearInterval(ping)
    terminal.destroy()
  })
  socket.on('error', () => socket.terminate())
}

function parseControl(data: Buffer): ControlMessage | null {
  try {
    const message = JSON.parse(data.toString()) as Record<string, unknown>
    if (message['type'] === 'end') return { type: 'end' }
    if (message['type'] === 'resize' && isCells(message['cols']) && isCells(message['rows']))
      return { type: 'resize', cols: message['cols'], rows: message['rows'] }
    if (
      message['type'] === 'ack' &&
      Number.isSafeInteger(message['bytes']) &&
      (message['bytes'] as number) >= 0
    )
      return { type: 'ack', bytes: message['bytes'] as number }
  } catch {
    // Not ours: ignored, like any message of an unknown type.
  }
  return null
}

export const isCells = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxCells
