/**
 * What a terminal shows, for whoever comes to it later. Output is only kept, up to 256 KiB; a headless terminal reads
 * it when a screen is asked for, or when the kept part has filled up slowly enough to read along. In a flood the
 * older half is dropped unread, but never what it switched on or off, and never in the middle of a sequence or a
 * character.
 *
 * A snapshot begins with a full reset, so it is right for a fresh viewer and for one that has fallen behind, and ends
 * with the bytes of a sequence that is not complete yet, so that the output which follows it continues.
 */
import type { SerializeAddon } from '@xterm/addon-serialize'
import type { Terminal } from '@xterm/headless'
import { createEscapeScanner } from './escapes.ts'
import { createModes } from './modes.ts'

export interface Size {
  readonly cols: number
  readonly rows: number
}

export interface Screen {
  /** Output was dropped since the last snapshot: a full-screen program should be asked to draw again. */
  readonly isIncomplete: boolean
  readonly isAlternate: boolean
  /** Copies what it keeps. */
  push(data: Buffer): void
  resize(size: Size): void
  /** The screen after all that was pushed. Nothing may be pushed until it is answered. */
  snapshot(): Promise<Buffer>
}

interface Headless {
  readonly terminal: Terminal
  readonly serializer: SerializeAddon
}

const maxKept = 256 * 1024
const halfKept = maxKept / 2
/** The second half of what is kept filling within this time is a flood: reading along would slow the program. */
const floodMs = 250
const scrollback = 1000
/** A viewer may change its size at every byte. */
const maxResizes = 100

export function createScreen(initial: Size): Screen {
  const modes = createModes()
  const missed = createModes()
  let isDropping = false
  const scanner = createEscapeScanner((kind, body) => {
    modes.note(kind, body)
    if (isDropping) missed.note(kind, body)
  })
  let kept = Buffer.allocUnsafe(4096)
  let length = 0
  /** Changes of size, each with the byte of what is kept before which it came. */
  let resizes: { at: number; size: Size }[] = []
  let halfFullAt = 0
  let hasMissed = false
  let isIncomplete = false
  let reading: Promise<Headless> | null = null

  function keep(data: Buffer): void {
    if (length + data.length > kept.length) {
      const larger = Buffer.allocUnsafe(Math.min(maxKept, Math.max(kept.length * 2, length + data.length)))
      kept.copy(larger, 0, 0, length)
      kept = larger
    }
    if (length <= halfKept && length + data.length > halfKept) halfFullAt = performance.now()
    data.copy(kept, length)
    length += data.length
  }

  /** Forgets the first bytes. */
  function forget(count: number): void {
    kept.copyWithin(0, count, length)
    length -= count
    // Only the last change of size among them still matters.
    const past = resizes.filter(({ at }) => at <= count).slice(-1)
    resizes = [...past, ...resizes.filter(({ at }) => at > count)].map(({ at, size }) => ({
      at: Math.max(0, at - count),
      size,
    }))
  }

  /** Throws away at least the older half unread, up to where plain text begins: a cut sequence would be read as text. */
  function drop(): void {
    isDropping = true
    const older = Math.max(0, length - halfKept)
    scanner.scan(kept.subarray(0, older))
    forget(older)
    isDropping = false
    hasMissed = true
    isIncomplete = true
    closeSequence()
  }

  function closeSequence(): void {
    isDropping = true
    const data = kept.subarray(0, length)
    let from = scanner.toGround(data)
    while (isContinuation(data[from])) from++
    isDropping = false
    if (from > 0) forget(from)
  }

  /** Takes what is kept, up to where it may be cut. */
  function take(): (Buffer | Size)[] {
    const safe = scanner.scan(kept.subarray(0, length))
    scanner.rewind()
    const taken: (Buffer | Size)[] = []
    let from = 0
    for (const { at, size } of resizes) {
      const to = Math.min(at, safe)
      taken.push(Buffer.from(kept.subarray(from, to)), size)
      from = to
    }
    taken.push(Buffer.from(kept.subarray(from, safe)))
    resizes = []
    forget(safe)
    return taken
  }

  /** Has the headless terminal read all that is kept, after whatever it is reading now. */
  function readAlong(): Promise<Headless> {
    // A new line, so that what was dropped and what follows don't share one.
    const before = hasMissed ? `\u0018${missed.replay()}${modes.isAlternateScreen ? '' : '\r\n'}` : ''
    hasMissed = false
    missed.clear()
    const items = [before, ...take()]
    reading = (reading ?? load(initial)).then(async headless => {
      for (const item of items) await give(headless.terminal, item)
      return headless
    })
    return reading
  }

  return {
    get isIncomplete() {
      return isIncomplete
    },
    get isAlternate() {
      return modes.isAlternateScreen
    },

    push(data) {
      if (length + data.length > maxKept) {
        if (performance.now() - halfFullAt > floodMs) readAlong().catch(() => {})
        else drop()
      }
      keep(data)
      if (!scanner.isGround()) closeSequence()
    },

    resize(size) {
      // Of changes with nothing between them only the last matters; of many the latest.
      resizes = [...resizes.filter(({ at }) => at < length).slice(1 - maxResizes), { at: length, size }]
    },

    async snapshot() {
      const read = readAlong()
      const open = Buffer.from(kept.subarray(0, length))
      const extra = modes.unserialized()
      const margins = modes.margins
      isIncomplete = false
      const { terminal, serializer } = await read
      const { cursorX, cursorY } = terminal.buffer.active
      // Setting margins moves the cursor.
      const place = `\u001B[${cursorY + 1};${Math.min(cursorX, terminal.cols - 1) + 1}H`
      const screen = `\u001Bc${serializer.serialize({ scrollback })}${margins ? margins + place : ''}${extra}`
      return Buffer.concat([Buffer.from(screen), open])
    },
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

function give(terminal: Terminal, item: Buffer | Size | string): Promise<void> {
  return new Promise(resolve => {
    if (typeof item === 'string' || Buffer.isBuffer(item)) terminal.write(item, resolve)
    else {
      terminal.resize(item.cols, item.rows)
      resolve()
    }
  })
}

async function load(size: Size): Promise<Headless> {
  const [xterm, addon] = await Promise.all([import('@xterm/headless'), import('@xterm/addon-serialize')])
  const terminal = new xterm.default.Terminal({ ...size, scrollback, allowProposedApi: true })
  const serializer = new addon.SerializeAddon()
  terminal.loadAddon(serializer)
  return { terminal, serializer }
}
