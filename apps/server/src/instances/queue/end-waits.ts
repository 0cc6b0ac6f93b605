import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'

/**
 * An account ends: nothing of it waits. What was never deployed has no meter that would end it and forget its name, so
 * that is done here. The wallet's lock is held.
 */
export async function endWaits(tx: Tx, userId: string, at: string): Promise<void> {
  await sql`select leave_queue(q.instance_id, ${at}) from (
    select instance_id from instance_queue where user_id = ${userId} order by turn) q`.execute(tx)
  await sql`
    with never as (
      update gpu_instances i set name = 'deleted', status_message = null, updated_at = ${at},
        status = 'terminated', desired = 'deleted', due_at = null
      where user_id = ${userId} and not exists (select from meter m where m.id = i.id) returning id)
    delete from instance_template where instance_id in (select id from never)`.execute(tx)
}
