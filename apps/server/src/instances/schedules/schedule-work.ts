/**
 * Carries out schedules. The row of each is claimed when its time has come and written again, with its next time, in the
 * transaction that starts or stops the instance: a time is carried out once, whoever looks and whenever a server is
 * killed. It is a start or a stop as a person makes one, at the instance's price, in the schedule's own name.
 *
 * A stop that comes late is made, unless the instance was started after its time. A start that comes later than
 * `startGraceMs` is not made: nobody waits for it any more, and it would cost. Of an instance that is just stopping or
 * starting it waits for the end of that. Of several times that are late the earliest comes first.
 */
import { IngotError } from '@ingot/contracts/errors'
import { startGraceMs } from '@ingot/contracts/instance/schedules'
import { sql } from 'kysely'
import { keepRefusal, NoPlace } from '../../catalog/places.ts'
import type { Region } from '../../catalog/regions.ts'
import { inAct } from '../../db/act.ts'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { newId } from '../../db/ids.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import type { Outcome } from '../../worker/claimable.ts'
import type { Work } from '../../worker/loop.ts'
import type { Signals } from '../../worker/signals.ts'
import type { InstanceRow } from '../queries.ts'
import { startInstance } from '../start-instance.ts'
import { stopInstance } from '../stop-instance.ts'
import { nextTime } from './next-time.ts'
import type { ScheduleRow } from './queries.ts'

export interface ScheduleNeeds {
  readonly clock: Clock
  readonly regions: readonly Region[]
  readonly signals: Signals
}

/** How long it waits for an instance that is starting or stopping, and for another schedule, before it looks again. */
const lookAgainMs = 2_000

export function scheduleWork(needs: ScheduleNeeds): Work<'instance_schedule'> {
  return {
    table: 'instance_schedule',
    key: 'id',
    clock: 'business',
    concurrency: 8,
    lockFirst: async (tx, row) => lockWallet(tx, await ownerOf(tx, row)),
    perform: (row, claim) =>
      inAct(
        {
          actor: `schedule:${row.id}`,
          role: null,
          operation: row.action === 'start' ? 'startInstance' : 'stopInstance',
          requestId: newId(),
          ip: null,
        },
        async () => {
          let userId: string | undefined
          await claim.apply(async (tx, now) => {
            const instance = await tx
              .selectFrom('gpu_instances')
              .selectAll()
              .where('id', '=', now.instance_id)
              .forNoKeyUpdate()
              .executeTakeFirstOrThrow()
            userId = instance.user_id
            return carryOut(tx, needs, now, instance)
          })
          if (userId === undefined) return
          for (const topic of ['gpu_instances', 'wallets', 'notice', `user:${userId}`] as const)
            needs.signals.send(topic)
        },
      ),
  }
}

async function ownerOf(tx: Tx, { instance_id }: ScheduleRow): Promise<string> {
  const { user_id } = await tx
    .selectFrom('gpu_instances')
    .select('user_id')
    .where('id', '=', instance_id)
    .executeTakeFirstOrThrow()
  return user_id
}

/** What became of a time; null: it waits. */
interface Done {
  readonly outcome: NonNullable<ScheduleRow['last_outcome']>
  readonly message?: string
}

async function carryOut(
  tx: Tx,
  needs: ScheduleNeeds,
  row: ScheduleRow,
  instance: InstanceRow,
): Promise<Outcome<'instance_schedule'>> {
  if (!row.enabled || row.due_at === null || instance.desired === 'deleted') return { due_at: null }
  const { clock } = needs
  const planned = row.waiting_at ?? row.due_at
  const done = (await isAnotherFirst(tx, row, planned))
    ? null
    : row.action === 'start'
      ? await start(tx, needs, row, instance, planned)
      : await stop(tx, needs, row, instance, planned)
  if (done === null) return { waiting_at: planned, due_at: clock.iso(lookAgainMs) }
  const next = nextTime(row, clock.now())
  return {
    waiting_at: null,
    last_at: planned,
    last_outcome: done.outcome,
    last_message:
      done.message ?? (next === null ? `The time zone ${row.time_zone} is not known here any more.` : null),
    enabled: next !== null,
    due_at: next,
  }
}

/** Of two at the same time the stop comes first: who has both wants it to run. */
async function isAnotherFirst(tx: Tx, row: ScheduleRow, planned: string): Promise<boolean> {
  const { rows } = await sql`
    select from instance_schedule
    where instance_id = ${row.instance_id} and id <> ${row.id} and due_at is not null
      and (coalesce(waiting_at, due_at) < ${planned}
        or coalesce(waiting_at, due_at) = ${planned} and action = 'stop' and ${row.action} = 'start') limit 1`.execute(
    tx,
  )
  return rows.length > 0
}

async function start(
  tx: Tx,
  needs: ScheduleNeeds,
  row: ScheduleRow,
  instance: InstanceRow,
  planned: string,
): Promise<Done | null> {
  const { id, user_id, status, restarting, name } = instance
  if (status === 'running' || status === 'starting' || restarting) return { outcome: 'nothing_to_do' }
  const { clock } = needs
  const at = clock.iso()
  const fact = { userId: user_id, subjectId: id, at }
  const when = `the start at ${row.time} (${row.time_zone})`
  if (clock.now() - Date.parse(planned) > startGraceMs) {
    const message = `Too late for ${when}: it was not made.`
    await appendEvent(tx, { ...fact, type: 'instance.schedule_missed', data: { name, message } })
    return { outcome: 'missed', message }
  }
  if (status === 'stopping') return null
  const refusal = await tryStart(tx, needs, instance)
  if (refusal === null) return { outcome: 'done' }
  if (refusal instanceof NoPlace) await keepRefusal(tx, refusal, at)
  // The fact is told by mail as well.
  await appendEvent(tx, {
    ...fact,
    type: 'instance.start_failed',
    data: { name, message: `As to ${when}: ${refusal.message}` },
  })
  return { outcome: 'refused', message: refusal.message }
}

/** A refusal leaves nothing of it, and the rest of the transaction stands. */
async function tryStart(
  tx: Tx,
  needs: ScheduleNeeds,
  { user_id, id }: InstanceRow,
): Promise<IngotError | null> {
  await sql`savepoint schedule`.execute(tx)
  try {
    await startInstance(tx, needs, user_id, id)
    return null
  } catch (error) {
    if (!(error instanceof IngotError)) throw error
    await sql`rollback to savepoint schedule`.execute(tx)
    return error
  }
}

async function stop(
  tx: Tx,
  needs: ScheduleNeeds,
  row: ScheduleRow,
  { id, user_id, status, restarting, started_at }: InstanceRow,
  planned: string,
): Promise<Done | null> {
  const isOn = status === 'running' || status === 'starting' || restarting
  if (!isOn) return { outcome: 'nothing_to_do' }
  // Somebody wanted it after that time.
  if (row.waiting_at === null && started_at !== null && started_at > planned && !restarting)
    return { outcome: 'nothing_to_do' }
  if (status !== 'running') return null
  await stopInstance(tx, needs, user_id, id)
  return { outcome: 'done' }
}
