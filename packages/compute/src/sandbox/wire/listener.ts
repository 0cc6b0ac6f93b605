/**
 * The socket on which a machine's keeper listens. The control plane makes it, in a folder that the machine never sees,
 * and hands it to the keeper open: a machine can then neither take its place nor lead the control plane anywhere else,
 * and whoever connects before the keeper is up simply waits.
 *
 * Paths go through an open descriptor of the folder, because a socket's path has a limit of some hundred bytes.
 */
import { chmodSync, closeSync, constants, openSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** The keeper's of a running machine, and that of a stopped one. */
export type SocketName = 'keeper.sock' | 'clerk.sock'

export interface Listener {
  readonly fd: number
  /** Lets go of our end; the keeper goes on listening. */
  close(): void
}

export function listenIn(folder: string, name: SocketName = 'keeper.sock'): Promise<Listener> {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  const path = `/proc/self/fd/${descriptor}/${name}`
  const server = createServer()
  // A start that was cut off has left it.
  rmSync(`${path}.new`, { force: true })
  return new Promise<Listener>((resolve, reject) => {
    server.once('error', reject)
    // A server removes its file when it closes; under another name the file stays.
    server.listen(`${path}.new`, () => {
      try {
        chmodSync(`${path}.new`, 0o600)
        renameSync(`${path}.new`, path)
        resolve({ fd: descriptorOf(server), close: () => server.close() })
      } catch (error) {
        // Another control plane starts the same machine and was faster.
        server.close()
        reject(error)
      }
    })
  }).finally(() => closeSync(descriptor))
}

/** Node has no public name for it. */
function descriptorOf(server: Server): number {
  const fd = (server as unknown as { _handle?: { fd?: number } })._handle?.fd
  if (fd === undefined || fd < 0) throw new Error('the listening socket has no descriptor')
  return fd
}

/** Connects to the keeper. Throws when the folder is gone; the socket reports anything else as any socket does. */
export function connectIn(folder: string, name: SocketName): Socket {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    // The kernel has followed the path when this returns.
    return connect(`/proc/self/fd/${descriptor}/${name}`)
  } finally {
    closeSync(descriptor)
  }
}
