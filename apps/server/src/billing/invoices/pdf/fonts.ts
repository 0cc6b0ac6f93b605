/**
 * The fonts of a PDF: that of the console for Latin letters, and one that looks like it for Greek, Cyrillic and
 * Vietnamese. Whatever neither has is drawn as an empty box: visible, and never an error.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inflateSync } from 'node:zlib'
import * as fontkit from 'fontkit'

export type Weight = 400 | 600

export interface Run {
  /** The name of the font; null: no font has these characters. */
  readonly font: string | null
  readonly text: string
}

const require = createRequire(import.meta.url)
const subsets = [
  ['mona-sans', 'latin'],
  ['mona-sans', 'latin-ext'],
  ['inter', 'greek'],
  ['inter', 'cyrillic'],
  ['inter', 'cyrillic-ext'],
  ['inter', 'vietnamese'],
  ['inter', 'greek-ext'],
] as const

interface Face {
  readonly name: string
  readonly bytes: Buffer
  readonly codePoints: ReadonlySet<number>
}

/**
 * A font of the web (WOFF 1.0) as it was before it was packed: its tables, each unpacked. Once for a process: a library
 * that reads the packed one unpacks it again for each document, in JavaScript.
 */
function unpack(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12)
  const head = Buffer.alloc(12 + 16 * count)
  woff.copy(head, 0, 4, 8)
  head.writeUInt16BE(count, 4)
  const log = Math.floor(Math.log2(count))
  head.writeUInt16BE(16 * 2 ** log, 6)
  head.writeUInt16BE(log, 8)
  head.writeUInt16BE(16 * (count - 2 ** log), 10)
  const parts: Buffer[] = [head]
  let end = head.length
  for (let n = 0; n < count; n++) {
    const entry = 44 + 20 * n
    const [at, packed, length, checksum] = [4, 8, 12, 16].map(offset => woff.readUInt32BE(entry + offset))
    const table = woff.subarray(at!, at! + packed!)
    const bytes = packed! < length! ? inflateSync(table) : table
    woff.copy(head, 12 + 16 * n, entry, entry + 4)
    head.writeUInt32BE(checksum!, 16 + 16 * n)
    head.writeUInt32BE(end, 20 + 16 * n)
    head.writeUInt32BE(length!, 24 + 16 * n)
    const padding = Buffer.alloc((4 - (length! % 4)) % 4)
    parts.push(bytes, padding)
    end += length! + padding.length
  }
  return Buffer.concat(parts)
}

/** Amounts: what stands in columns below each other. */
const isFigures = /^−?\$?[\d,]+\.\d+$/

/**
 * Made anew for each document, which then has the same bytes whatever was drawn before it. Digits of amounts have one
 * width. No two amounts of a long invoice are the same, and to shape each of them took most of the time: they are put
 * together from their signs.
 */
export function openFont({ bytes }: Face): fontkit.Font {
  const font = fontkit.create(bytes) as fontkit.Font
  const signs = new Map<string, fontkit.GlyphRun>()
  const signOf = (char: string): fontkit.GlyphRun => {
    const sign = signs.get(char) ?? font.layout(char, ['tnum'])
    signs.set(char, sign)
    return sign
  }
  const layout = (text: string) => {
    if (!isFigures.test(text)) return font.layout(text)
    const runs = [...text].map(signOf)
    // Who draws them scales the positions, and asks for the width then.
    const positions = runs.flatMap(run => run.positions.map(position => ({ ...position })))
    return {
      glyphs: runs.flatMap(run => run.glyphs),
      positions,
      get advanceWidth() {
        return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
      },
    }
  }
  return Object.create(font, { layout: { value: layout } }) as fontkit.Font
}

const facesOf = (weight: Weight): Face[] =>
  subsets.map(([family, subset]) => {
    const bytes = unpack(
      readFileSync(require.resolve(`@fontsource/${family}/files/${family}-${subset}-${weight}-normal.woff`)),
    )
    const font = fontkit.create(bytes) as fontkit.Font
    return {
      name: `${family}-${subset}-${weight}`,
      bytes,
      codePoints: new Set(font.characterSet),
    }
  })

const faces: Readonly<Record<Weight, readonly Face[]>> = { 400: facesOf(400), 600: facesOf(600) }
export const allFaces: readonly Face[] = [...faces[400], ...faces[600]]

function drawsAll({ codePoints }: Face, text: string): boolean {
  for (const char of text) if (!codePoints.has(char.codePointAt(0)!)) return false
  return true
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Signs that show nothing, and would be boxes. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** A text of one line, cut where the font changes. Each sign that no font has is one box. */
export function runsOf(text: string, weight: Weight): readonly Run[] {
  const clean = text.toWellFormed().normalize('NFC').replace(hidden, ' ')
  const [first] = faces[weight]
  // Nearly every text, and nothing to be cut in it.
  if (drawsAll(first!, clean)) return clean ? [{ font: first!.name, text: clean }] : []
  const runs: { font: string | null; text: string }[] = []
  for (const { segment } of graphemes.segment(clean)) {
    const font = faces[weight].find(face => drawsAll(face, segment))?.name ?? null
    const last = runs.at(-1)
    if (last?.font === font) last.text += font === null ? '□' : segment
    else runs.push({ font, text: font === null ? '□' : segment })
  }
  return runs
}
