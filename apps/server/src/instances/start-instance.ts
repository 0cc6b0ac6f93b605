import { IngotError } from '@ingot/contracts/errors'
import { whyNot } from '@ingot/contracts/instances'
import { type whenFull as whenFulls } from '@ingot/contracts/instance/places'
import { assertNotBanned } from '../auth/banned.ts'
import { placeInstance } from '../catalog/places.ts'
import type { Region } from '../catalog/regions.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { assertCanRun, lockWallet } from '../ledger/ledger.ts'
import { forgetEnds } from './chosen-template.ts'
import { type InstanceRow, lockInstance } from './queries.ts'
import { queueStart, unlessFull } from './queue/enter-queue.ts'
import { startQueued } from './queue/start-queued.ts'

/**
 * stopped → starting. Refused without ten minutes of funds. While no place is free it is refused, or waits in the queue.
 * The loop takes it from here; the meter opens when it runs.
 */
export async function startInstance(
  tx: Tx,
  { clock, regions }: { clock: Clock; regions: readonly Region[] },
  userId: string,
  id: string,
  whenFull: (typeof whenFulls)[number] = 'refuse',
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const refusal = whyNot('start', row.status)
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  await assertNotBanned(tx, userId)
  const region = regions.find(candidate => candidate.id === row.region)
  if (region && !region.available)
    throw new IngotError('hardware_not_offered', { message: region.reason ?? undefined })
  await assertVolumeIsMade(tx, row)
  const at = clock.iso()
  if (row.status_reason === 'queued') return startWaiting(tx, row, whenFull, at)
  const needs = await assertCanRun(tx, id, at)
  await forgetEnds(tx, id)
  const place = () => placeInstance(tx, row, at, null)
  const host_id = whenFull === 'queue' ? await unlessFull(tx, place) : await place()
  if (host_id === null) return queueStart(tx, row, needs, at)
  await tx
    .updateTable('gpu_instances')
    .set({
      status: 'starting',
      desired: 'running',
      started_at: at,
      stopped_at: null,
      last_activity_at: at,
      status_reason: null,
      status_message: null,
      attempts: 0,
      due_at: at,
      updated_at: at,
      host_id,
    })
    .where('id', '=', id)
    .execute()
  await appendEvent(tx, { userId, type: 'instance.starting', subjectId: id, at, data: { name: row.name } })
}

/** That of a clone is made after it. */
async function assertVolumeIsMade(tx: Tx, { network_volume_id: id }: InstanceRow): Promise<void> {
  if (id === null) return
  const making = await tx
    .selectFrom('network_volumes')
    .select('name')
    .where('id', '=', id)
    .where('status', '=', 'creating')
    .executeTakeFirst()
  if (making)
    throw new IngotError('invalid_state', {
      message: `Its volume ${making.name} is being made. Start it when that is available.`,
    })
}

/** It waits already: it starts now if its turn has come, and keeps its turn if not. */
async function startWaiting(
  tx: Tx,
  row: InstanceRow,
  whenFull: (typeof whenFulls)[number],
  at: string,
): Promise<void> {
  const isStarted = await unlessFull(tx, () => startQueued(tx, row, at))
  if (isStarted !== null || whenFull === 'queue') return
  throw new IngotError('no_capacity', {
    message: `No ${row.gpu_type} is free for it right now. It keeps its turn, and starts by itself.`,
  })
}
