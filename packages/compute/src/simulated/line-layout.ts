/**
 * Where the characters of an edited line stand on the screen, and the output that moves between those places. A
 * character is what a reader would call one (a letter with its accents, an emoji); its width is counted code point by
 * code point, as terminals without grapheme support do.
 */

export interface Position {
  readonly row: number
  readonly column: number
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
export const characters = (text: string): string[] => [...segmenter.segment(text)].map(part => part.segment)

const zeroWidth = /^[\p{M}\p{Cf}]$/u
const doubleWidth =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303E\uFF01-\uFF60\uFFE0-\uFFE6]$/u

/** Columns that `text` takes on a screen of endless width. */
export function width(text: string): number {
  let columns = 0
  for (const point of text) columns += zeroWidth.test(point) ? 0 : doubleWidth.test(point) ? 2 : 1
  return columns
}

/** The place after `text`, counted from where its first character stands. Column 0 of a new row when the last is full. */
export function positionAfter(text: readonly string[], columns: number): Position {
  let row = 0
  let column = 0
  for (const character of text) {
    const cells = width(character)
    if (column + cells > columns) {
      row++
      column = 0
    }
    column += cells
  }
  return column >= columns ? { row: row + 1, column: 0 } : { row, column }
}

/** The output that takes the cursor from one place to another. */
export function move(from: Position, to: Position): string {
  if (from.row === to.row && from.column === to.column) return ''
  const rows = to.row - from.row
  const vertical = rows === 0 ? '' : rows < 0 ? `\u001B[${-rows}A` : `\u001B[${rows}B`
  return `${vertical}\u001B[${to.column + 1}G`
}

/** A terminal keeps the cursor on a full row until the next character: this one brings it to the new row. */
export const settleFullRow = (at: Position): string => (at.row > 0 && at.column === 0 ? ' \b' : '')
