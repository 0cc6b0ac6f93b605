/** Whether an instance is at work, what says so, and when it stops by itself otherwise. */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from '../operation.ts'

/** What counts as work, each by itself. An open connection and requests that only read are none. */
export const idleSignals = ['terminal', 'ssh', 'requests', 'processor', 'cards'] as const
export type IdleSignal = (typeof idleSignals)[number]

/** It is warned of so long before it stops, or half of its minutes where that is less. */
const longestWarningMs = 600_000
export const warnedMs = (autoShutdownMinutes: number): number =>
  Math.min(longestWarningMs, autoShutdownMinutes * 30_000)

/** A stop by itself is put off by so long at most. */
export const longestSnoozeMs = 7 * 86_400_000

const signal = z.object({
  signal: z.enum(idleSignals),
  /** Whether it can count here: what its driver does not measure is left out. */
  watched: z.boolean(),
  /** When it counted last in this run; null: it has not. */
  last_at: z.nullable(timestamp),
  /** Of `processor`: processors in use then. Of `cards`: the load of the busiest, 0 to 1. Null where it is not known. */
  amount: z.nullable(z.number()),
  /** The card that was the busiest, from 0 on. */
  card: z.nullable(z.int()),
})

export const idleness = z.object({
  instance_id: id,
  auto_shutdown_enabled: z.boolean(),
  auto_shutdown_minutes: z.int(),
  /** `unknown`: something that is watched cannot be read now, so nothing is stopped. `off`: nobody looks. */
  state: z.enum(['off', 'working', 'idle', 'unknown']),
  signals: z.array(signal),
  /** The signal that counted last; null: none has yet, and the time counts from its start or the last change of the setting. */
  last_signal: z.nullable(z.enum(idleSignals)),
  /** Since when nothing has counted; null while it is at work. */
  idle_since: z.nullable(timestamp),
  /** When it stops if nothing happens until then; null while it is at work or would never stop. */
  stops_at: z.nullable(timestamp),
  /** It is not stopped as idle before then. */
  snoozed_until: z.nullable(timestamp),
})
export type Idleness = z.infer<typeof idleness>

export const idle = {
  checkIdle: operation({
    id: 'auto-shutdown-checker',
    method: 'GET',
    path: '/v1/instances/auto-shutdown-checker',
    who: 'user',
    actable: true,
    summary:
      'Which of your running instances are idle and when each stops, the next first, 100 at most. It asks no machine and stops nothing: the service looks twice a minute whether anybody calls or not',
    input: nothing,
    output: z.object({
      items: z.array(
        z.object({
          instance_id: id,
          name: z.string(),
          stops_at: timestamp,
          snoozed_until: z.nullable(timestamp),
          /** It stops soon, and its owner has been told. */
          is_soon: z.boolean(),
        }),
      ),
      next_cursor: z.null(),
    }),
    status: 200,
    errors: [],
  }),
  idleness: operation({
    id: 'getInstanceIdleness',
    method: 'GET',
    path: '/v1/instances/{id}/idleness',
    who: 'user',
    actable: true,
    summary: 'What of it counts as work, what counted last, and when it stops if nothing happens',
    input: z.object({ id }),
    output: idleness,
    status: 200,
    errors: ['not_found'],
  }),
  snooze: operation({
    id: 'snoozeInstance',
    method: 'POST',
    path: '/v1/instances/{id}/snooze',
    who: 'user',
    summary: 'Keep it on until a time within seven days, idle or not; it costs what it costs',
    input: z.object({ id, until: timestamp }),
    output: idleness,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  endSnooze: operation({
    id: 'endInstanceSnooze',
    method: 'DELETE',
    path: '/v1/instances/{id}/snooze',
    who: 'user',
    summary: 'Let it stop by itself again; done also when it was not kept on',
    input: z.object({ id }),
    output: idleness,
    status: 200,
    errors: ['not_found'],
  }),
}
