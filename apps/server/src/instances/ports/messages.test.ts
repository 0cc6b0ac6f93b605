import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMessageFinder } from './messages.ts'

/** As a client sends it: masked, with a length of one, three or nine bytes. */
function frame(code: number, bytes: number): Buffer {
  const long = bytes > 65_535
  const head = Buffer.alloc(2 + (long ? 8 : bytes > 125 ? 2 : 0) + 4)
  head[0] = 0x80 | code
  head[1] = 0x80 | (long ? 127 : bytes > 125 ? 126 : bytes)
  if (long) head.writeBigUInt64BE(BigInt(bytes), 2)
  else if (bytes > 125) head.writeUInt16BE(bytes, 2)
  return Buffer.concat([head, Buffer.alloc(bytes, 0x81)])
}

const frames = fc.array(
  fc.record({
    code: fc.constantFrom(0, 1, 2, 8, 9, 10),
    bytes: fc.constantFrom(0, 1, 2, 3, 125, 126, 200, 65_535, 65_536, 70_000),
  }),
  { maxLength: 12 },
)

test('messages are found however they are cut into pieces; pings and single letters are none', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1 }), (all, cuts) => {
      let found = 0
      const find = createMessageFinder(() => found++)
      const bytes = Buffer.concat(all.map(({ code, bytes: length }) => frame(code, length)))
      for (let at = 0, n = 0; at < bytes.length; n++) {
        const size = cuts[n % cuts.length]!
        find(bytes.subarray(at, at + size))
        at += size
      }
      expect(found).toBe(all.filter(({ code, bytes: length }) => code < 8 && length > 1).length)
    }),
    { numRuns: 200 },
  )
})

test('also when each byte comes alone', () => {
  let found = 0
  const find = createMessageFinder(() => found++)
  for (const byte of Buffer.concat([frame(1, 300), frame(9, 4), frame(2, 2)])) find(Buffer.of(byte))
  expect(found).toBe(2)
})
