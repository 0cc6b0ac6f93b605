import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Signals } from '../../worker/signals.ts'
import { getImport } from './import-rows.ts'

/** Whoever works on it sees that within a second; the loop takes away what came of it. */
export async function cancelImport(
  db: Db,
  { signals }: { readonly signals: Signals },
  userId: string,
  id: string,
): Promise<void> {
  const mine = () => db.updateTable('file_import').where('id', '=', id).where('user_id', '=', userId)
  const now = sql<string>`now()`
  const cancelled = await mine()
    .set({ state: 'cancelled', url_sealed: null, updated_at: now, due_at: now })
    .where('state', 'in', ['waiting', 'running'])
    .returning('id')
    .executeTakeFirst()
  if (cancelled) return signals.send('file_import')
  const ended = await mine()
    .set({ is_off_list: true })
    .where('state', 'in', ['done', 'failed', 'cancelled'])
    .where('is_off_list', '=', false)
    .returning('id')
    .executeTakeFirst()
  if (ended) return
  await getImport(db, userId, id)
  throw new IngotError('invalid_state', { message: 'All of it has come: it is being put at its path.' })
}
