/** Proposals as staff read them: what was proposed, beside what is public of the template now. */
import { IngotError } from '@ingot/contracts/errors'
import type { ReviewEntry, templateReviews } from '@ingot/contracts/admin/template-reviews'
import type { Parsed } from '@ingot/contracts/operation'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, readCursor, time, uuid } from '../db/page.ts'

const read = (db: Db | Tx, where: RawBuilder<unknown>, limit: number) =>
  sql<ReviewEntry>`
    select r.id, r.template_id, r.user_id, u.email, r.version, r.status, r.reason, r.created_at as proposed_at, r.decided_at, r.decided_by,
      r.proposed, p.proposed as published, p.version as published_version
    from template_review r join auth_user u on u.id = r.user_id
    left join template_review p on p.template_id = r.template_id and p.status = 'approved'
    where ${where} order by r.created_at desc, r.id desc limit ${limit}`.execute(db)

export async function listReviews(
  db: Db,
  { status, cursor, limit }: Parsed<typeof templateReviews.reviews>,
): Promise<Page<ReviewEntry>> {
  const after = readCursor(cursor, [time, uuid])
  const { rows } = await read(
    db,
    sql`${status === undefined ? sql`true` : sql`r.status = ${status}`}
      and ${after ? sql`(r.created_at, r.id) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql`true`}`,
    limit + 1,
  )
  return page(rows, limit, last => [last.proposed_at, last.id])
}

export async function getReview(db: Db | Tx, id: string): Promise<ReviewEntry> {
  const { rows } = await read(db, sql`r.id = ${id}`, 1)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}
