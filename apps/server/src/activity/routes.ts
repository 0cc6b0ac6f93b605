import type { activity } from '@ingot/contracts/activity'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import { listAttention } from './attention.ts'
import { exportUsageLogs } from './export-usage-logs.ts'
import { getActivitySummary, listLoggedInstances, listLoggedVolumes, listUsageLogs } from './queries.ts'
import { listRecent } from './recent.ts'

export const activityRoutes = ({ clock }: { readonly clock: Clock }): Handlers<typeof activity> => ({
  attention: (_, { db, caller }) => listAttention(db, caller.userId, clock.iso()),
  recent: (input, { db, caller }) => listRecent(db, caller.userId, input, clock.now()),
  usageLogs: (input, { db, caller }) => listUsageLogs(db, caller.userId, input),
  export: async (input, { db, caller }) => exportUsageLogs(db, caller.userId, input),
  summary: ({ utc_offset_minutes }, { db, caller }) =>
    getActivitySummary(db, caller.userId, clock.now(), utc_offset_minutes),
  instances: (input, { db, caller }) => listLoggedInstances(db, caller.userId, input),
  volumes: (input, { db, caller }) => listLoggedVolumes(db, caller.userId, input),
})
