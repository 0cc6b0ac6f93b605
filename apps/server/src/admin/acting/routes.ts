import type { acting } from '@ingot/contracts/admin/acting'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Handlers } from '../../http/bind.ts'
import { beginActing, getActing } from './begin-acting.ts'

export const actingRoutes: Handlers<typeof acting> = {
  acting: async (_, { db, caller }) => ({ acting: await getActing(db, caller.sessionId) }),
  beginActing: (input, { db, caller }) => beginActing(db, caller, input),
  endActing: async (_, { db, caller }) => {
    const { rows } = await sql<{ ended: number }>`select end_acting(${caller.sessionId}) as ended`.execute(db)
    if (!rows[0]!.ended) throw new IngotError('invalid_state', { message: 'You act as nobody' })
    return {}
  },
}
