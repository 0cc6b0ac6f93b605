/** The floor of the web terminal: a shell on a pty, a WebSocket, nothing between. */
import { spawn } from '@lydell/node-pty'
import { WebSocketServer } from 'ws'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
server.on('connection', socket => {
  const pty = spawn('/bin/bash', ['--norc'], {
    cols: 80,
    rows: 24,
    encoding: null,
    env: { PATH: process.env['PATH'], PS1: '# ', TERM: 'xterm-256color' },
  })
  pty.onData(data => socket.send(data as unknown as Buffer, { binary: true }))
  socket.on('message', (data: Buffer) => pty.write(data as unknown as string))
  socket.on('close', () => pty.kill())
})
server.once('listening', () => process.send!((server.address() as { port: number }).port))
