/** Comma-separated values as RFC 4180 has them, in UTF-8, that open in a spreadsheet without running anything in it. */
import type { Bytes } from './bytes.ts'

type Cell = string | number | null

/** A column's name, and what stands in it. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>

/** The pages are read as fast as the file is taken. */
export const csvFile = <Row>(
  fileName: string,
  columns: Columns<Row>,
  pages: AsyncIterable<readonly Row[]>,
): Bytes => ({ fileName, mediaType: 'text/csv', body: linesOf(columns, pages) })

async function* linesOf<Row>(
  columns: Columns<Row>,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const cells = Object.values(columns)
  // Goes with the first page: what fails before that is an error, and no file.
  let text = line(Object.keys(columns))
  for await (const rows of pages) {
    text += rows.map(row => line(cells.map(cell => cell(row)))).join('')
    if (text) yield text
    text = ''
  }
}

const line = (cells: readonly Cell[]): string => `${cells.map(cellText).join(',')}\r\n`

/**
 * A text that begins like a formula, also in full-width signs, would be run by the spreadsheet that opens the file; a
 * number may begin with a sign.
 */
function cellText(cell: Cell): string {
  const text = String(cell ?? '')
  const isFormula = /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
