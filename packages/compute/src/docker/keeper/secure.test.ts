import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connectSecurely, secureServer } from './secure.ts'

const secret = Buffer.alloc(32, 7)

const closed = (socket: Socket) => new Promise<void>(resolve => socket.once('close', () => resolve()))

async function listening() {
  const served: string[] = []
  const server = secureServer(secret, socket => {
    socket.on('error', () => {})
    socket.on('data', data => {
      served.push(String(data))
      socket.write(data)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { served, at: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } }
}

test('whoever has the key is served, over a connection that others can’t read', async () => {
  const { at, served } = await listening()
  const socket = connectSecurely(at, secret)
  socket.write('ls\n')
  expect(String((await once(socket, 'data'))[0])).toBe('ls\n')
  expect(socket.getCipher()).toMatchObject({ name: 'ECDHE-PSK-CHACHA20-POLY1305' })
  expect(served).toEqual(['ls\n'])
  socket.destroy()
})

test('nobody else is: not with another key, nor without any', async () => {
  const { at, served } = await listening()
  const wrong = connectSecurely(at, Buffer.alloc(32, 8))
  wrong.on('error', () => {})
  wrong.write('ls\n')
  await closed(wrong)
  const plain = connect(at)
  plain.on('error', () => {})
  plain.write('GET / HTTP/1.1\r\n\r\n')
  await closed(plain)
  expect(served).toEqual([])
})

test('and who has the key talks to nobody else', async () => {
  const impostor = secureServer(Buffer.alloc(32, 8), socket => void socket.on('error', () => {}))
  impostor.on('tlsClientError', () => {})
  await once(impostor.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void impostor.close())
  const socket = connectSecurely(
    { host: '127.0.0.1', port: (impostor.address() as AddressInfo).port },
    secret,
  )
  let isSecure = false
  socket.on('secureConnect', () => (isSecure = true))
  socket.on('error', () => {})
  socket.write('a secret')
  await closed(socket)
  expect(isSecure).toBe(false)
})
