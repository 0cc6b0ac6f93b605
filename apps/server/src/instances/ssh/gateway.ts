/**
 * The SSH gateway: `ssh user@host` leads into an instance, whatever driver runs it. Nothing of SSH is in the machine: a
 * shell or a command is the driver's `exec`, a forwarded connection its `connect`, files its `files`.
 */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import ssh2 from 'ssh2'
import { networkOf } from '../../auth/limits.ts'
import { type ConnectionNeeds, openConnection } from './connection.ts'
import { hostKey } from './host-key.ts'
import { createRooms } from './rooms.ts'
import { watchEntries } from './watch-entries.ts'

type GatewayNeeds = Omit<ConnectionNeeds, 'watched' | 'rooms'>

/** Those that have not signed in. */
const mostStrangers = 256
const mostStrangersPerNetwork = 64
const handshakeMs = 15_000

/** What OpenSSH of the last ten years knows. ChaCha20 is left out: Node has no fast one, and clients would choose it. */
const algorithms: ssh2.Algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes192-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  // A few bytes would become many.
  compress: ['none'],
}

export interface Gateway {
  close(): Promise<void>
}

/** Rejects when it can't listen there. */
export async function startSshGateway(
  given: GatewayNeeds,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Gateway> {
  const { privateKey } = await hostKey(given)
  const needs = { ...given, watched: watchEntries(given.database, given.log), rooms: createRooms() }
  const sockets = new Set<Socket>()
  const strangers = new Map<Socket, string>()
  const protocol = new ssh2.Server({ hostKeys: [privateKey], algorithms, ident: 'Ingot' })
  protocol.on('connection', client => {
    // It says of its socket only where it comes from, and that is not enough to know it by.
    const { _sock: socket } = client as unknown as { readonly _sock: Socket }
    client.once('ready', () => strangers.delete(socket))
    openConnection(needs, client, socket)
  })
  const server = createServer({ noDelay: true, keepAlive: true }, socket => {
    const network = networkOf(socket.remoteAddress ?? null)
    const near = [...strangers.values()].filter(each => each === network).length
    if (strangers.size >= mostStrangers || near >= mostStrangersPerNetwork) return void socket.destroy()
    sockets.add(socket)
    strangers.set(socket, network)
    // Until it has said that it speaks SSH, nobody else looks at it.
    const silent = setTimeout(() => socket.destroy(), handshakeMs)
    socket.once('data', () => clearTimeout(silent))
    socket.once('close', () => {
      clearTimeout(silent)
      sockets.delete(socket)
      strangers.delete(socket)
    })
    socket.on('error', () => {})
    protocol.injectSocket(socket)
  })
  server.listen(port, host)
  await once(server, 'listening')
  return {
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
