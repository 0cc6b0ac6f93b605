/**
 * A browser saves a file by a link, and a link carries no bearer. So it carries a ticket: for one file or folder, for ten
 * minutes, for as many parts as are asked for, and for no longer than the session or key that asked. Only its hash is
 * stored.
 */
import { createHash, randomBytes } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import { downloadMinutes } from '@ingot/contracts/files'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Caller } from '../http/bind.ts'
import type { Holder } from './holder.ts'

/** Links of one user that still stand: a page of previews, and many more. */
const mostTickets = 1_000

const hashOf = (ticket: string): Buffer => createHash('sha256').update(ticket).digest()

export async function makeTicket(
  db: Db,
  { userId, sessionId, keyId }: Caller,
  { instance_id, volume_id }: Holder,
  path: string,
): Promise<{ url: string; expires_at: string }> {
  const ticket = randomBytes(32).toString('base64url')
  const expires_at = new Date(Date.now() + downloadMinutes * 60_000).toISOString()
  await sql`delete from file_ticket where expires_at < now()`.execute(db)
  const { rows } = await sql`
    insert into file_ticket (hash, user_id, instance_id, volume_id, path, session_id, key_id, expires_at)
    select ${hashOf(ticket)}, ${userId}, ${instance_id}, ${volume_id}, ${path}, ${sessionId}, ${keyId}, ${expires_at}
    where (select count(*) from file_ticket where user_id = ${userId}) < ${mostTickets}
    returning 1`.execute(db)
  if (rows.length === 0)
    throw new IngotError('rate_limited', {
      message: `At most ${mostTickets} links to downloads at a time. Each ends after ${downloadMinutes} minutes`,
    })
  return { url: `/v1/downloads/${ticket}`, expires_at }
}

export interface Ticket extends Holder {
  readonly userId: string
  readonly sessionId: string | null
  readonly keyId: string | null
  readonly path: string
}

export async function findTicket(db: Db, ticket: string): Promise<Ticket> {
  const row = await db
    .selectFrom('file_ticket')
    .select(['user_id as userId', 'session_id as sessionId', 'key_id as keyId'])
    .select(['instance_id', 'volume_id', 'path'])
    .where('hash', '=', hashOf(ticket))
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found', { message: 'This link is too old, or there is none such.' })
  return row
}
