/** A keeper that a customer has taken over: whatever it says and however much, it costs the control plane little. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { TerminalStream } from '../driver.ts'
import { ask, terminalStream } from './terminal-stream.ts'

const request = { kind: 'attach', terminalId: 'main', cols: 80, rows: 24 } as const

/** Asks a keeper that does this with each connection. */
async function asked(behaviour: (socket: Socket) => void, patienceMs = 5_000) {
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

const welcome = (socket: Socket) => socket.write('{"protocol":1,"ok":true,"known":false}\n')

async function isClosed(stream: TerminalStream): Promise<boolean> {
  stream.resume()
  if (!stream.closed) await once(stream, 'close')
  return stream.destroyed
}

it('a keeper that writes without end and never reads is left alone', { timeout: 60_000 }, async () => {
  const contact = await asked(socket => {
    socket.pause()
    welcome(socket)
    const flood = Buffer.alloc(256 * 1024)
    const write = () => {
      while (socket.writable && socket.write(flood));
    }
    socket.on('drain', write)
    write()
  })
  expect(await isClosed(terminalStream(contact!))).toBe(true)
})

it('a viewer who resizes without end before a keeper that never reads is let go of', async () => {
  const contact = await asked(socket => {
    socket.pause()
    welcome(socket)
  })
  const stream = terminalStream(contact!)
  for (let cols = 0; cols < 10_000; cols++) stream.resize({ cols, rows: 24 })
  expect(await isClosed(stream)).toBe(true)
})

it.each([
  ['too long', `{"protocol":1,"ok":true,"known":false,"more":"${'x'.repeat(8_000)}"}\n`],
  ['in a language of its own', '{"protocol":1,"ok":false,"error":"toString"}\n'],
  ['nothing', 'null\n'],
])('an answer that is %s is none', async (_, answer) => {
  expect(await asked(socket => void socket.end(answer))).toBeNull()
})
