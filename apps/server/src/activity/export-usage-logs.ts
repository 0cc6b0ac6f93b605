/** The activity log as a spreadsheet or as JSON: every line that matches, whatever a screen shows of them. */
import type { activityExports, UsageLog } from '@ingot/contracts/activity'
import type { Db } from '../db/database.ts'
import { everyPage } from '../db/page.ts'
import type { Bytes } from '../http/bytes.ts'
import { type Columns, csvFile } from '../http/csv.ts'
import { jsonFile } from '../http/json-file.ts'
import { listUsageLogs, type LogFilter } from './queries.ts'

const columns: Columns<UsageLog> = {
  time: log => log.timestamp,
  action: log => log.action,
  instance: log => log.instance_name,
  instance_id: log => log.instance_id,
  duration_minutes: log => log.duration_minutes,
  seconds: log => log.seconds,
  cost_usd: log => log.cost,
  from_prepaid_usd: log => log.from_prepaid,
  from_wallet_usd: log => log.from_wallet,
  message: log => log.message,
  actor: log => log.actor,
  volume: log => log.volume_name,
  volume_id: log => log.volume_id,
}

export type ExportWish = LogFilter & { readonly format: (typeof activityExports)[number] }

export function exportUsageLogs(db: Db, userId: string, { format, ...filter }: ExportWish): Bytes {
  const pages = everyPage(page => listUsageLogs(db, userId, { ...filter, ...page }))
  return format === 'json' ? jsonFile('activity.json', pages) : csvFile('activity.csv', columns, pages)
}
