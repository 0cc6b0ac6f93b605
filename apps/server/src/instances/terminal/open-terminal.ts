/**
 * A browser cannot send a bearer with a WebSocket, and a token in a URL would end up in logs. So the page asks for a
 * ticket: good for one socket, one terminal of one running instance, for 30 s. Only its hash is stored.
 */
import { randomBytes } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import { whyNot } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Caller } from '../../http/bind.ts'
import { findInstance } from '../queries.ts'
import { hashOf } from './take-ticket.ts'

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
