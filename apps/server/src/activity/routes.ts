import type { activity } from '@ingot/contracts/activity'
import type { Handlers } from '../http/bind.ts'
import { listUsageLogs } from './queries.ts'

export const activityRoutes: Handlers<typeof activity> = {
  usageLogs: (input, { db, caller }) => listUsageLogs(db, caller.userId, input),
}
