import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { lockWallet, setMeterLabel } from '../ledger/ledger.ts'
import { isUpAs } from './delete-volume.ts'
import { lockHolder, lockVolume } from './queries.ts'

/** Its name is where it is mounted, so it stays while a machine may have it mounted. */
export async function renameVolume(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  userId: string,
  { id, name: given }: { readonly id: string; readonly name: string },
): Promise<void> {
  await lockWallet(tx, userId)
  const holder = await lockHolder(tx, userId, id)
  const row = await lockVolume(tx, userId, id)
  const name = given.trim()
  if (row.status === 'deleting')
    throw new IngotError('invalid_state', { message: 'This volume is being deleted.' })
  if (holder && isUpAs(holder.status))
    throw new IngotError('invalid_state', {
      message: `${holder.name} has it mounted by its name. Stop that instance, or detach the volume, to rename it.`,
    })
  if (name === row.name) return
  const at = clock.iso()
  await tx.updateTable('network_volumes').set({ name, updated_at: at }).where('id', '=', id).execute()
  await setMeterLabel(tx, id, name)
  await appendEvent(tx, {
    userId,
    type: 'volume.renamed',
    subjectId: id,
    at,
    data: { name, message: `It was called ${row.name}` },
  })
}
