/**
 * Empties hosts whose time has come. First the host is marked, from which moment nothing starts there; then each instance
 * that runs on it gets the ordinary stop, in a transaction of its own, charged up to that moment. What is to be done is
 * read from the rows each time, so a kill loses nothing, and several servers may do it: whoever is second finds it
 * stopping. What was still starting is stopped when it runs.
 */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { endRun } from '../instances/end-run.ts'
import { type Running, startRunning } from '../worker/running.ts'
import type { Signals } from '../worker/signals.ts'
import { createWaker } from '../worker/waker.ts'
import { lockHost } from './change-host.ts'

const everyMs = 5_000
const mostAtOnce = 200

export interface DrainNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

export const startDrains = (needs: DrainNeeds): Running =>
  startRunning(async signal => {
    const waker = createWaker()
    const ends = (['places', 'clock'] as const).map(topic => needs.signals.on(topic, waker.wake))
    signal.addEventListener('abort', () => waker.wake())
    while (!signal.aborted) {
      await drainHosts(needs).catch(error => needs.log.error({ err: error }, 'no host was drained'))
      if (!signal.aborted) await waker.wait(await untilNext(needs))
    }
    for (const end of ends) end()
  })

/** Exactly at its time, where nobody wakes it before. */
async function untilNext({ database, clock }: DrainNeeds): Promise<number> {
  const { rows } = await sql<{ at: string | null }>`
    select min(drain_at) as at from host where drain_at is not null and drained_at is null`
    .execute(database.kysely)
    .catch(() => ({ rows: [{ at: null }] }))
  const at = rows[0]?.at ?? null
  return at === null ? everyMs : Math.min(everyMs, Math.max(50, Date.parse(at) - clock.now()))
}

/** Once. Returns how many instances it stopped. */
export async function drainHosts(needs: DrainNeeds): Promise<number> {
  const { database, clock, log, signals } = needs
  const { rows: due } = await sql<{ id: bigint }>`
    select id from host where drain_at <= ${clock.iso()} and drained_at is null order by id`.execute(
    database.kysely,
  )
  for (const { id } of due)
    await inTransaction(database.kysely, async tx => {
      const host = await lockHost(tx, id)
      // It was called off, or another server was first.
      if (host.drain_at === null || host.drained_at !== null || host.drain_at > clock.iso()) return
      await tx.updateTable('host').set({ drained_at: clock.iso() }).where('id', '=', id).execute()
      log.info({ driver: host.driver, host: host.name }, 'a host is drained')
    })
  const { rows } = await sql<OnHost>`
    select i.id, i.user_id from host h join gpu_instances i on i.host_id = h.id and i.status <> 'terminated'
    where h.drain_at is not null and h.drained_at is not null and i.status = 'running' order by i.id limit ${mostAtOnce}`.execute(
    database.kysely,
  )
  let stopped = 0
  for (const row of rows) {
    const isStopped = await inTransaction(database.kysely, tx => stopForMaintenance(tx, needs, row)).catch(
      error => {
        log.error({ err: error, instance: row.id }, 'an instance on a drained host was not stopped')
        return false
      },
    )
    if (!isStopped) continue
    stopped += 1
    for (const topic of ['gpu_instances', 'wallets', 'notice', `user:${row.user_id}`] as const)
      signals.send(topic)
  }
  return stopped
}

interface OnHost {
  readonly id: string
  readonly user_id: string
}

async function stopForMaintenance(tx: Tx, { clock }: DrainNeeds, { id, user_id }: OnHost): Promise<boolean> {
  const { rows } = await sql<{ reason: string; name: string; is_term: boolean }>`
    select h.cordon_reason as reason, i.name, coalesce(i.paid_until > ${clock.iso()}, false) as is_term
    from gpu_instances i join host h on h.id = i.host_id where i.id = ${id} and h.drained_at is not null`.execute(
    tx,
  )
  // The host is open again.
  if (!rows[0]) return false
  const { reason, name, is_term } = rows[0]
  const message = `Stopped because its host is maintained: ${reason}`
  try {
    await endRun(tx, { clock }, user_id, id, 'stop', { reason: 'maintenance', message })
  } catch (error) {
    // Its owner or another server was first.
    if (error instanceof IngotError && error.code === 'invalid_state') return false
    throw error
  }
  const row = await tx
    .selectFrom('gpu_instances')
    .select('status_reason')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // Its money or its term had ended before, and that was told.
  if (row.status_reason !== 'maintenance') return true
  const item = JSON.stringify({ at: clock.iso(), name, reason, is_term })
  await sql`select queue_notice(${user_id}, 'maintenance_stopped', 'mail', ${item}::jsonb)`.execute(tx)
  return true
}
