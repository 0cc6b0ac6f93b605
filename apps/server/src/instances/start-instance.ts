import { IngotError } from '@ingot/contracts/errors'
import { whyNot } from '@ingot/contracts/instances'
import { placeInstance } from '../catalog/places.ts'
import type { Region } from '../catalog/regions.ts'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { assertCanRun, lockWallet } from '../ledger/ledger.ts'
import { forgetEnds } from './chosen-template.ts'
import { lockInstance } from './queries.ts'

/**
 * stopped → starting. Refused without ten minutes of funds, and while no place is free. The loop takes it from here; the
 * meter opens when it runs.
 */
export async function startInstance(
  tx: Tx,
  { clock, regions }: { clock: Clock; regions: readonly Region[] },
  userId: string,
  id: string,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const refusal = whyNot('start', row.status)
  if (refusal) throw new IngotError('invalid_state', { message: refusal })
  const region = regions.find(candidate => candidate.id === row.region)
  if (region && !region.available)
    throw new IngotError('hardware_not_offered', { message: region.reason ?? undefined })
  const at = clock.iso()
  await assertCanRun(tx, id, at)
  const host_id = await placeInstance(tx, row, at, null)
  await forgetEnds(tx, id)
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
