/** A keeper that a customer has taken over: whatever it says and however much, it costs the control plane little. */
import { once } from 'node:events'
import { expect, it } from 'vitest'
import type { TerminalStream } from '../../driver.ts'
import { asked, flood, welcome } from '../testing/taken-over-keeper.ts'
import { terminalStream } from './terminal-stream.ts'

async function isClosed(stream: TerminalStream): Promise<boolean> {
  stream.resume()
  if (!stream.closed) await once(stream, 'close')
  return stream.destroyed
}

it('a keeper that writes without end and never reads is left alone', { timeout: 60_000 }, async () => {
  const contact = await asked(socket => {
    socket.pause()
    welcome(socket)
    flood(socket, Buffer.alloc(256 * 1024))
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
