/**
 * Lists in an order that is chosen. The cursor is what the last line of a page is ordered by, and its id, so lines that
 * come or go meanwhile move no other.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Page, page, readCursor, uuid } from '../../db/page.ts'

/** What a list may be ordered by: an expression that is never null, and its type. */
export interface Order {
  readonly by: RawBuilder<unknown>
  readonly type: 'text' | 'bigint' | 'timestamptz' | 'uuid'
}

export interface OrderedPaging {
  readonly order: 'asc' | 'desc'
  readonly cursor?: string
  readonly limit: number
}

const forms: Readonly<Record<Order['type'], (text: string) => boolean>> = {
  text: text => !text.includes('\0') && !text.includes('\uFFFD'),
  uuid,
  bigint: text => /^-?\d{1,18}$/.test(text),
  timestamptz: text =>
    text === '-infinity' ||
    (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00$/.test(text) &&
      !Number.isNaN(Date.parse(text.replace(' ', 'T').replace('+00', 'Z')))),
}
const decode = (part: string): string => Buffer.from(part, 'base64url').toString('utf8')
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64url')

interface Keyed {
  readonly id: string
  /** `by` as text. */
  readonly key: string
}

/** The parts of a statement that reads one page, and what makes a page of its rows. */
export function ordered(
  { by, type }: Order,
  id: RawBuilder<unknown>,
  { order, cursor, limit }: OrderedPaging,
) {
  const isKey = (part: string) => /^[\w-]*$/.test(part) && forms[type](decode(part))
  const [at, last] = readCursor(cursor, [isKey, uuid]) ?? [null, null]
  const [before, direction] = order === 'asc' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  return {
    key: sql`${by} as place, (${by})::text as key`,
    after:
      at === null
        ? sql`true`
        : sql`(${by}, ${id}) ${before} (${decode(at)}::${sql.raw(type)}, ${last}::uuid)`,
    orderBy: sql`order by ${by} ${direction}, ${id} ${direction}`,
    /** The same of a page that was chosen so: a number for each row would have all rows sorted, and not the first ones found. */
    orderChosen: sql`order by chosen.place ${direction}, chosen.id ${direction}`,
    /** One row more than the page holds. */
    limit: sql`limit ${limit + 1}`,
    pageOf<Row extends Keyed>(rows: readonly Row[]): Page<Omit<Row, 'key'>> {
      const { items, next_cursor } = page(rows, limit, line => [encode(line.key), line.id])
      return { items: items.map(({ key: _, ...item }) => item), next_cursor }
    },
  }
}
