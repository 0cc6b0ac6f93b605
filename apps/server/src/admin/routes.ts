import type { acting } from '@ingot/contracts/admin/acting'
import type { auditLog } from '@ingot/contracts/admin/audit-log'
import type { admin } from '@ingot/contracts/admin'
import { listUsageLogs } from '../activity/queries.ts'
import { readCursor, serial } from '../db/page.ts'
import type { Handlers } from '../http/bind.ts'
import { actOnInstance, type InstanceActNeeds } from './acts/instances.ts'
import { actingRoutes } from './acting/routes.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { deleteAnyVolume, detachAnyVolume, type VolumeActNeeds } from './acts/volumes.ts'
import { listAllBilling } from './lists/billing.ts'
import { exportAllBilling, exportInstances, exportUsers, exportVolumes } from './lists/exports.ts'
import { getAnyInstance, listAllInstances, ownerOfInstance } from './lists/instances.ts'
import { getUser, listUsers } from './lists/users.ts'
import { getAnyVolume, listAllVolumes } from './lists/volumes.ts'
import { countHits } from './overview/count-hits.ts'
import { getOverview } from './overview/get-overview.ts'
import { listDecisions } from './overview/list-decisions.ts'
import { setRole } from './set-role.ts'

type AdminNeeds = InstanceActNeeds & VolumeActNeeds

export const adminRoutes = (needs: AdminNeeds): Handlers<typeof admin & typeof auditLog & typeof acting> => {
  const { clock } = needs
  return {
    overview: (_, { db }) => getOverview(db, needs),
    decisions: async (_, { db }) => ({ items: await listDecisions(db), next_cursor: null }),
    counts: ({ search }, { db }) => countHits(db, search),
    users: (wish, { db }) => listUsers(db, clock.now(), wish),
    exportUsers: async (filter, { db }) => exportUsers(db, clock.now, filter),
    user: ({ id }, { db }) => getUser(db, clock.now(), id),
    setRole: async ({ id, ...change }, { db, caller }) => {
      await setRole(db, id, change, caller.userId)
      return { id, role: change.role }
    },
    instances: (wish, { db }) => listAllInstances(db, wish),
    exportInstances: async (filter, { db }) => exportInstances(db, filter),
    instance: ({ id }, { db }) => getAnyInstance(db, clock.iso(), id),
    instanceUsageLog: async ({ id, ...paging }, { db }) => {
      // A cursor of another form is refused whatever the id is.
      readCursor(paging.cursor, [serial])
      const { userId } = await ownerOfInstance(db, id)
      return listUsageLogs(db, userId, { instance_id: id, ...paging })
    },
    startInstance: (wish, context) => actOnInstance(context.db, needs, 'start', wish, context),
    stopInstance: (wish, context) => actOnInstance(context.db, needs, 'stop', wish, context),
    deleteInstance: (wish, context) => actOnInstance(context.db, needs, 'delete', wish, context),
    volumes: (wish, { db }) => listAllVolumes(db, clock.iso(), wish),
    exportVolumes: async (filter, { db }) => exportVolumes(db, clock.iso, filter),
    volume: ({ id }, { db }) => getAnyVolume(db, clock.iso(), id),
    detachVolume: wish => detachAnyVolume(needs, wish),
    deleteVolume: wish => deleteAnyVolume(needs, wish),
    billing: (wish, { db }) => listAllBilling(db, wish),
    exportBilling: async (filter, { db }) => exportAllBilling(db, filter),
    ...auditLogRoutes,
    ...actingRoutes,
  }
}
