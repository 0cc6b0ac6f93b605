/**
 * Lists, a page at a time: a query reads one row more than the page holds, which tells whether another page follows.
 * The cursor is what the last line of a page is ordered by: one part or several, joined by `|`.
 */
export interface Paging {
  readonly cursor?: string
  readonly limit: number
}

export interface Page<T> {
  readonly items: T[]
  /** Null on the last page. */
  readonly next_cursor: string | null
}

/** `rows`: as many as the page holds and one more, where there are so many. */
export function page<T>(
  rows: readonly T[],
  limit: number,
  cursorOf: (last: T) => readonly (string | bigint)[],
): Page<T> {
  const items = rows.slice(0, limit)
  return { items, next_cursor: rows.length > limit ? cursorOf(items.at(-1)!).join('|') : null }
}

/** What a part may look like: none holds a `|`. PostgreSQL refuses what has the form and is no id or time. */
export const uuid = /^[0-9a-f-]{36}$/
export const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const timeOrInfinity = new RegExp(`${time.source}|^infinity$`)
export const serial = /^\d{1,18}$/

type Parts<Forms extends readonly RegExp[]> = { -readonly [N in keyof Forms]: string }

/** The parts of a cursor; null for none, and for one of another form, which counts as none. */
export function readCursor<const Forms extends readonly RegExp[]>(
  cursor: string | undefined,
  forms: Forms,
): Parts<Forms> | null {
  const parts = cursor?.split('|') ?? []
  const fits = parts.length === forms.length && forms.every((form, n) => form.test(parts[n]!))
  return fits ? (parts as Parts<Forms>) : null
}
