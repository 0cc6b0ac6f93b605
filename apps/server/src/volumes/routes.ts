import type { volumes } from '@ingot/contracts/volumes'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { createVolume, type CreateNeeds } from './create-volume.ts'
import { growVolume } from './grow-volume.ts'
import {
  getSnapshot,
  getVolume,
  getVolumeGrowth,
  getVolumesSummary,
  listSnapshots,
  listVolumes,
} from './queries.ts'
import { renameVolume } from './rename-volume.ts'
import { reviveVolume } from './revive-volume.ts'
import { deleteSnapshot } from './snapshots/delete-snapshot.ts'
import { restoreSnapshot } from './snapshots/restore-snapshot.ts'
import { reviveSnapshot } from './snapshots/revive-snapshot.ts'
import { takeSnapshot } from './snapshots/take-snapshot.ts'
import { listVolumeRegions } from './stores.ts'
import { wakeVolumes } from './wake.ts'

export interface VolumeNeeds extends CreateNeeds {
  readonly signals: Signals
}

/** `attach`, `detach` and `delete` ask what runs: they are the instances'. */
export const volumeRoutes = (
  needs: VolumeNeeds,
): Omit<Handlers<typeof volumes>, 'attach' | 'detach' | 'delete'> => ({
  list: (input, { db, caller }) => listVolumes(db, needs, caller.userId, input),
  summary: (_, { db, caller }) => getVolumesSummary(db, caller.userId),
  regions: (_, { db, caller }) => listVolumeRegions(db, needs, caller.userId),
  get: ({ id }, { db, caller }) => getVolume(db, needs, caller.userId, id),
  create: async (input, { db, caller, afterCommit }) => {
    const id = await createVolume(db, needs, caller.userId, input)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getVolume(db, needs, caller.userId, id)
  },
  rename: async (input, { db, caller, afterCommit }) => {
    await renameVolume(db, needs, caller.userId, input)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getVolume(db, needs, caller.userId, input.id)
  },
  revive: async ({ id }, { db, caller, afterCommit }) => {
    await reviveVolume(db, needs, caller.userId, id)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getVolume(db, needs, caller.userId, id)
  },
  growth: (input, { db, caller }) => getVolumeGrowth(db, needs, caller.userId, input),
  grow: async (input, { db, caller, afterCommit }) => {
    await growVolume(db, needs, caller.userId, input)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getVolume(db, needs, caller.userId, input.id)
  },
  snapshots: ({ id, ...paging }, { db, caller }) =>
    listSnapshots(db, needs, caller.userId, { ...paging, volumeId: id }),
  allSnapshots: (paging, { db, caller }) => listSnapshots(db, needs, caller.userId, paging),
  snapshot: ({ id }, { db, caller }) => getSnapshot(db, needs, caller.userId, id),
  takeSnapshot: async (input, { db, caller, afterCommit }) => {
    const id = await takeSnapshot(db, needs, caller.userId, input)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getSnapshot(db, needs, caller.userId, id)
  },
  restore: async (input, { db, caller, afterCommit }) => {
    const id = await restoreSnapshot(db, needs, caller.userId, input)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getVolume(db, needs, caller.userId, id)
  },
  reviveSnapshot: async ({ id }, { db, caller, afterCommit }) => {
    await reviveSnapshot(db, needs, caller.userId, id)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getSnapshot(db, needs, caller.userId, id)
  },
  deleteSnapshot: async ({ id }, { db, caller, afterCommit }) => {
    await deleteSnapshot(db, needs, caller.userId, id)
    afterCommit(wakeVolumes(needs, caller.userId))
    return getSnapshot(db, needs, caller.userId, id)
  },
})
