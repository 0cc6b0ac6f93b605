/**
 * What a search text means in every list that staff read: part of a name or an address, or how an id begins. Parts
 * are found by their trigrams (migration 0197). Whose rows are meant is asked first: of a text that fits few users their
 * rows are read by index; where it fits many, rows are read in their order and compared.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { escapeLike } from '../db/escape-like.ts'

const mostUsers = 1_000

export interface Wanted {
  readonly text: string
  /** For `ilike`. */
  readonly pattern: string
  /** The first and the last id that begin so; null: it begins no id. */
  readonly ids: readonly [first: string, last: string] | null
  /** Whom it fits; null: too many to name. */
  readonly users: readonly string[] | null
  /** Whose rows it fits: of more whom it fits by a name or an id, so many. Null: too many by their address. */
  readonly owners: readonly string[] | null
}

/** Null: nothing is searched for. */
export async function readSearch(db: Db, search: string | undefined): Promise<Wanted | null> {
  const text = search?.trim().replaceAll('\0', '')
  if (!text) return null
  const [pattern, ids] = [`%${escapeLike(text)}%`, idsThatBegin(text)]
  const { rows } = await sql<{ id: string; is_address: boolean }>`
    (select id, true as is_address from auth_user where deleted_at is null and email ilike ${pattern} limit ${mostUsers + 1})
    union all
    (select user_id, false from profiles where (first_name || ' ' || last_name) ilike ${pattern} limit ${mostUsers + 1})
    union all
    (select id, false from auth_user where ${isId(sql`id`, ids)} limit ${mostUsers + 1})`.execute(db)
  const all = [...new Set(rows.map(row => row.id))]
  return {
    text,
    pattern,
    ids,
    users: all.length > mostUsers ? null : all,
    owners: rows.filter(row => row.is_address).length > mostUsers ? null : all.slice(0, mostUsers),
  }
}

/** Four letters at least: fewer are rather part of a name. */
export function idsThatBegin(text: string): Wanted['ids'] {
  const lower = text.toLowerCase()
  if (lower.length < 4 || lower.length > 36) return null
  const form = '########-####-####-####-############'
  const fits = [...lower].every((letter, n) => (form[n] === '-' ? letter === '-' : /[0-9a-f]/.test(letter)))
  if (!fits) return null
  const filled = (digit: string) => lower + form.slice(lower.length).replaceAll('#', digit)
  return [filled('0'), filled('f')]
}

export const isId = (id: RawBuilder<unknown>, ids: Wanted['ids']): RawBuilder<unknown> =>
  ids ? sql`${id} between ${ids[0]}::uuid and ${ids[1]}::uuid` : sql`false`

/** Rows that belong to somebody whom it fits. */
export const isOf = (userId: RawBuilder<unknown>, wanted: Wanted): RawBuilder<unknown> =>
  wanted.owners
    ? sql`${userId} = any(${wanted.owners}::uuid[])`
    : // For each row by itself: a page is full after few of them.
      sql`coalesce((select o.email ilike ${wanted.pattern} from auth_user o where o.id = ${userId} and o.deleted_at is null), false)`

/** Rows that it fits by a name of theirs, by their id, or by whom they belong to. */
export const fits = (
  wanted: Wanted | null,
  { name, id, userId }: Readonly<Record<'name' | 'id' | 'userId', RawBuilder<unknown>>>,
): RawBuilder<unknown> =>
  wanted
    ? sql`(${name} ilike ${wanted.pattern} or ${isId(id, wanted.ids)} or ${isOf(userId, wanted)})`
    : sql`true`

/** The users whom it fits. */
export const isUser = (wanted: Wanted | null): RawBuilder<unknown> => {
  if (!wanted) return sql`true`
  if (wanted.users) return sql`u.id = any(${wanted.users}::uuid[])`
  return sql`(u.email ilike ${wanted.pattern} or ${isId(sql`u.id`, wanted.ids)}
    or exists (select from profiles f where f.user_id = u.id and (f.first_name || ' ' || f.last_name) ilike ${wanted.pattern}))`
}
