import { IngotError } from '@ingot/contracts/errors'
import type { Schedule } from '@ingot/contracts/instance/schedules'
import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Tables } from '../../db/tables.ts'
import { findInstance } from '../queries.ts'

export type ScheduleRow = Selectable<Tables['instance_schedule']>

export const shownSchedule = (row: ScheduleRow): Schedule => ({
  id: row.id,
  instance_id: row.instance_id,
  action: row.action,
  time: row.time,
  weekdays: row.weekdays,
  time_zone: row.time_zone,
  enabled: row.enabled,
  next_at: row.due_at,
  last_at: row.last_at,
  last_outcome: row.last_outcome,
  last_message: row.last_message,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** In the order they were made; no more than an instance may have. */
export async function listSchedules(db: Db | Tx, userId: string, id: string): Promise<Schedule[]> {
  await findInstance(db, userId, id)
  const rows = await db
    .selectFrom('instance_schedule')
    .selectAll()
    .where('instance_id', '=', id)
    .orderBy('id')
    .execute()
  return rows.map(shownSchedule)
}

/** The instance is locked, and its owner's. */
export const findSchedule = (tx: Tx, instanceId: string, id: string): Promise<ScheduleRow> =>
  tx
    .selectFrom('instance_schedule')
    .selectAll()
    .where('id', '=', id)
    .where('instance_id', '=', instanceId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new IngotError('not_found'))
