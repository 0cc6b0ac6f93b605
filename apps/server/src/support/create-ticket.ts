import { IngotError } from '@ingot/contracts/errors'
import type { TicketPriority } from '@ingot/contracts/support'
import { sql } from 'kysely'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { tellStaff, type Wish, writeMessage } from './write-message.ts'

/** Open at a time; nobody reads more of one customer's. */
const mostOpen = 50

/** It starts open, with its content as the first message. */
export async function createTicket(
  tx: Tx,
  needs: { readonly clock: Clock },
  userId: string,
  { title, priority, ...message }: Wish & { readonly title: string; readonly priority: TicketPriority },
): Promise<string> {
  const at = needs.clock.iso()
  const id = newId()
  const { rows } = await sql<{ id: string }>`
    insert into support_tickets (id, user_id, title, priority, created_at, updated_at)
    select ${id}, ${userId}, ${title.trim()}, ${priority}, ${at}, ${at}
    where (select count(*) from support_tickets where user_id = ${userId} and status in ('open', 'in_progress')) < ${mostOpen}
    returning id`.execute(tx)
  if (!rows[0])
    throw new IngotError('invalid_state', {
      message: `${mostOpen} of your tickets are open. Write to one of them, or resolve some first.`,
    })
  const { ticket } = await writeMessage(tx, needs, { userId }, id, { type: 'user', userId }, message)
  await tellStaff(tx, 'ticket_opened', ticket, at)
  return id
}
