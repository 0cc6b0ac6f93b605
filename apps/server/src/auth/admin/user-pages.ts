/** Pages of the list of users, as clients ask for them and read of the next and last one in the `Link` header. */
import { invalid } from '../errors.ts'
import { basePath } from '../wire.ts'

export interface UserPage {
  readonly page: number
  readonly perPage: number
  readonly filter: string
}

const maxPerPage = 1000
const maxPage = 1_000_000
const maxFilter = 255

export function readPage(query: Record<string, unknown>): UserPage {
  const filter = query['filter'] ?? ''
  if (typeof filter !== 'string' || filter.length > maxFilter || filter.includes('\u0000'))
    throw invalid(`filter must be one text of at most ${maxFilter} characters`)
  return {
    page: readNumber(query['page'], 1, maxPage),
    perPage: readNumber(query['per_page'], 50, maxPerPage),
    filter: filter.toLowerCase(),
  }
}

function readNumber(value: unknown, absent: number, max: number): number {
  if (value === undefined || value === '') return absent
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : 0
  if (number < 1)
    throw invalid(`Bad Pagination Parameters: ${JSON.stringify(value)} is not a positive number`)
  return Math.min(number, max)
}

/** The value of the `Link` header of a page of a list of `total` users. */
export function linksOf({ page, perPage, filter }: UserPage, total: number): string {
  const last = Math.max(1, Math.ceil(total / perPage))
  const link = (rel: string, to: number) =>
    `<${basePath}/admin/users?page=${to}&per_page=${perPage}${filter ? `&filter=${encodeURIComponent(filter)}` : ''}>; rel="${rel}"`
  return [...(page < last ? [link('next', page + 1)] : []), link('last', last)].join(', ')
}
