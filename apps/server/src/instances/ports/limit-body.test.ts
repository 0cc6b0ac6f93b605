import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { limitBody } from './front.ts'

test('a body that does not end ends its connection, one that does is heard, and a request without any has time', async () => {
  const server = createServer((request, response) => {
    limitBody(request, 100)
    request.resume().on('end', () => setTimeout(() => response.end('heard'), 200))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const send = (text: string) =>
    new Promise<string>(resolve => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      let all = ''
      socket.on('data', part => (all += String(part)))
      socket.on('close', () => resolve(all))
      socket.write(text)
    })
  const head = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
  expect(await send(`${head}Content-Length: 5\r\n\r\nhel`)).toMatch(/^HTTP\/1\.1 408 /)
  expect(await send(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`)).toMatch(/^HTTP\/1\.1 408 /)
  expect(await send(`${head}Content-Length: 5\r\n\r\nhello`)).toMatch(/heard$/)
  expect(await send('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(/heard$/)
  server.close()
})
