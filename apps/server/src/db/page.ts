/**
 * Lists, a page at a time: a query reads one row more than the page holds, which tells whether another page follows.
 * The cursor is what the last line of a page is ordered by: one part or several, joined by `|`.
 */
import { IngotError } from '@ingot/contracts/errors'

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

/**
 * Rows that a list looks at for one page, where what it is asked for has no index. A page may then hold fewer lines than
 * it was asked for, or none, and still be followed by another.
 */
export const mostLookedAt = 5_000

/** A list from its first page to its last. Each page is read when the one before was taken, as of that moment. */
export async function* everyPage<T>(
  read: (page: Paging) => Promise<Page<T>>,
  limit = 1_000,
): AsyncGenerator<readonly T[]> {
  let cursor: string | undefined
  do {
    const { items, next_cursor } = await read({ limit, cursor })
    yield items
    cursor = next_cursor ?? undefined
  } while (cursor)
}

/** A part of a cursor: what it looks like, and what PostgreSQL takes. None holds a `|`. */
type Form = (part: string) => boolean
export const uuid: Form = part => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(part)
export const time: Form = part =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part) && new Date(part).toJSON() === part
export const timeOrInfinity: Form = part => part === 'infinity' || time(part)
export const serial: Form = part => /^\d{1,18}$/.test(part)

type Parts<Forms extends readonly Form[]> = { -readonly [N in keyof Forms]: string }

/** The parts of a cursor; null for none. One of another form is refused: it would begin the list again, for ever. */
export function readCursor<const Forms extends readonly Form[]>(
  cursor: string | undefined,
  forms: Forms,
): Parts<Forms> | null {
  if (cursor === undefined) return null
  const parts = cursor.split('|')
  if (parts.length !== forms.length || !forms.every((form, n) => form(parts[n]!)))
    throw new IngotError('validation_failed', { fields: { cursor: 'is not a cursor of this list' } })
  return parts as Parts<Forms>
}
