/** Comma-separated values that open in a spreadsheet, and the way to hand them over as a file. */
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

export const downloadCsv = (name: string, csv: string): void =>
  downloadText(name, csv, 'text/csv;charset=utf-8')

export function downloadText(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}
