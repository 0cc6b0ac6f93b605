/** What automated replies are told of: a message that may get one, and that staff are there. */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

/** Whoever writes in several pieces is answered once, after the last. */
export const gatherMs = 1_500

/** In the transaction of the message, so that none is forgotten; what comes while they are off is never answered. */
export async function queueReply(
  tx: Tx,
  message: { readonly id: string; readonly ticketId: string; readonly userId: string; readonly at: string },
): Promise<void> {
  await sql`
    insert into support_replies (message_id, ticket_id, user_id, created_at, due_at)
    select ${message.id}, ${message.ticketId}, ${message.userId}, ${message.at}, ${message.at}::timestamptz + ${gatherMs} * interval '1 ms'
    from ai_reply_settings where enabled`.execute(tx)
}

/** A member of staff has written to a ticket or changed one. */
export async function noteActivity(tx: Tx, userId: string, at: string): Promise<void> {
  await sql`
    insert into support_activity (user_id, at) values (${userId}, ${at})
    on conflict (user_id) do update set at = greatest(support_activity.at, excluded.at)`.execute(tx)
}
