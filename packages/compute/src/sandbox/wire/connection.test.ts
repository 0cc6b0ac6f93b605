/** Whatever a keeper says on a connection to a port and however much, it costs the control plane a window. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { asked, flood } from '../testing/taken-over-keeper.ts'
import { Connection } from './connection.ts'
import {
  ackFrame,
  createFrameReader,
  frame,
  frameType,
  inputWindowBytes,
  jsonFrame,
  resizeFrame,
} from './frames.ts'

const mebibyte = 2 ** 20
const output = (text: string | Buffer) => frame(frameType.output, Buffer.from(text))

/** A connection by a keeper that does this once it has taken the request. */
async function connectionTo(behaviour: (socket: Socket) => void): Promise<Connection> {
  const contact = await asked(socket => {
    socket.write('{"protocol":1,"ok":true,"known":true}\n', () => behaviour(socket))
  })
  return new Connection(contact!)
}

it('what nobody reads is left with the keeper, and comes when it is read', async () => {
  let written = 0
  const connection = await connectionTo(socket => {
    const piece = output(Buffer.alloc(64 * 1024))
    const write = () => {
      while (written < 400 && ++written && socket.write(piece));
      if (written === 400) socket.end(jsonFrame(frameType.result, { ok: true }))
    }
    socket.on('drain', write)
    write()
  })
  await expect.poll(() => connection.readableLength).toBeGreaterThan(0)
  let before = -1
  await expect.poll(() => before === (before = written), { interval: 100 }).toBe(true)
  expect(written).toBeLessThan(100)
  expect(connection.readableLength).toBeLessThan(mebibyte)
  expect((await buffer(connection)).length).toBe(400 * 64 * 1024)
})

it('what is written goes no further ahead than a window, and on as it is taken; each side ends its half', async () => {
  let received = 0
  let keeper: Socket
  const connection = await connectionTo(socket => {
    keeper = socket
    const read = createFrameReader((type, payload) => {
      if (type === frameType.input) received += payload.length
      if (type === frameType.end)
        socket.end(Buffer.concat([output('whole'), jsonFrame(frameType.result, { ok: true })]))
    })
    socket.on('data', read)
  })
  connection.end(Buffer.alloc(4 * mebibyte))
  await expect.poll(() => received).toBe(inputWindowBytes)
  const more = setInterval(() => keeper.write(ackFrame(inputWindowBytes)), 5)
  expect(String(await buffer(connection))).toBe('whole')
  clearInterval(more)
  expect(received).toBe(4 * mebibyte)
  await connection.over
})

it.each([
  ['goes away', (socket: Socket) => void setTimeout(() => socket.destroy(), 20)],
  ['speaks of a frame that a keeper has not', (socket: Socket) => void socket.write(resizeFrame(1, 1))],
  ['speaks of a frame that nobody has', (socket: Socket) => void socket.write(Buffer.from([99, 0, 0, 0, 0]))],
  [
    'goes on after the end',
    (socket: Socket) => {
      socket.write(
        Buffer.concat([
          frame(frameType.end),
          output('more'),
          frame(frameType.end),
          jsonFrame(frameType.result, {}),
          output('more'),
        ]),
      )
    },
  ],
])('a keeper that %s is let go of', async (_, behaviour) => {
  const connection = await connectionTo(behaviour)
  // What is written to one that has ended already is refused.
  connection.on('error', () => {})
  connection.write(Buffer.alloc(4 * mebibyte))
  connection.resume()
  await Promise.all([connection.over, new Promise(resolve => connection.once('close', resolve))])
  expect(connection.destroyed).toBe(true)
})

it('a connection that is given up is gone at once, whatever the keeper does', async () => {
  const connection = await connectionTo(socket => flood(socket, output(Buffer.alloc(64 * 1024))))
  connection.write(Buffer.alloc(4 * mebibyte))
  await once(connection, 'readable')
  connection.destroy()
  expect(await connection.over).toBeUndefined()
})
