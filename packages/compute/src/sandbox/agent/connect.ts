/** A connection to a port of the machine's own loopback. */
import { connect as open, type Socket } from 'node:net'
import type { Peer } from './peer.ts'

/** A program that listens there has taken the connection by then: the kernel does it. */
const patienceMs = 2_000
const loopback = ['127.0.0.1', '::1']

export async function connect(peer: Peer, port: number): Promise<void> {
  let socket: Socket | null = null
  for (const host of loopback) socket ??= await dialled(host, port)
  if (!socket) return peer.refuse('nothing_listens')
  if (peer.closed.aborted) return void socket.destroy()
  peer.accept()
  peer.input.pipe(socket)
  socket.pipe(peer.output, { end: false })
  socket.once('end', () => peer.output.end(() => peer.end()))
  // Both halves have ended, or it was cut off.
  socket.once('close', hadError => void peer.finish({ ok: !hadError }))
  peer.closed.addEventListener('abort', () => socket?.destroy())
}

function dialled(host: string, port: number): Promise<Socket | null> {
  return new Promise(resolve => {
    const socket = open({ host, port, allowHalfOpen: true })
    const settle = (connected: boolean) => {
      clearTimeout(timer)
      socket.removeAllListeners('connect')
      if (!connected) socket.destroy()
      resolve(connected ? socket : null)
    }
    const timer = setTimeout(settle, patienceMs, false)
    socket.once('connect', () => settle(true))
    // Stays: a connection that is cut off later says so by closing.
    socket.on('error', () => settle(false))
  })
}
