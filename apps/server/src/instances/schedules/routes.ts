import type { schedules } from '@ingot/contracts/instance/schedules'
import type { Clock } from '../../db/clock.ts'
import type { Handlers } from '../../http/bind.ts'
import type { Signals } from '../../worker/signals.ts'
import { listSchedules } from './queries.ts'
import { createSchedule, deleteSchedule, updateSchedule } from './save-schedule.ts'

export function scheduleRoutes(needs: {
  readonly clock: Clock
  readonly signals: Signals
}): Handlers<typeof schedules> {
  /** The loop has another time to wait for, the owner has news. */
  const wake = (userId: string) => () => {
    needs.signals.send('instance_schedule')
    needs.signals.send(`user:${userId}`)
  }
  return {
    schedules: async ({ id }, { db, caller }) => ({
      items: await listSchedules(db, caller.userId, id),
      next_cursor: null,
    }),
    createSchedule: async ({ id, ...wish }, { db, caller, afterCommit }) => {
      const made = await createSchedule(db, needs, caller.userId, id, wish)
      afterCommit(wake(caller.userId))
      return made
    },
    updateSchedule: async ({ id, schedule_id, ...changes }, { db, caller, afterCommit }) => {
      const changed = await updateSchedule(db, needs, caller.userId, id, schedule_id, changes)
      afterCommit(wake(caller.userId))
      return changed
    },
    deleteSchedule: async ({ id, schedule_id }, { db, caller, afterCommit }) => {
      await deleteSchedule(db, needs, caller.userId, id, schedule_id)
      afterCommit(wake(caller.userId))
      return { items: await listSchedules(db, caller.userId, id), next_cursor: null }
    },
  }
}
