/** Waiting lists and subscribers, newest first. Whoever unsubscribed has no address here any more, and no line. */
import type { Subscriber, Waiting } from '@ingot/contracts/site/readers'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { escapeLike } from '../../db/escape-like.ts'
import { page, type Page, type Paging, readCursor, serial, uuid } from '../../db/page.ts'

export interface WaitingFilter {
  readonly product?: string
  /** In the address. */
  readonly search?: string
}

export async function listWaiting(db: Db, filter: Paging & WaitingFilter): Promise<Page<Waiting>> {
  const [before] = readCursor(filter.cursor, [serial]) ?? [null]
  const { rows } = await sql<Waiting & { id: bigint }>`
    select id, product, email, created_at from site_waitlist
    where ${before === null ? sql`true` : sql`id < ${before}::bigint`}
      and ${filter.product ? sql`product = ${filter.product}` : sql`true`}
      and ${filter.search ? sql`email like ${`%${escapeLike(filter.search.toLowerCase())}%`}` : sql`true`}
    order by id desc limit ${filter.limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, filter.limit, last => [last.id])
  return { items: items.map(({ id: _, ...waiting }) => waiting), next_cursor }
}

export interface SubscriberFilter {
  readonly confirmed?: boolean
  /** In the address. */
  readonly search?: string
}

export async function listSubscribers(db: Db, filter: Paging & SubscriberFilter): Promise<Page<Subscriber>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const { rows } = await sql<Subscriber>`
    select id, email, created_at, confirmed_at from site_subscription
    where ended_at is null and (${before}::uuid is null or id < ${before}::uuid)
      and ${filter.confirmed === undefined ? sql`true` : sql`(confirmed_at is not null) = ${filter.confirmed}`}
      and ${filter.search ? sql`email like ${`%${escapeLike(filter.search.toLowerCase())}%`}` : sql`true`}
    order by id desc limit ${filter.limit + 1}`.execute(db)
  return page(rows, filter.limit, last => [last.id])
}
