/**
 * Carries what a machine sends to an SSH client, no faster than it is taken. A client says itself how much it will take on
 * a channel, so its word is not enough: the connection's own socket is watched too, or a flood would fill our memory.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'

const mostUnsentBytes = 1024 * 1024

/** Resolves when all of it has been handed over, or nobody takes it any more; it never rejects. */
export async function relay(
  source: Readable,
  target: Writable,
  socket: Socket,
  signal: AbortSignal,
): Promise<void> {
  const stop = () => source.destroy()
  signal.addEventListener('abort', stop)
  try {
    for await (const chunk of source) {
      if (signal.aborted) return
      if (!target.write(chunk)) await once(target, 'drain', { signal })
      await untilSent(socket, signal)
    }
    // What was written before has gone out once this has.
    await Promise.race([
      new Promise<void>(resolve => target.write(Buffer.alloc(0), () => resolve())),
      once(signal, 'abort'),
    ])
  } catch {
    source.destroy()
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Until the socket has sent most of what it holds. Rejects when the connection is over. */
export async function untilSent(socket: Socket, signal: AbortSignal): Promise<void> {
  while (socket.writableLength > mostUnsentBytes) await once(socket, 'drain', { signal })
}
