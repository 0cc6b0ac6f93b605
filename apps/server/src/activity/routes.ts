import type { activity } from '@ingot/contracts/activity'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import { exportUsageLogs } from './export-usage-logs.ts'
import { getActivitySummary, listLoggedInstances, listUsageLogs } from './queries.ts'

export const activityRoutes = ({ clock }: { readonly clock: Clock }): Handlers<typeof activity> => ({
  usageLogs: (input, { db, caller }) => listUsageLogs(db, caller.userId, input),
  export: async (input, { db, caller }) => exportUsageLogs(db, caller.userId, input),
  summary: ({ utc_offset_minutes }, { db, caller }) =>
    getActivitySummary(db, caller.userId, clock.now(), utc_offset_minutes),
  instances: (input, { db, caller }) => listLoggedInstances(db, caller.userId, input),
})
