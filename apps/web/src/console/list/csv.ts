/** Comma-separated values that open in a spreadsheet. */
type Cell = string | number | null

export function toCsv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map(row => `${row.map(cellText).join(',')}\r\n`).join('')
}

/** A name that begins like a formula would be run by the spreadsheet that opens the file; a number may begin with a sign. */
function cellText(cell: Cell): string {
  const text = String(cell ?? '')
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text)
  const safe = isFormula ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
