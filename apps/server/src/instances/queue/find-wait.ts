import type { Tx } from '../../db/database.ts'

/** Its place in the queue; none: it does not wait. */
export const findWait = (tx: Tx, instanceId: string) =>
  tx
    .selectFrom('instance_queue')
    .select('total_micro')
    .where('instance_id', '=', instanceId)
    .executeTakeFirst()
