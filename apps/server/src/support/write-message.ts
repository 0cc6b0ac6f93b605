/**
 * One message, by whomever, in the caller's transaction. The ticket's row is locked, so messages have numbers without a
 * gap in the order of their commits. What has the same mark of its sender is sent once: asked for again, it answers what
 * was sent.
 */
import { IngotError } from '@ingot/contracts/errors'
import { messageLimit, reopenDays, type ReplySource } from '@ingot/contracts/support'
import { sql } from 'kysely'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { attachTo } from './attachments.ts'
import { frozenLinks, type Link } from './links.ts'
import { lockTicket, type Reader, type TicketRow } from './queries.ts'
import { noteActivity, queueReply } from './queue-reply.ts'
import { staffIds } from './staff.ts'

export interface Wish {
  readonly content: string
  readonly client_id?: string
  readonly attachments?: readonly string[]
  readonly links?: readonly Link[]
  /** Of an automated reply. */
  readonly sources?: readonly ReplySource[]
  readonly facts?: readonly string[]
}

interface Sender {
  readonly type: 'user' | 'admin'
  /** Null: the service itself. */
  readonly userId: string | null
}

export interface Written {
  readonly id: string
  readonly ticket: TicketRow
  /** It was there before. */
  readonly isRepeat: boolean
}

const dayMs = 86_400_000

/** Who is to be woken when it is on disk. */
export const readersOf = async (tx: Tx, ticket: Pick<TicketRow, 'user_id'>): Promise<string[]> => [
  ticket.user_id,
  ...(await staffIds(tx)),
]

export async function writeMessage(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  reader: Reader,
  ticketId: string,
  sender: Sender,
  { content, client_id, attachments = [], links = [], sources = [], facts = [] }: Wish,
): Promise<Written> {
  const ticket = await lockTicket(tx, reader, ticketId)
  const known = client_id && (await findSent(tx, ticketId, sender.type, client_id))
  if (known) return { id: known, ticket, isRepeat: true }
  const at = clock.iso()
  if (sender.type === 'user') {
    assertOpenable(ticket, at)
    await assertNotTooMany(tx, ticket.user_id)
  }
  const id = newId()
  const seq = ticket.last_seq + 1
  await tx
    .insertInto('support_messages')
    .values({
      id,
      ticket_id: ticketId,
      seq,
      content: content.trim(),
      sender_type: sender.type,
      is_automated: sender.userId === null,
      user_id: sender.userId,
      client_id: client_id ?? null,
      links: JSON.stringify(await frozenLinks(tx, ticket.user_id, links)),
      sources: JSON.stringify(sources),
      facts: JSON.stringify(facts),
      created_at: at,
    })
    .execute()
  if (sender.userId !== null) await attachTo(tx, sender.userId, id, attachments)
  await tx
    .updateTable('support_tickets')
    .set({ last_seq: seq, updated_at: at, ...afterMessage(ticket, sender, seq, at) })
    .where('id', '=', ticketId)
    .execute()
  if (sender.type === 'user') await queueReply(tx, { id, ticketId, userId: ticket.user_id, at })
  else if (sender.userId !== null) await noteActivity(tx, sender.userId, at)
  await tellReaders(tx, ticket, 'ticket.message_sent', at)
  return { id, ticket, isRepeat: false }
}

/** What is refused takes no token. */
async function assertNotTooMany(tx: Tx, userId: string): Promise<void> {
  const { rows } = await sql<{ free: boolean }>`
    select auth_take_token(${`support:${userId}`}, ${messageLimit.burst}, ${messageLimit.perSecond}) as free`.execute(
    tx,
  )
  if (!rows[0]!.free) throw new IngotError('rate_limited')
}

/** A customer's reply opens what was resolved or closed; a person's takes up what was open. */
function afterMessage(ticket: TicketRow, sender: Sender, seq: number, at: string) {
  if (sender.type === 'user') {
    const isOver = ticket.status === 'resolved' || ticket.status === 'closed'
    return { user_read_seq: seq, ...(isOver ? { status: 'open' as const, closed_at: null } : {}) }
  }
  const first_reply_at = ticket.first_reply_at ?? at
  if (sender.userId === null) return { first_reply_at }
  return {
    staff_read_seq: seq,
    first_reply_at,
    first_person_at: ticket.first_person_at ?? at,
    person_asked_at: null,
    ...(ticket.status === 'open' ? { status: 'in_progress' as const } : {}),
  }
}

/** Refuses what was closed too long ago. */
export function assertOpenable({ status, closed_at }: TicketRow, at: string): void {
  if (status !== 'closed' || Date.parse(at) - Date.parse(closed_at!) < reopenDays * dayMs) return
  throw new IngotError('invalid_state', {
    message: `This ticket was closed more than ${reopenDays} days ago. Open a new one.`,
  })
}

async function findSent(
  tx: Tx,
  ticketId: string,
  type: Sender['type'],
  clientId: string,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('support_messages')
    .select('id')
    .where('ticket_id', '=', ticketId)
    .where('sender_type', '=', type)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row?.id
}

/** The customer and every member of staff have a fact of their own, because a stream shows one user's. */
export async function tellReaders(
  tx: Tx,
  ticket: Pick<TicketRow, 'id' | 'user_id' | 'title'>,
  type: `ticket.${string}`,
  at: string,
): Promise<void> {
  const readers = new Set(await readersOf(tx, ticket))
  await appendEvent(tx, ...[...readers].map(userId => ({ userId, type, subjectId: ticket.id, at })))
}

/** A mail to each member of staff who wants mails, at most one in a while for all that came meanwhile. */
export async function tellStaff(
  tx: Tx,
  kind: 'ticket_opened' | 'person_asked',
  { id, user_id, title }: Pick<TicketRow, 'id' | 'user_id' | 'title'>,
  at: string,
): Promise<void> {
  const item = JSON.stringify({ at, id, title })
  for (const userId of await staffIds(tx))
    if (userId !== user_id)
      await sql`select queue_notice(${userId}, ${kind}, 'mail', ${item}::jsonb)`.execute(tx)
}

/** A mail to the customer, at most one in a while for all that was written meanwhile. */
export async function tellByMail(
  tx: Tx,
  kind: 'ticket_reply' | 'ticket_resolved',
  { id, user_id, title }: Pick<TicketRow, 'id' | 'user_id' | 'title'>,
  at: string,
  content: string | null = null,
): Promise<void> {
  const item = JSON.stringify({ at, id, title, content })
  await sql`select queue_notice(${user_id}, ${kind}, 'mail', ${item}::jsonb)`.execute(tx)
}
