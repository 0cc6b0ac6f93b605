/** What happened to the account's instances and keys: the activity log. */
import * as z from 'zod/mini'
import { usd } from './money.ts'
import { id, maxSearchText, operation, page, paging, timestamp } from './operation.ts'

export const usageActions = [
  'instance_created',
  'instance_started',
  'instance_start_failed',
  'instance_stopped',
  'instance_auto_stopped',
  'instance_restarted',
  'instance_cloned',
  'instance_deleted',
  'instance_updated',
  'instance_usage_charged',
  'api_key_generated',
  'api_key_revealed',
  'api_key_revoked',
] as const
export type UsageAction = (typeof usageActions)[number]

export const usageLog = z.object({
  id,
  user_id: id,
  action: z.enum(usageActions),
  instance_id: z.nullable(id),
  instance_name: z.nullable(z.string()),
  /** The time at the hourly cost, whether the deploy charge or the wallet paid for it. */
  cost: usd,
  duration_minutes: z.int(),
  /** Exact length of what was metered, in seconds with three places; null when the line meters nothing. */
  seconds: z.nullable(z.string()),
  from_prepaid: usd,
  from_wallet: usd,
  message: z.nullable(z.string()),
  timestamp,
})
export type UsageLog = z.infer<typeof usageLog>

export const activity = {
  usageLogs: operation({
    id: 'listUsageLogs',
    method: 'GET',
    path: '/v1/usage-logs',
    who: 'user',
    summary: 'Your activity, newest first',
    input: z.object({
      ...paging,
      limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 100),
      instance_id: z.optional(id),
      action: z.optional(z.enum(usageActions)),
      /** Matches the instance's name, the action or the message. */
      search: z.optional(z.string().check(z.maxLength(maxSearchText))),
    }),
    output: page(usageLog),
    status: 200,
    errors: [],
  }),
}
