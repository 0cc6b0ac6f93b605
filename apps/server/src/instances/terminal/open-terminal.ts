/**
 * A browser cannot send a bearer with a WebSocket, and a token in a URL would end up in logs. So the page asks for a
 * ticket: good for one socket, one terminal of one running instance, for 30 s. Only its hash is stored.
 */
import { createHash, randomBytes } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import { whyNot } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Caller } from '../../http/bind.ts'
import { findInstance } from '../queries.ts'

export const terminalPath = '/v1/terminal'
const ticketSeconds = 30

export async function openTerminal(
  tx: Tx,
  caller: Caller,
  id: string,
  terminalId: string,
): Promise<{ ticket: string; url: string; expires_at: string }> {
  const instance = await findInstance(tx, caller.userId, id)
  const refusal = whyNot('connect', instance.status)
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  const ticket = randomBytes(32).toString('base64url')
  const expires_at = new Date(Date.now() + ticketSeconds * 1000).toISOString()
  await sql`delete from terminal_ticket where expires_at < now()`.execute(tx)
  await tx
    .insertInto('terminal_ticket')
    .values({
      hash: hashOf(ticket),
      instance_id: id,
      user_id: caller.userId,
      session_id: caller.sessionId,
      key_id: caller.keyId,
      terminal_id: terminalId,
      expires_at,
    })
    .execute()
  return { ticket, url: `${terminalPath}?ticket=${ticket}`, expires_at }
}

export interface Ticket {
  readonly instance_id: string
  readonly user_id: string
  readonly session_id: string | null
  readonly key_id: string | null
  readonly terminal_id: string
  readonly driver: string
  readonly driver_ref: string | null
}

/** Uses a ticket up. Null when there is none such, it is too old, its instance no longer runs, or who asked is signed out. */
export async function takeTicket(db: Db, ticket: string): Promise<Ticket | null> {
  const { rows } = await sql<Ticket>`
    with used as (delete from terminal_ticket where hash = ${hashOf(ticket)} returning *)
    select used.instance_id, used.user_id, used.session_id, used.key_id, used.terminal_id, i.driver, i.driver_ref
    from used join gpu_instances i on i.id = used.instance_id and i.user_id = used.user_id and i.status = 'running'
    where used.expires_at > now() and (
      exists (select from auth_session s where s.id = used.session_id)
      or exists (select from api_keys k where k.id = used.key_id and k.is_active))`.execute(db)
  return rows[0] ?? null
}

const hashOf = (ticket: string): Buffer => createHash('sha256').update(ticket).digest()
