/**
 * An administrator reads as a customer: their own session and a header. The call must be one that the contract marks
 * (`actable`), the time must not be over, and every such call is counted. What they then are is the customer, with no
 * role and no right to write: the handler runs in a transaction that only reads.
 */
import { IngotError } from '@ingot/contracts/errors'
import { isId, type Operation } from '@ingot/contracts/operation'
import type { Database } from '../../db/database.ts'
import type { Caller, SessionCaller } from '../../http/bind.ts'

export function createActAs({ database: { pool } }: { readonly database: Database }) {
  return async (op: Operation, caller: Caller, customer: string): Promise<SessionCaller> => {
    if (caller.keyId !== null || caller.role !== 'admin') throw new IngotError('not_allowed')
    if (!op.actable) throw new IngotError('not_while_acting')
    if (!isId(customer)) throw new IngotError('acting_ended')
    const { rows } = await pool.query<{ may: boolean }>({
      name: 'admin.note-acting-read',
      text: 'select note_acting_read($1, $2, $3, $4) as may',
      values: [caller.sessionId, caller.userId, customer, op.id],
    })
    if (!rows[0]!.may) throw new IngotError('acting_ended')
    return {
      userId: customer.toLowerCase(),
      sessionId: caller.sessionId,
      keyId: null,
      role: 'user',
      actingBy: caller.userId,
    }
  }
}
