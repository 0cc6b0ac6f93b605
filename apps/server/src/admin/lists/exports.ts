/** The lists of the administration as spreadsheets: every line that matches, page by page, as fast as it is taken. */
import type { AdminBillingEntry } from '@ingot/contracts/admin/billing'
import type { AdminInstance } from '@ingot/contracts/admin/instances'
import type { AdminUser } from '@ingot/contracts/admin/users'
import type { AdminVolume } from '@ingot/contracts/admin/volumes'
import type { Db } from '../../db/database.ts'
import { everyPage } from '../../db/page.ts'
import type { Bytes } from '../../http/bytes.ts'
import { type Columns, csvFile } from '../../http/csv.ts'
import { type AllBillingFilter, listAllBilling } from './billing.ts'
import { type InstanceFilter, listAllInstances } from './instances.ts'
import { listUsers, type UserFilter } from './users.ts'
import { listAllVolumes, type VolumeFilter } from './volumes.ts'

const newestFirst = { sort: 'created', order: 'desc' } as const
/** What is shown of a user takes time. */
const usersAtOnce = 200

const users: Columns<AdminUser> = {
  id: user => user.id,
  email: user => user.email,
  first_name: user => user.first_name,
  last_name: user => user.last_name,
  role: user => user.role,
  plan: user => user.plan_name,
  balance_usd: user => user.balance_usd,
  spent_30d_usd: user => user.spent_30d,
  running: user => user.running,
  last_seen_at: user => user.last_seen_at,
  created_at: user => user.created_at,
}
const instances: Columns<AdminInstance> = {
  id: instance => instance.id,
  name: instance => instance.name,
  user_id: instance => instance.user_id,
  user_email: instance => instance.user_email,
  status: instance => instance.status,
  gpu_type: instance => instance.gpu_type,
  gpu_count: instance => instance.gpu_count,
  region: instance => instance.region,
  host: instance => instance.host,
  hourly_cost_usd: instance => instance.hourly_cost,
  billing_period: instance => instance.billing_period,
  template: instance => instance.template_name,
  started_at: instance => instance.started_at,
  created_at: instance => instance.created_at,
}
const volumes: Columns<AdminVolume> = {
  id: volume => volume.id,
  name: volume => volume.name,
  user_id: volume => volume.user_id,
  user_email: volume => volume.user_email,
  size_gb: volume => volume.size_gb,
  used_bytes: volume => volume.used_bytes,
  status: volume => volume.status,
  region: volume => volume.region,
  instance_id: volume => volume.instance_id,
  instance_name: volume => volume.instance_name,
  monthly_cost_usd: volume => volume.monthly_cost,
  lapsed_at: volume => volume.lapsed_at,
  created_at: volume => volume.created_at,
}
const billing: Columns<AdminBillingEntry> = {
  time: entry => entry.created_at,
  user_id: entry => entry.user_id,
  user_email: entry => entry.user_email,
  description: entry => entry.description,
  status: entry => entry.status,
  amount_usd: entry => entry.amount,
  kind: entry => entry.kind,
  about: entry => entry.about?.id ?? null,
  id: entry => entry.id,
}

export const exportUsers = (db: Db, now: () => number, filter: UserFilter): Bytes =>
  csvFile(
    'users.csv',
    users,
    everyPage(page => listUsers(db, now(), { ...filter, ...page, ...newestFirst }), usersAtOnce),
  )
export const exportInstances = (db: Db, filter: InstanceFilter): Bytes =>
  csvFile(
    'instances.csv',
    instances,
    everyPage(page => listAllInstances(db, { ...filter, ...page, ...newestFirst })),
  )
export const exportVolumes = (db: Db, at: () => string, filter: VolumeFilter): Bytes =>
  csvFile(
    'volumes.csv',
    volumes,
    everyPage(page => listAllVolumes(db, at(), { ...filter, ...page, ...newestFirst })),
  )
export const exportAllBilling = (db: Db, filter: AllBillingFilter): Bytes =>
  csvFile(
    'billing.csv',
    billing,
    everyPage(page => listAllBilling(db, { ...filter, ...page })),
  )
