/**
 * The floor of a terminal that outlives its server: a shell on a pty in a process of its own, which a unix socket leads
 * to, and a WebSocket relayed onto that. `keeper` as argument: the process with the shell.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from '@lydell/node-pty'
import { WebSocketServer } from 'ws'

const [role, path] = process.argv.slice(2)
if (role === 'keeper') keep(path!)
else await relay()

function keep(socketPath: string): void {
  const server = createServer(socket => {
    const pty = spawn('/bin/bash', ['--norc'], {
      cols: 80,
      rows: 24,
      encoding: null,
      env: { PATH: process.env['PATH'], PS1: '# ', TERM: 'xterm-256color' },
    })
    pty.onData(data => void socket.write(data as unknown as Buffer))
    socket.on('data', (data: Buffer) => pty.write(data as unknown as string))
    socket.on('close', () => pty.kill())
  })
  server.listen(socketPath, () => process.send!('up'))
  process.on('disconnect', () => process.exit())
}

async function relay(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-relay-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  process.on('SIGTERM', () => process.exit())
  const socketPath = join(dir, 'socket')
  const keeper = fork(import.meta.filename, ['keeper', socketPath])
  await once(keeper, 'message')
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  server.on('connection', socket => {
    const upstream = connect(socketPath)
    upstream.on('data', data => socket.send(data, { binary: true }))
    socket.on('message', (data: Buffer) => upstream.write(data))
    socket.on('close', () => upstream.destroy())
  })
  server.once('listening', () => process.send!((server.address() as { port: number }).port))
}
