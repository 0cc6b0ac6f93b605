/**
 * What an administrator does to a user's volume: the commands of its owner, by the rules that hold for them. They ask the
 * store outside of any transaction, so the audit entry stands in the one that makes it so.
 */
import type { AdminVolume } from '@ingot/contracts/admin/volumes'
import { appendAudit, giveReason } from '../../db/audit-log.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { type AttachNeeds, detachRunning, detachVolume } from '../../instances/volume/attach-volume.ts'
import { deleteVolume } from '../../volumes/delete-volume.ts'
import { wakeVolumes } from '../../volumes/wake.ts'
import type { Signals } from '../../worker/signals.ts'
import { getAnyVolume, ownerOfVolume } from '../lists/volumes.ts'

export interface VolumeActNeeds extends AttachNeeds {
  readonly signals: Signals
}

interface Wish {
  readonly id: string
  readonly reason: string
}

export async function detachAnyVolume(needs: VolumeActNeeds, { id, reason }: Wish): Promise<AdminVolume> {
  const { kysely } = needs.database
  const userId = await ownerOfVolume(kysely, id)
  const before = await getAnyVolume(kysely, needs.clock.iso(), id)
  await detachVolume(needs, userId, id, tx => note(tx, needs, before, 'detach', reason))
  wake(needs, userId)
  return getAnyVolume(kysely, needs.clock.iso(), id)
}

export async function deleteAnyVolume(needs: VolumeActNeeds, { id, reason }: Wish): Promise<AdminVolume> {
  const { kysely } = needs.database
  const userId = await ownerOfVolume(kysely, id)
  const before = await getAnyVolume(kysely, needs.clock.iso(), id)
  await detachRunning(needs, userId, id, tx => note(tx, needs, before, 'detach', reason))
  // Read with it: the loop may have destroyed it a moment later.
  const deleted = await inTransaction(kysely, async tx => {
    await deleteVolume(tx, needs, userId, id)
    await note(tx, needs, before, 'delete', reason)
    return getAnyVolume(tx, needs.clock.iso(), id)
  })
  wake(needs, userId)
  return deleted
}

async function note(
  tx: Tx,
  { clock }: VolumeActNeeds,
  before: AdminVolume,
  act: string,
  reason: string,
): Promise<void> {
  const after = await getAnyVolume(tx, clock.iso(), before.id)
  const said = ({ name, status, instance_id }: AdminVolume) => ({
    name,
    status,
    instance_id,
    act: null as string | null,
  })
  await giveReason(tx, reason)
  await appendAudit(tx, {
    kind: 'volume',
    id: before.id,
    userId: before.user_id,
    before: said(before),
    after: { ...said(after), act },
  })
}

/** Its instance shows that it has none any more. */
function wake(needs: VolumeActNeeds, userId: string): void {
  wakeVolumes(needs, userId)()
  needs.signals.send('gpu_instances')
}
