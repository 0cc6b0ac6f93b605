/** The instances of all users, and what administrators do to them: what their owners can do, by the same rules. */
import * as z from 'zod/mini'
import { usageLog } from '../activity.ts'
import { billingPeriods } from '../catalog.ts'
import { gpuType, regionName } from '../catalog-calls.ts'
import { placement } from '../instance/places.ts'
import { statusReasons } from '../instance/status-reasons.ts'
import { instanceStatuses } from '../instances.ts'
import { id, operation, page, paging, timestamp, usd } from '../operation.ts'
import { order, orderedPaging, reason, search } from './acts.ts'

export const instanceSorts = ['created', 'name', 'cost', 'status'] as const

const fields = {
  id,
  name: z.string(),
  user_id: id,
  /** Null: the account is deleted. */
  user_email: z.nullable(z.string()),
  status: z.enum(instanceStatuses),
  /** The last change nobody asked for, and its words; null when all is as asked. */
  status_reason: z.nullable(z.enum(statusReasons)),
  status_message: z.nullable(z.string()),
  gpu_type: gpuType,
  gpu_count: z.int(),
  region: regionName,
  hourly_cost: usd,
  billing_period: z.enum(billingPeriods),
  template_name: z.string(),
  /** The host that its disk is on, by name and id. */
  host: z.nullable(z.string()),
  host_id: z.nullable(z.string()),
  driver: z.string(),
  hardware: z.enum(['real', 'simulated']),
  network_volume_id: z.nullable(id),
  started_at: z.nullable(timestamp),
  stopped_at: z.nullable(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
}
export const adminInstance = z.object(fields)
export type AdminInstance = z.infer<typeof adminInstance>

export const adminInstanceDetails = z.object({
  ...fields,
  cpu_cores: z.int(),
  memory_gb: z.int(),
  storage_gb: z.int(),
  paid_until: z.nullable(timestamp),
  volume_name: z.nullable(z.string()),
  /** What its owner has paid for it, by its id: charges less what was returned, and what has accrued since the last of them. */
  cost_total: usd,
  /** What became of its last wish for a place; null: it never wished for one. */
  placement: z.nullable(placement),
})
export type AdminInstanceDetails = z.infer<typeof adminInstanceDetails>

const filter = {
  /** Part of its name or of its owner’s e-mail address, or how its own or its owner’s id begins. */
  search,
  /** Without it: all that are not terminated. */
  status: z.optional(z.enum(instanceStatuses)),
  region: z.optional(regionName),
  user_id: z.optional(id),
  /** The id of the host that its disk is on. */
  host: z.optional(z.string().check(z.maxLength(200))),
}
const act = <const Id extends string>(verb: 'start' | 'stop', operationId: Id, summary: string) =>
  ({
    id: operationId,
    method: 'POST',
    path: `/v1/admin/instances/{id}/${verb}`,
    who: 'admin',
    summary,
    input: z.object({ id, reason }),
    output: adminInstanceDetails,
    status: 202,
  }) as const

export const adminInstances = {
  instances: operation({
    id: 'listAllInstances',
    method: 'GET',
    path: '/v1/admin/instances',
    who: 'admin',
    summary: 'The instances of all users, the newest first unless another order is asked for',
    input: z.object({
      ...orderedPaging,
      ...filter,
      sort: z._default(z.enum(instanceSorts), 'created'),
      order,
    }),
    output: page(adminInstance),
    status: 200,
    errors: [],
  }),
  exportInstances: operation({
    id: 'exportAllInstances',
    method: 'GET',
    path: '/v1/admin/instances/export',
    who: 'admin',
    summary: 'Every instance of all users that matches, as a spreadsheet',
    input: z.object(filter),
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    status: 200,
    errors: [],
  }),
  instance: operation({
    id: 'getAnyInstance',
    method: 'GET',
    path: '/v1/admin/instances/{id}',
    who: 'admin',
    summary: 'One instance of whichever user, also a terminated one, with what it has cost',
    input: z.object({ id }),
    output: adminInstanceDetails,
    status: 200,
    errors: ['not_found'],
  }),
  instanceUsageLog: operation({
    id: 'listAnyUsageLog',
    method: 'GET',
    path: '/v1/admin/instances/{id}/usage-log',
    who: 'admin',
    summary: 'What happened to an instance of whichever user, newest first',
    input: z.object({ id, ...paging }),
    output: page(usageLog),
    status: 200,
    errors: ['not_found'],
  }),
  startInstance: operation({
    ...act(
      'start',
      'startAnyInstance',
      'Start a stopped instance of a user, with their money, by the rules that hold for them',
    ),
    errors: [
      'not_found',
      'invalid_state',
      'insufficient_funds',
      'budget_exceeded',
      'no_capacity',
      'hardware_not_offered',
    ],
  }),
  stopInstance: operation({
    ...act('stop', 'stopAnyInstance', 'Stop a running instance of a user; its disk stays'),
    errors: ['not_found', 'invalid_state'],
  }),
  deleteInstance: operation({
    id: 'deleteAnyInstance',
    method: 'DELETE',
    path: '/v1/admin/instances/{id}',
    who: 'admin',
    summary: 'Destroy an instance of a user with its disk; what is left of the deploy charge returns to them',
    input: z.object({ id, reason }),
    output: adminInstanceDetails,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
}
