/** Whoever can speak to an engine owns its host: it is spoken to over a socket, over TLS, or not at all. */
import { describe, expect, it } from 'vitest'
import { createEntryReader, demux, type Output } from './demux.ts'
import { openEngine, statusOf } from './engine.ts'

describe('an engine’s address', () => {
  it('on another host is refused without TLS', () => {
    for (const address of ['tcp://10.1.2.3:2375', 'tcp://host.example', 'tcp://[fd00::1]:2375'])
      expect(() => openEngine({ address })).toThrow('TLS')
    for (const address of ['http://127.0.0.1:2375', 'ssh://host', 'host:2375'])
      expect(() => openEngine({ address })).toThrow('unix:// or tcp://')
    expect(() => openEngine({ address: 'tcp://127.0.0.1:2375' })).not.toThrow()
  })

  it('where nothing is answers with a failure, and soon', async () => {
    const engine = openEngine({ address: 'unix:///nonexistent/docker.sock' })
    const error: unknown = await engine.hijack('/exec/x/start', {}).catch((error: unknown) => error)
    expect(statusOf(error)).toBeNull()
    await expect(engine.calls.ping()).rejects.toThrow('ENOENT')
  })
})

const piece = (output: number, text: string) => {
  const head = Buffer.alloc(8)
  head[0] = output
  head.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([head, Buffer.from(text)])
}

describe('what a container writes', () => {
  const all = Buffer.concat([piece(1, 'one'), piece(2, 'two'), piece(1, ''), piece(1, 'three')])

  it('is told apart however it is cut', async () => {
    for (let size = 1; size <= all.length; size++) {
      let errors = ''
      const stream = demux(part => {
        errors += String(part)
      })
      for (let at = 0; at < all.length; at += size) stream.write(all.subarray(at, at + size))
      stream.end()
      expect([Buffer.concat(await stream.toArray()).toString(), errors]).toEqual(['onethree', 'two'])
    }
  })

  it('is read entry by entry, and an entry longer than any is an error before it is collected', () => {
    for (let size = 1; size <= all.length; size++) {
      const entries: [Output, string][] = []
      const read = createEntryReader((output, entry) => entries.push([output, entry.toString()]))
      for (let at = 0; at < all.length; at += size) read(all.subarray(at, at + size))
      expect(entries).toEqual([
        ['stdout', 'one'],
        ['stderr', 'two'],
        ['stdout', ''],
        ['stdout', 'three'],
      ])
    }
    const head = Buffer.from([1, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff])
    expect(() => createEntryReader(() => {})(head)).toThrow('bytes')
  })
})
