/** Another status or priority, by the customer or by staff. What is the same already changes nothing. */
import type { TicketPriority, TicketStatus } from '@ingot/contracts/support'
import { appendAuditAnyway } from '../db/audit-log.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { lockTicket, type Reader } from './queries.ts'
import { noteActivity } from './queue-reply.ts'
import { assertOpenable, tellByMail, tellReaders, tellStaff } from './write-message.ts'

export interface TicketChange {
  readonly status?: TicketStatus
  readonly priority?: TicketPriority
}

export async function updateTicket(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  reader: Reader,
  id: string,
  { status, priority }: TicketChange,
  /** The member of staff. */
  by: string | null = null,
): Promise<void> {
  const row = await lockTicket(tx, reader, id)
  const after = { status: status ?? row.status, priority: priority ?? row.priority }
  const before = { status: row.status, priority: row.priority }
  const isChanged = after.status !== before.status || after.priority !== before.priority
  const at = clock.iso()
  if (reader === 'staff')
    await appendAuditAnyway(tx, { kind: 'ticket', id, userId: row.user_id, before, after })
  else if (status === 'open') assertOpenable(row, at)
  if (!isChanged) return
  if (by !== null) await noteActivity(tx, by, at)
  await tx
    .updateTable('support_tickets')
    .set({
      ...after,
      closed_at: after.status === 'closed' ? (row.closed_at ?? at) : null,
      updated_at: at,
    })
    .where('id', '=', id)
    .execute()
  await tellReaders(tx, row, 'ticket.updated', at)
  const isOver = after.status === 'resolved' || after.status === 'closed'
  if (reader === 'staff' && isOver && after.status !== before.status)
    await tellByMail(tx, 'ticket_resolved', row, at)
}

/** Nothing automated is written before a person has. */
export async function askPerson(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  const row = await lockTicket(tx, { userId }, id)
  const at = clock.iso()
  assertOpenable(row, at)
  if (row.person_asked_at !== null) return
  const isOver = row.status === 'resolved' || row.status === 'closed'
  await tx
    .updateTable('support_tickets')
    .set({ person_asked_at: at, updated_at: at, ...(isOver ? { status: 'open', closed_at: null } : {}) })
    .where('id', '=', id)
    .execute()
  await tellReaders(tx, row, 'ticket.updated', at)
  await tellStaff(tx, 'person_asked', row, at)
}

/** How far it was read never goes back, nor beyond its last message. */
export async function markRead(tx: Tx, reader: Reader, id: string, seq: number): Promise<void> {
  const row = await lockTicket(tx, reader, id)
  const to = Math.min(seq, row.last_seq)
  const column = reader === 'staff' ? 'staff_read_seq' : 'user_read_seq'
  if (to <= row[column]) return
  await tx
    .updateTable('support_tickets')
    .set({ [column]: to })
    .where('id', '=', id)
    .execute()
}
