/** Schedules of an instance are made, changed and removed under its wallet's lock, as they are carried out. */
import { IngotError } from '@ingot/contracts/errors'
import { maxSchedules, type Schedule } from '@ingot/contracts/instance/schedules'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { newId } from '../../db/ids.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { type InstanceRow, lockInstance } from '../queries.ts'
import { isTimeZone, nextTime, type Times } from './next-time.ts'
import { findSchedule, type ScheduleRow, shownSchedule } from './queries.ts'
import { scheduleText } from './schedule-text.ts'

interface Wish extends Times {
  readonly action: 'start' | 'stop'
  readonly enabled: boolean
}

async function lock(tx: Tx, userId: string, id: string): Promise<InstanceRow> {
  await lockWallet(tx, userId)
  return lockInstance(tx, userId, id)
}

/** As it is stored: each weekday once, in their order. */
function columnsOf({ action, time, weekdays, time_zone, enabled }: Wish, clock: Clock) {
  if (!isTimeZone(time_zone))
    throw new IngotError('validation_failed', { fields: { time_zone: 'is no time zone that is known here' } })
  const times = { time, weekdays: [...new Set(weekdays)].toSorted((a, b) => a - b), time_zone }
  return {
    action,
    ...times,
    enabled,
    waiting_at: null,
    due_at: enabled ? nextTime(times, clock.now()) : null,
    updated_at: clock.iso(),
    lock_token: null,
    lock_expires_at: null,
  }
}

export async function createSchedule(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
  wish: Wish,
): Promise<Schedule> {
  const row = await lock(tx, userId, id)
  if (row.desired === 'deleted')
    throw new IngotError('invalid_state', { message: 'This instance is being deleted.' })
  const { count } = await tx
    .selectFrom('instance_schedule')
    .select(({ fn }) => fn.countAll<bigint>().as('count'))
    .where('instance_id', '=', id)
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxSchedules)
    throw new IngotError('invalid_state', { message: `An instance has ${maxSchedules} schedules at most.` })
  const at = clock.iso()
  const made = await tx
    .insertInto('instance_schedule')
    .values({ id: newId(), instance_id: id, created_at: at, ...columnsOf(wish, clock) })
    .returningAll()
    .executeTakeFirstOrThrow()
  await tell(tx, row, 'added', made, at)
  return shownSchedule(made)
}

export async function updateSchedule(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
  scheduleId: string,
  changes: Partial<Wish>,
): Promise<Schedule> {
  const row = await lock(tx, userId, id)
  const present = await findSchedule(tx, id, scheduleId)
  const made = await tx
    .updateTable('instance_schedule')
    .set(columnsOf({ ...present, ...changes }, clock))
    .where('id', '=', scheduleId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await tell(tx, row, 'changed', made, clock.iso())
  return shownSchedule(made)
}

export async function deleteSchedule(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
  scheduleId: string,
): Promise<void> {
  const row = await lock(tx, userId, id)
  const present = await findSchedule(tx, id, scheduleId)
  await tx.deleteFrom('instance_schedule').where('id', '=', scheduleId).execute()
  await tell(tx, row, 'removed', present, clock.iso())
}

async function tell(
  tx: Tx,
  { id, user_id, name }: InstanceRow,
  what: 'added' | 'changed' | 'removed',
  schedule: ScheduleRow,
  at: string,
): Promise<void> {
  const message = `${scheduleText(schedule)}${schedule.enabled ? '' : ', switched off'}`
  await appendEvent(tx, {
    userId: user_id,
    type: `instance.schedule_${what}`,
    subjectId: id,
    at,
    data: { name, message },
  })
}
