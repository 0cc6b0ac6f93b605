/**
 * Follows the escape sequences in a terminal's output without emulating it: where output can be cut without cutting a
 * sequence or a character in two, and which sequences set something that outlives the text. Plain text costs one
 * native search per piece, so a flood passes at memory speed.
 *
 * Sequences longer than `maxBody` (images, clipboards) are followed to their end but not reported.
 */
export type Sequence = (kind: 'csi' | 'escape' | 'osc', body: string) => void

const maxBody = 512
const [bell, cancel, substitute, escape] = [0x07, 0x18, 0x1a, 0x1b]

type State = 'ground' | 'escape' | 'csi' | 'string' | 'string-escape'

export function createEscapeScanner(onSequence: Sequence) {
  let state = 'ground' as State
  let isOsc = false
  let body = ''

  const isGround = () => state === 'ground'

  function finish(kind: Parameters<Sequence>[0]): void {
    state = 'ground'
    if (body.length <= maxBody) onSequence(kind, body)
  }

  function collect(byte: number): void {
    if (body.length <= maxBody) body += String.fromCharCode(byte)
  }

  /** The byte after ESC: the start of a longer sequence, an intermediate, or the end of a short one. */
  function afterEscape(byte: number): void {
    if (byte === 0x5b && body === '') state = 'csi'
    else if (
      (byte === 0x5d || byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) &&
      body === ''
    ) {
      isOsc = byte === 0x5d
      state = 'string'
    } else {
      collect(byte)
      if (byte >= 0x30) finish('escape')
    }
  }

  function step(byte: number): void {
    if (byte === cancel || byte === substitute) {
      state = 'ground'
    } else if (byte === escape) {
      // Within a string it may be the first half of its terminator; anywhere else a new sequence starts.
      if (state === 'string') state = 'string-escape'
      else {
        state = 'escape'
        body = ''
      }
    } else if (state === 'escape') {
      afterEscape(byte)
    } else if (state === 'csi') {
      collect(byte)
      if (byte >= 0x40) finish('csi')
    } else if (state === 'string') {
      if (byte !== bell) collect(byte)
      else if (isOsc) finish('osc')
    } else if (byte === 0x5c) {
      if (isOsc) finish('osc')
      else state = 'ground'
    } else {
      state = 'escape'
      body = ''
      afterEscape(byte)
    }
  }

  /** Steps from `from` until the output is plain again; answers where. */
  function toGround(data: Buffer, from: number): number {
    let at = from
    while (at < data.length && !isGround()) step(data[at++]!)
    return at
  }

  return {
    isGround,

    toGround: (data: Buffer) => toGround(data, 0),

    /** Reads it all; answers up to where it may be cut: the end, unless a sequence or a character is open there. */
    scan(data: Buffer): number {
      let at = toGround(data, 0)
      while (isGround()) {
        const start = data.indexOf(escape, at)
        if (start === -1) return data.length - openCharacter(data)
        state = 'escape'
        body = ''
        at = toGround(data, start + 1)
        if (!isGround()) return start
      }
      return 0
    },

    /** Forgets an open sequence: what was not cut off is scanned again. */
    rewind(): void {
      state = 'ground'
    },
  }
}

/** How many bytes at the end are the beginning of a character that is not complete. */
function openCharacter(data: Buffer): number {
  for (let back = 1; back <= Math.min(3, data.length); back++) {
    const byte = data[data.length - back]!
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}
