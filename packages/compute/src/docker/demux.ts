/**
 * What a container without a terminal writes comes in pieces: a stream's number, three zeros, a length, the bytes. The
 * pieces are handed on as they arrive, so a large one is never collected; `createEntryReader` hands on whole ones, as
 * the log has them.
 */
import { Transform } from 'node:stream'

const headerBytes = 8
/** The engine cuts what it logs at 16 KiB; more than this in one piece is no log. */
const maxEntryBytes = 256 * 1024

export type Output = 'stdout' | 'stderr'

const outputOf = (number: number): Output => (number === 2 ? 'stderr' : 'stdout')

/** Yields what was written to `stdout`; what came on `stderr` goes to `onError`. */
export function demux(onError: (part: Buffer) => void): Transform {
  let rest: Buffer = Buffer.alloc(0)
  let left = 0
  let from: Output = 'stdout'
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      rest = Buffer.alloc(0)
      while (data.length > 0) {
        if (left === 0) {
          if (data.length < headerBytes) {
            rest = data
            break
          }
          from = outputOf(data[0]!)
          left = data.readUInt32BE(4)
          data = data.subarray(headerBytes)
          continue
        }
        const part = data.subarray(0, left)
        left -= part.length
        data = data.subarray(part.length)
        if (from === 'stdout') this.push(part)
        else onError(part)
      }
      callback()
    },
  })
}

/** Cuts into whole entries. Throws where they are longer than any log's. */
export function createEntryReader(onEntry: (output: Output, entry: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return chunk => {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    while (data.length >= headerBytes) {
      const length = data.readUInt32BE(4)
      if (length > maxEntryBytes) throw new Error(`a log entry of ${length} bytes`)
      if (data.length < headerBytes + length) break
      onEntry(outputOf(data[0]!), data.subarray(headerBytes, headerBytes + length))
      data = data.subarray(headerBytes + length)
    }
    rest = data
  }
}
