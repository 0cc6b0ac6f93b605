/** The network volume: a disk that outlives machines, paid by the month. Its fields, its states as data, its calls. */
import * as z from 'zod/mini'
import { regionName } from './catalog-calls.ts'
import { id, maxSearchText, nothing, operation, page, paging, timestamp, usd } from './operation.ts'
import { restoreInput, volumeSnapshots } from './volume/snapshots.ts'
import { maxVolumeGb, minVolumeGb } from './volume/prices.ts'

export const volumeStatuses = ['creating', 'available', 'in-use', 'deleting'] as const
export type VolumeStatus = (typeof volumeStatuses)[number]

export const maxVolumeName = 64
export const volumeName = z.string().check(z.maxLength(maxVolumeName), z.regex(/\S/))
export const volumeSize = z.int().check(z.minimum(minVolumeGb), z.maximum(maxVolumeGb))

/** Which instance has it: it is mounted there at `path` whenever that runs. */
export const volumeInstance = z.object({ id, name: z.string(), status: z.string(), path: z.string() })

export const volume = z.object({
  id,
  user_id: id,
  name: z.string(),
  size_gb: z.int(),
  region: regionName,
  status: z.enum(volumeStatuses),
  /** Why it is not as asked; null when it is. */
  status_message: z.nullable(z.string()),
  /** It is paid for as `size_gb` and is being made that large. */
  growing: z.boolean(),
  /** What is used of it as last measured; null: not yet, or its region does not measure. */
  used_bytes: z.nullable(z.int()),
  /** Where an instance that has it finds it; linked by the same name below `/workspace`. */
  mount_path: z.string(),
  /** Null while no instance has it. */
  instance: z.nullable(volumeInstance),
  /** What a month costs, exactly. */
  monthly_cost: usd,
  /** When the next month falls due; null while it lapsed or is being deleted. */
  renews_at: z.nullable(timestamp),
  /** Its month could not be paid since then: it is read-only. */
  lapsed_at: z.nullable(timestamp),
  /** When it is deleted unless its month is paid before; null while it is paid. */
  deletes_at: z.nullable(timestamp),
  /** What would come back if it were deleted now. */
  returns: usd,
  /** A program that writes more than its size gets "no space left". */
  enforces_size: z.boolean(),
  /** It can be attached to and detached from an instance that runs. */
  attaches_while_running: z.boolean(),
  /** It can be made larger while an instance that runs has it. */
  grows_while_running: z.boolean(),
  /** A snapshot needs its instance to be stopped (`stopped`), or can be taken at any time (`frozen`). */
  quiesce: z.enum(['stopped', 'frozen']),
  /** What a month that can’t be paid does while an instance runs with it: it becomes read-only there, or the instance stops. */
  when_unpaid: z.enum(['read_only', 'stops']),
  hardware: z.enum(['real', 'simulated']),
  created_at: timestamp,
  updated_at: timestamp,
})
export type Volume = z.infer<typeof volume>

const byId = z.object({ id })
/** The price that was shown. If it is another now nothing happens: 409 `price_changed`. */
const quote = { quoted_total: z.optional(usd) }

export const volumes = {
  list: operation({
    id: 'listVolumes',
    method: 'GET',
    path: '/v1/volumes',
    who: 'user',
    actable: true,
    summary: 'Your network volumes, newest first',
    input: z.object({
      ...paging,
      /** Matches the name. */
      search: z.optional(z.string().check(z.maxLength(maxSearchText))),
      status: z.optional(z.enum(volumeStatuses)),
    }),
    output: page(volume),
    status: 200,
    errors: [],
  }),
  summary: operation({
    id: 'getVolumesSummary',
    method: 'GET',
    path: '/v1/volumes/summary',
    who: 'user',
    actable: true,
    summary: 'How many volumes and snapshots you have, how large, how full, and what they cost in a month',
    input: nothing,
    output: z.object({
      total: z.int(),
      size_gb: z.int(),
      used_bytes: z.int(),
      monthly_cost: usd,
      snapshots: z.int(),
      snapshot_bytes: z.int(),
      snapshots_monthly_cost: usd,
    }),
    status: 200,
    errors: [],
  }),
  regions: operation({
    id: 'listVolumeRegions',
    method: 'GET',
    path: '/v1/volumes/regions',
    who: 'user',
    actable: true,
    summary: 'Where a volume can be made, what the store there can do, and why not elsewhere',
    input: nothing,
    output: z.object({
      items: z.array(
        z.object({
          region: regionName,
          available: z.boolean(),
          /** Why it is not, in words for the customer; null while it is. */
          reason: z.nullable(z.string()),
          hardware: z.enum(['real', 'simulated']),
          enforces_size: z.boolean(),
          attaches_while_running: z.boolean(),
          /** Your instances there that could use it: running or stopped, without a volume. */
          instances: z.int(),
        }),
      ),
      next_cursor: z.null(),
    }),
    status: 200,
    errors: [],
  }),
  get: operation({
    id: 'getVolume',
    method: 'GET',
    path: '/v1/volumes/{id}',
    who: 'user',
    actable: true,
    summary: 'One network volume',
    input: byId,
    output: volume,
    status: 200,
    errors: ['not_found'],
  }),
  create: operation({
    id: 'createVolume',
    method: 'POST',
    path: '/v1/volumes',
    who: 'user',
    summary: 'Make a network volume: its first month is paid now; if it can’t be made, all of it returns',
    input: z.object({ name: volumeName, size_gb: volumeSize, region: regionName, ...quote }),
    output: volume,
    status: 201,
    errors: ['insufficient_funds', 'budget_exceeded', 'price_changed', 'no_capacity', 'invalid_state'],
  }),
  rename: operation({
    id: 'renameVolume',
    method: 'PATCH',
    path: '/v1/volumes/{id}',
    who: 'user',
    summary: 'Rename it, and where its next start mounts it; not while its instance runs',
    input: z.object({ id, name: volumeName }),
    output: volume,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  attach: operation({
    id: 'attachVolume',
    method: 'POST',
    path: '/v1/volumes/{id}/attach',
    who: 'user',
    summary:
      'Attach it to an instance of the same region: at /volumes/<name> from its next start, or at once where that can be done while it runs',
    input: z.object({ id, instance_id: id }),
    output: volume,
    status: 202,
    transaction: false,
    errors: ['not_found', 'invalid_state', 'no_capacity', 'unavailable'],
  }),
  detach: operation({
    id: 'detachVolume',
    method: 'POST',
    path: '/v1/volumes/{id}/detach',
    who: 'user',
    summary: 'Take it off its instance; its data stays',
    input: byId,
    output: volume,
    status: 202,
    transaction: false,
    errors: ['not_found', 'invalid_state', 'unavailable'],
  }),
  revive: operation({
    id: 'reviveVolume',
    method: 'POST',
    path: '/v1/volumes/{id}/revive',
    who: 'user',
    summary: 'Pay the month of a volume that lapsed: it begins when the volume lapsed',
    input: byId,
    output: volume,
    status: 200,
    errors: ['not_found', 'invalid_state', 'insufficient_funds'],
  }),
  delete: operation({
    id: 'deleteVolume',
    method: 'DELETE',
    path: '/v1/volumes/{id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'Destroy it with its data, detached first; what is left of its month returns at once',
    input: byId,
    output: volume,
    status: 202,
    transaction: false,
    errors: ['not_found', 'invalid_state', 'unavailable'],
  }),
  growth: operation({
    id: 'getVolumeGrowth',
    method: 'GET',
    path: '/v1/volumes/{id}/growth',
    who: 'user',
    actable: true,
    summary: 'What making it larger costs now, and in a month',
    input: z.object({ id, size_gb: volumeSize }),
    output: z.object({
      /** For the started hours that are left of the month. */
      total: usd,
      monthly_cost: usd,
    }),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  grow: operation({
    id: 'growVolume',
    method: 'POST',
    path: '/v1/volumes/{id}/grow',
    who: 'user',
    summary: 'Make it larger; never smaller. What is left of the month is paid now',
    input: z.object({ id, size_gb: volumeSize, ...quote }),
    output: volume,
    status: 202,
    errors: [
      'not_found',
      'invalid_state',
      'insufficient_funds',
      'budget_exceeded',
      'price_changed',
      'no_capacity',
    ],
  }),
  ...volumeSnapshots,
  restore: operation({
    id: 'restoreSnapshot',
    method: 'POST',
    path: '/v1/snapshots/{id}/restore',
    who: 'user',
    summary: 'A new volume that holds what the snapshot does: its first month is paid now',
    input: restoreInput,
    output: volume,
    status: 201,
    errors: [
      'not_found',
      'invalid_state',
      'insufficient_funds',
      'budget_exceeded',
      'price_changed',
      'no_capacity',
    ],
  }),
}
