/** What the customer linked and attached since the last reply, as far as it helps to find an answer. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Link } from '../links.ts'
import type { ReplyRow } from './decide.ts'

const mostBytes = 64 * 1024
const mostLines = 6
const mostLineLength = 200
const mostLinked = 5
/** Lines that say what went wrong; nothing else of a log is read. */
const telling =
  /\b(?:error|errors|failed|failure|fatal|denied|refused|killed|out of memory|no space|timed? ?out|not found|exception|panic)\b/i

export async function readAttached(
  db: Db,
  { message_id, ticket_id, user_id }: Pick<ReplyRow, 'message_id' | 'ticket_id' | 'user_id'>,
): Promise<{ readonly links: readonly Link[]; readonly lines: readonly string[] }> {
  const { rows } = await sql<{ links: readonly Link[]; logs: readonly string[] | null }>`
    select m.links, (
      select array_agg(encode(substring(a.content from 1 for ${mostBytes}), 'base64') order by a.place)
      from support_attachments a where a.message_id = m.id and a.media_type = 'text/plain') as logs
    from support_messages m join support_tickets t on t.id = m.ticket_id
    where m.ticket_id = ${ticket_id} and t.user_id = ${user_id} and m.sender_type = 'user'
      and m.seq <= (select seq from support_messages where id = ${message_id})
    order by m.seq desc limit 20`.execute(db)
  const lines = (rows[0]?.logs ?? [])
    .flatMap(log => Buffer.from(log, 'base64').toString('utf8').split('\n'))
    .map(line => line.replace(/\p{Cc}+/gu, ' ').trim())
    .filter(line => telling.test(line))
  return {
    links: rows.flatMap(({ links }) => links).slice(0, mostLinked),
    // The last ones: what ended it stands there.
    lines: lines.slice(-mostLines).map(line => line.slice(0, mostLineLength)),
  }
}
