/** Whatever a keeper says on a channel and however much, it costs the control plane a window. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { asked, flood } from '../testing/taken-over-keeper.ts'
import { type Channel, openChannel } from './channel.ts'
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

/** A channel to a keeper that does this once it has taken the request. */
async function channelTo(behaviour: (socket: Socket) => void): Promise<Channel> {
  const contact = await asked(socket => {
    socket.write('{"protocol":1,"ok":true,"known":true}\n', () => behaviour(socket))
  })
  return openChannel(contact!)
}

it.each([frameType.output, frameType.errors])(
  'output of kind %i that nobody reads is left with the keeper, and comes when it is read',
  async type => {
    let written = 0
    const channel = await channelTo(socket => {
      const piece = frame(type, Buffer.alloc(64 * 1024))
      const write = () => {
        while (written < 400 && ++written && socket.write(piece));
        if (written === 400) socket.end(jsonFrame(frameType.result, { code: 0 }))
      }
      socket.on('drain', write)
      write()
    })
    const stream = type === frameType.output ? channel.output : channel.errors
    await expect.poll(() => stream.readableLength).toBeGreaterThan(0)
    let before = -1
    await expect.poll(() => before === (before = written), { interval: 100 }).toBe(true)
    expect(written).toBeLessThan(100)
    expect(stream.readableLength).toBeLessThan(mebibyte)
    let read = 0
    for await (const chunk of stream as AsyncIterable<Buffer>) read += chunk.length
    expect(read).toBe(400 * 64 * 1024)
    expect(await channel.result).toEqual({ code: 0 })
  },
)

it('one output that is thrown away does not hold up the other', async () => {
  const channel = await channelTo(socket => {
    for (let round = 0; round < 20; round++) socket.write(frame(frameType.errors, Buffer.alloc(64 * 1024)))
    socket.write(frame(frameType.output, Buffer.from('said')))
    socket.end(jsonFrame(frameType.result, {}))
  })
  await once(channel.errors, 'readable')
  channel.errors.destroy()
  expect(String(await once(channel.output, 'data'))).toBe('said')
  expect(await channel.result).toEqual({})
})

it('input goes no further ahead than a window, and on as it is taken', async () => {
  let received = 0
  let keeper: Socket
  const channel = await channelTo(socket => {
    keeper = socket
    const read = createFrameReader((type, payload) => {
      if (type === frameType.input) received += payload.length
      if (type === frameType.end) socket.end(jsonFrame(frameType.result, { received }))
    })
    socket.on('data', read)
  })
  channel.input.end(Buffer.alloc(4 * mebibyte))
  await expect.poll(() => received).toBe(inputWindowBytes)
  const more = setInterval(() => keeper.write(ackFrame(inputWindowBytes)), 5)
  expect(await channel.result).toEqual({ received: 4 * mebibyte })
  clearInterval(more)
})

it.each([
  ['takes no input and never reads', (socket: Socket) => void socket.pause()],
  ['goes away', (socket: Socket) => void setTimeout(() => socket.destroy(), 20)],
  ['speaks of a frame that a keeper has not', (socket: Socket) => void socket.write(resizeFrame(1, 1))],
  ['speaks of a frame that nobody has', (socket: Socket) => void socket.write(Buffer.from([99, 0, 0, 0, 0]))],
  [
    'has a last word of a gigabyte',
    (socket: Socket) => void socket.write(Buffer.from([frameType.result, 64, 0, 0, 0])),
  ],
  [
    'has a last word that is no JSON',
    (socket: Socket) => void socket.write(frame(frameType.result, Buffer.from('{'))),
  ],
])('a keeper that %s is let go of, and the caller with it', async (_, behaviour) => {
  const channel = await channelTo(behaviour)
  channel.input.write(Buffer.alloc(4 * mebibyte))
  for (let times = 0; times < 100_000; times++) channel.say(resizeFrame(80, 24))
  channel.output.resume()
  channel.errors.resume()
  expect(await channel.result).toBeNull()
  await Promise.all([channel.output, channel.errors].map(stream => stream.closed || once(stream, 'close')))
})

it.each([
  ['its end', frameType.output, frame(frameType.end)],
  ['the last word', frameType.output, jsonFrame(frameType.result, {})],
  ['the last word', frameType.errors, jsonFrame(frameType.result, {})],
])('what comes after %s, of kind %i, is not taken, and the keeper is let go of', async (_, type, last) => {
  const more = frame(type, Buffer.from('more'))
  const channel = await channelTo(socket => void socket.write(Buffer.concat([last, more, last, more])))
  let read = 0
  channel.output.on('data', () => read++)
  channel.errors.on('data', () => read++)
  await channel.result
  await Promise.all([channel.output, channel.errors].map(stream => stream.closed || once(stream, 'close')))
  expect(read).toBe(0)
})

it('a keeper that acknowledges without end is one that never did more than read', async () => {
  const channel = await channelTo(socket => flood(socket, ackFrame(0xffff_ffff)))
  let isTaken = false
  channel.input.write(Buffer.alloc(mebibyte), () => (isTaken = true))
  await expect.poll(() => isTaken).toBe(true)
  channel.close()
  expect(await channel.result).toBeNull()
})
