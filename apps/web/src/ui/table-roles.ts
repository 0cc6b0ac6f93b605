/**
 * The roles a table has by itself, said once more: rows that are laid out as lines on a phone lose theirs in some
 * browsers. Spread on the elements of a table whose `display` changes.
 */
export const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const
