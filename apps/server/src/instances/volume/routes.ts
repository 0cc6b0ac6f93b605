import type { volumes } from '@ingot/contracts/volumes'
import { inTransaction } from '../../db/database.ts'
import type { Handlers } from '../../http/bind.ts'
import { deleteVolume } from '../../volumes/delete-volume.ts'
import { getVolume } from '../../volumes/queries.ts'
import { wakeVolumes } from '../../volumes/wake.ts'
import type { Signals } from '../../worker/signals.ts'
import { attachVolume, type AttachNeeds, detachRunning, detachVolume } from './attach-volume.ts'

interface Needs extends AttachNeeds {
  readonly signals: Signals
}

/** What is asked of a volume and of the instance that has it. */
export function heldVolumeRoutes(
  needs: Needs,
): Pick<Handlers<typeof volumes>, 'attach' | 'detach' | 'delete'> {
  const { database } = needs
  const after = (userId: string, id: string) => {
    wakeVolumes(needs, userId)()
    return getVolume(database.kysely, needs, userId, id)
  }
  return {
    attach: async ({ id, instance_id }, { caller }) => {
      await attachVolume(needs, caller.userId, id, instance_id)
      return after(caller.userId, id)
    },
    detach: async ({ id }, { caller }) => {
      await detachVolume(needs, caller.userId, id)
      return after(caller.userId, id)
    },
    delete: async ({ id }, { caller }) => {
      await detachRunning(needs, caller.userId, id)
      // Read with it: the loop may have destroyed it a moment later.
      const deleted = await inTransaction(database.kysely, async tx => {
        await deleteVolume(tx, needs, caller.userId, id)
        return getVolume(tx, needs, caller.userId, id)
      })
      wakeVolumes(needs, caller.userId)()
      return deleted
    },
  }
}
