import type { UsageLog } from '@ingot/contracts/activity'
import { toCsv } from '../list/csv.ts'

export const logsCsv = (logs: readonly UsageLog[]): string =>
  toCsv(
    [
      'time',
      'action',
      'instance',
      'instance_id',
      'duration_minutes',
      'seconds',
      'cost_usd',
      'from_prepaid_usd',
      'from_wallet_usd',
      'message',
    ],
    logs.map(log => [
      log.timestamp,
      log.action,
      log.instance_name,
      log.instance_id,
      log.duration_minutes,
      log.seconds,
      log.cost,
      log.from_prepaid,
      log.from_wallet,
      log.message,
    ]),
  )
