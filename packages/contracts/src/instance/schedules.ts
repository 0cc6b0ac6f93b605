/** Times at which an instance starts or stops by itself. */
import * as z from 'zod/mini'
import { id, operation, timestamp } from '../operation.ts'

/** Of one instance. */
export const maxSchedules = 14
/** A start that could not be made for longer than this is not made any more. */
export const startGraceMs = 600_000

const time = z.string().check(z.regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/))
/** Monday is 1. */
const weekday = z.literal([1, 2, 3, 4, 5, 6, 7])
/** As the time zone database names it: `Europe/Berlin`. */
const timeZone = z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/), z.maxLength(64))
const action = z.enum(['start', 'stop'])
const scheduleId = id

const wish = {
  action,
  /** As a clock there shows it. */
  time,
  weekdays: z.array(weekday).check(z.minLength(1), z.maxLength(7)),
  time_zone: timeZone,
}

export const schedule = z.object({
  id,
  instance_id: id,
  action,
  time,
  weekdays: z.array(z.int()),
  time_zone: z.string(),
  enabled: z.boolean(),
  /** The next time; null while it is off. */
  next_at: z.nullable(timestamp),
  /** The last time that came, and what became of it. */
  last_at: z.nullable(timestamp),
  /** `nothing_to_do`: it ran already, or was stopped. `refused`: no money or no place. `missed`: a start that came too late. */
  last_outcome: z.nullable(z.enum(['done', 'nothing_to_do', 'refused', 'missed'])),
  last_message: z.nullable(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
})
export type Schedule = z.infer<typeof schedule>

export const schedules = {
  schedules: operation({
    id: 'listInstanceSchedules',
    method: 'GET',
    path: '/v1/instances/{id}/schedules',
    who: 'user',
    actable: true,
    summary: 'When it starts and stops by itself, in the order they were made',
    input: z.object({ id }),
    output: z.object({ items: z.array(schedule), next_cursor: z.null() }),
    status: 200,
    errors: ['not_found'],
  }),
  createSchedule: operation({
    id: 'createInstanceSchedule',
    method: 'POST',
    path: '/v1/instances/{id}/schedules',
    who: 'user',
    summary:
      'Start or stop it at a time of the day, on some weekdays, as clocks in a time zone show it: 14 of them at most',
    input: z.object({ id, ...wish, enabled: z._default(z.boolean(), true) }),
    output: schedule,
    status: 201,
    errors: ['not_found', 'invalid_state'],
  }),
  updateSchedule: operation({
    id: 'updateInstanceSchedule',
    method: 'PATCH',
    path: '/v1/instances/{id}/schedules/{schedule_id}',
    who: 'user',
    summary: 'Change one, or turn it off and on',
    input: z.object({
      id,
      schedule_id: scheduleId,
      action: z.optional(action),
      time: z.optional(time),
      weekdays: z.optional(wish.weekdays),
      time_zone: z.optional(timeZone),
      enabled: z.optional(z.boolean()),
    }),
    output: schedule,
    status: 200,
    errors: ['not_found'],
  }),
  deleteSchedule: operation({
    id: 'deleteInstanceSchedule',
    method: 'DELETE',
    path: '/v1/instances/{id}/schedules/{schedule_id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'Remove one; it answers those that are left',
    input: z.object({ id, schedule_id: scheduleId }),
    output: z.object({ items: z.array(schedule), next_cursor: z.null() }),
    status: 200,
    errors: ['not_found'],
  }),
}
