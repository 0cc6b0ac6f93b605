/** Finds the messages in what a client sends over a WebSocket, without keeping any of it: only heads of frames are read. */

const mostHead = 14
/** Engines that keep connections alive with messages (`2`, `3`) send one letter. */
const leastBytes = 2
const firstControlCode = 8

/** Calls `onMessage` for each frame that carries something; pings, pongs and the like do not count. */
export function createMessageFinder(onMessage: () => void): (chunk: Buffer) => void {
  let head = Buffer.alloc(0)
  let left = 0
  return chunk => {
    let at = 0
    while (at < chunk.length) {
      if (left > 0) {
        const skipped = Math.min(left, chunk.length - at)
        left -= skipped
        at += skipped
        continue
      }
      const taken = Math.min(mostHead, chunk.length - at)
      const known = head.length
      head = Buffer.concat([head, chunk.subarray(at, at + taken)]).subarray(0, mostHead)
      const size = headBytes(head)
      if (size === null || head.length < size) {
        at += head.length - known
        continue
      }
      at += size - known
      left = payloadBytes(head)
      if ((head[0]! & 0x0f) < firstControlCode && left >= leastBytes) onMessage()
      head = Buffer.alloc(0)
    }
  }
}

/** Null: more of it must come first. */
function headBytes(head: Buffer): number | null {
  if (head.length < 2) return null
  const length = head[1]! & 0x7f
  return 2 + (length === 127 ? 8 : length === 126 ? 2 : 0) + (head[1]! & 0x80 ? 4 : 0)
}

function payloadBytes(head: Buffer): number {
  const length = head[1]! & 0x7f
  if (length === 126) return head.readUInt16BE(2)
  return length === 127 ? Number(head.readBigUInt64BE(2)) : length
}
