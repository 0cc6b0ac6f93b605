/** A terminal over a WebSocket, as a program uses it: type, wait for text, count bytes. */
import { WebSocket } from 'ws'
import type { Client } from '@ingot/sdk/client'

export interface Shell {
  readonly socket: WebSocket
  type(text: string): void
  /** Resolves when `text` has come after the call began; answers the bytes received meanwhile. */
  waitFor(text: string, timeoutMs?: number): Promise<number>
  close(): void
}

/** As the page does. */
const ackEveryBytes = 64 * 1024

/** Acknowledges what it receives; a bare server ignores text frames it does not know. */
export function openShell(url: string, acknowledges: boolean): Promise<Shell> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  let unread = 0
  let waiting: { text: Buffer; tail: Buffer; bytes: number; resolve: (bytes: number) => void } | null = null
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) return
    if (acknowledges && (unread += data.length) >= ackEveryBytes) {
      socket.send(JSON.stringify({ type: 'ack', bytes: unread }))
      unread = 0
    }
    if (!waiting) return
    waiting.bytes += data.length
    const seen = Buffer.concat([waiting.tail, data])
    if (seen.includes(waiting.text)) {
      const { resolve, bytes } = waiting
      waiting = null
      resolve(bytes)
    } else waiting.tail = seen.subarray(-waiting.text.length)
  })
  const shell: Shell = {
    socket,
    type: text => socket.send(Buffer.from(text)),
    waitFor: (text, timeoutMs = 60_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () =>
            reject(
              new Error(
                `no ${JSON.stringify(text)} within ${timeoutMs} ms, after ${waiting?.bytes ?? 0} bytes that end in ${JSON.stringify(waiting?.tail.toString() ?? '')}`,
              ),
            ),
          timeoutMs,
        )
        waiting = {
          text: Buffer.from(text),
          tail: Buffer.alloc(0),
          bytes: 0,
          resolve: bytes => (clearTimeout(timer), resolve(bytes)),
        }
      }),
    close: () => socket.terminate(),
  }
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(shell))
    socket.once('error', reject)
  })
}

export async function openInstanceShell(
  client: Client,
  base: string,
  id: string,
  terminalId: string,
): Promise<Shell> {
  const { url } = await client.instances.terminal({ id, terminal_id: terminalId })
  return openShell(`${base.replace('http', 'ws')}${url}&cols=80&rows=24&flow=ack`, true)
}
