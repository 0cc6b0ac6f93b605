/** Users as administrators find them. The empty row that a deleted account leaves to its transfers is nobody. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { AuthError, invalid } from '../errors.ts'
import { findUserById, presentUser, userColumns, type UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import { audience, basePath } from '../sessions/tokens.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const noSuchUser = () => new AuthError(404, 'user_not_found', 'User not found')

export async function findUser({ database }: AuthServices, id: string): Promise<UserRow> {
  if (!uuid.test(id)) throw new AuthError(404, 'validation_failed', 'user_id must be an UUID')
  const user = await findUserById(database.kysely, id)
  if (!user || user.deleted_at) throw noSuchUser()
  return user
}

interface Page {
  readonly page: number
  readonly perPage: number
  readonly filter: string
}

const maxPerPage = 1000
const maxPage = 1_000_000
const maxFilter = 255

/** GET /admin/users: newest first. Clients read the number of the next and last page from the `Link` header. */
export async function listUsers({ database }: AuthServices, request: FastifyRequest, reply: FastifyReply) {
  const { page, perPage, filter } = readPage(request.query as Record<string, unknown>)
  const pattern = `%${filter.replace(/[\\%_]/g, '\\$&')}%`
  const matches = sql`u.deleted_at is null and (${filter} = '' or u.email like ${pattern} or u.phone like ${pattern}
    or u.id::text = ${filter} or u.user_metadata->>'full_name' ilike ${pattern})`
  const { rows } = await sql<UserRow>`
    select ${userColumns} from auth_user u where ${matches}
    order by u.created_at desc, u.id desc limit ${perPage} offset ${(page - 1) * perPage}`.execute(
    database.kysely,
  )
  const { rows: counted } = await sql<{ total: number }>`
    select count(*)::int as total from auth_user u where ${matches}`.execute(database.kysely)
  const { total } = counted[0]!
  const last = Math.max(1, Math.ceil(total / perPage))
  const link = (rel: string, to: number) =>
    `<${basePath}/admin/users?page=${to}&per_page=${perPage}${filter ? `&filter=${encodeURIComponent(filter)}` : ''}>; rel="${rel}"`
  const links = [...(page < last ? [link('next', page + 1)] : []), link('last', last)]
  void reply.header('x-total-count', String(total)).header('link', links.join(', '))
  return { users: rows.map(presentUser), aud: audience }
}

function readPage(query: Record<string, unknown>): Page {
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
