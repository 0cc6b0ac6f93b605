/** A keeper that a customer has taken over: it does with each connection what a test says. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ask, type Contact } from '../wire/contact.ts'

const request = { kind: 'attach', terminalId: 'main', cols: 80, rows: 24 } as const

export async function asked(
  behaviour: (socket: Socket) => void,
  patienceMs = 5_000,
): Promise<Contact | null> {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-keeper-'))
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
    behaviour(socket)
  })
  server.listen(join(folder, 'keeper.sock'))
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return ask(folder, request, patienceMs)
}

export const welcome = (socket: Socket): boolean => socket.write('{"protocol":1,"ok":true,"known":false}\n')

/** Writes as fast as the connection takes it. */
export function flood(socket: Socket, data: Buffer): void {
  const write = () => {
    while (socket.writable && socket.write(data));
  }
  socket.on('drain', write)
  write()
}
