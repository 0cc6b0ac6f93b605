import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

export interface Ticket {
  readonly instance_id: string
  readonly user_id: string
  readonly session_id: string | null
  readonly key_id: string | null
  readonly terminal_id: string
  readonly driver: string
  readonly driver_ref: string | null
}

/** Uses a ticket up. Null when there is none such, it is too old, or its instance no longer runs. */
export async function takeTicket(db: Db, ticket: string): Promise<Ticket | null> {
  const { rows } = await sql<Ticket>`
    with used as (delete from terminal_ticket where hash = ${hashOf(ticket)} returning *)
    select used.instance_id, used.user_id, used.session_id, used.key_id, used.terminal_id, i.driver, i.driver_ref
    from used join gpu_instances i on i.id = used.instance_id and i.user_id = used.user_id and i.status = 'running'
    where used.expires_at > now()`.execute(db)
  return rows[0] ?? null
}

/** What is stored of a ticket. */
export const hashOf = (ticket: string): Buffer => createHash('sha256').update(ticket).digest()
