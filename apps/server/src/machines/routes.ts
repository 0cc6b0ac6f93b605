import type { machines } from '@ingot/contracts/admin/machines'
import type { Region } from '../catalog/regions.ts'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { cancelDrain, cordonHost, drainHost, uncordonHost } from './change-host.ts'
import { listPlacements } from './placements.ts'
import { getHost, listHostInstances, listRegions } from './queries.ts'

interface MachineNeeds {
  readonly clock: Clock
  readonly regions: readonly Region[]
  readonly signals: Signals
}

export function machineRoutes(needs: MachineNeeds): Handlers<typeof machines> {
  const { regions, signals } = needs
  const wake = () => {
    signals.send('notice')
    signals.send('places')
  }
  return {
    regions: async (_, { db }) => ({ items: await listRegions(db, regions), next_cursor: null }),
    host: ({ id }, { db }) => getHost(db, regions, id),
    hostInstances: (input, { db }) => listHostInstances(db, input),
    placements: (input, { db }) => listPlacements(db, input),
    cordon: async (change, { db, caller, afterCommit }) => {
      await cordonHost(db, needs, change, caller.userId)
      afterCommit(wake)
      return getHost(db, regions, change.id)
    },
    uncordon: async (change, { db, afterCommit }) => {
      await uncordonHost(db, needs, change)
      afterCommit(wake)
      return getHost(db, regions, change.id)
    },
    drain: async (change, { db, caller, afterCommit }) => {
      await drainHost(db, needs, change, caller.userId)
      afterCommit(wake)
      return getHost(db, regions, change.id)
    },
    cancelDrain: async (change, { db, afterCommit }) => {
      await cancelDrain(db, needs, change)
      afterCommit(wake)
      return getHost(db, regions, change.id)
    },
  }
}
