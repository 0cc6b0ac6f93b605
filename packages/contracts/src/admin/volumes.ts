/** The network volumes of all users, and what administrators do to them: what their owners can do, by the same rules. */
import * as z from 'zod/mini'
import { regionName } from '../catalog-calls.ts'
import { id, operation, page, timestamp, usd } from '../operation.ts'
import { volumeStatuses } from '../volumes.ts'
import { order, orderedPaging, reason, search } from './acts.ts'

export const volumeSorts = ['created', 'name', 'size'] as const

export const adminVolume = z.object({
  id,
  name: z.string(),
  user_id: id,
  /** Null: the account is deleted. */
  user_email: z.nullable(z.string()),
  size_gb: z.int(),
  /** As last measured; null: not yet, or its region does not measure. */
  used_bytes: z.nullable(z.int()),
  status: z.enum(volumeStatuses),
  status_message: z.nullable(z.string()),
  region: regionName,
  driver: z.string(),
  hardware: z.enum(['real', 'simulated']),
  /** The instance that has it. */
  instance_id: z.nullable(id),
  instance_name: z.nullable(z.string()),
  instance_status: z.nullable(z.string()),
  /** What a month costs. */
  monthly_cost: usd,
  /** When the next month falls due; null while it lapsed or is being deleted. */
  renews_at: z.nullable(timestamp),
  /** Its month could not be paid since then. */
  lapsed_at: z.nullable(timestamp),
  /** When it is deleted unless its month is paid before; null while it is paid. */
  deletes_at: z.nullable(timestamp),
  /** What would come back to its owner if it were deleted now. */
  returns: usd,
  created_at: timestamp,
  updated_at: timestamp,
})
export type AdminVolume = z.infer<typeof adminVolume>

const filter = {
  /** Part of its name or of its owner’s e-mail address, or how its own or its owner’s id begins. */
  search,
  status: z.optional(z.enum(volumeStatuses)),
  region: z.optional(regionName),
  user_id: z.optional(id),
}

export const adminVolumes = {
  volumes: operation({
    id: 'listAllVolumes',
    method: 'GET',
    path: '/v1/admin/volumes',
    who: 'admin',
    summary: 'The network volumes of all users, the newest first unless another order is asked for',
    input: z.object({ ...orderedPaging, ...filter, sort: z._default(z.enum(volumeSorts), 'created'), order }),
    output: page(adminVolume),
    status: 200,
    errors: [],
  }),
  exportVolumes: operation({
    id: 'exportAllVolumes',
    method: 'GET',
    path: '/v1/admin/volumes/export',
    who: 'admin',
    summary: 'Every network volume of all users that matches, as a spreadsheet',
    input: z.object(filter),
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    status: 200,
    errors: [],
  }),
  volume: operation({
    id: 'getAnyVolume',
    method: 'GET',
    path: '/v1/admin/volumes/{id}',
    who: 'admin',
    summary: 'One network volume of whichever user',
    input: z.object({ id }),
    output: adminVolume,
    status: 200,
    errors: ['not_found'],
  }),
  detachVolume: operation({
    id: 'detachAnyVolume',
    method: 'POST',
    path: '/v1/admin/volumes/{id}/detach',
    who: 'admin',
    summary: 'Take a volume of a user off its instance; its data stays',
    input: z.object({ id, reason }),
    output: adminVolume,
    status: 202,
    transaction: false,
    errors: ['not_found', 'invalid_state', 'unavailable'],
  }),
  deleteVolume: operation({
    id: 'deleteAnyVolume',
    method: 'DELETE',
    path: '/v1/admin/volumes/{id}',
    who: 'admin',
    summary:
      'Destroy a volume of a user with its data, detached first; what is left of its month returns to them',
    input: z.object({ id, reason }),
    output: adminVolume,
    status: 202,
    transaction: false,
    errors: ['not_found', 'invalid_state', 'unavailable'],
  }),
}
