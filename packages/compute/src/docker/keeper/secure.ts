/**
 * A keeper's connections over a network: TLS with a key that both sides have, so neither talks to anybody else and
 * nobody in between reads or writes. Keys of a connection are made for it, so one that is found out later opens nothing
 * of before. There is no certificate to make, to spread or to renew.
 */
import { connect, createServer, type Server, type TLSSocket } from 'node:tls'

export interface Address {
  readonly host: string
  readonly port: number
}

/** TLS 1.3 has such keys too; Node can't use them there. */
const settings = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const
const identity = 'ingot'
/** Whoever has no key costs no more. */
const handshakeMs = 5_000
const maxConnections = 4_096

/** Serves whoever has `secret`. */
export function secureServer(secret: Buffer, serve: (socket: TLSSocket) => void): Server {
  const psk = (_: unknown, claimed: string) => (claimed === identity ? secret : null)
  const server = createServer({ ...settings, pskCallback: psk, handshakeTimeout: handshakeMs }, socket => {
    // A typed character does not wait for another.
    socket.setNoDelay(true)
    serve(socket)
  })
  server.maxConnections = maxConnections
  server.on('tlsClientError', (_, socket) => socket.destroy())
  return server
}

/** Whoever answers has `secret`. */
export function connectSecurely({ host, port }: Address, secret: Buffer): TLSSocket {
  const socket = connect({
    ...settings,
    host,
    port,
    pskCallback: () => ({ psk: secret, identity }),
    // It has the key: there is nothing else that would say who it is.
    checkServerIdentity: () => undefined,
  })
  socket.setNoDelay(true)
  return socket
}
