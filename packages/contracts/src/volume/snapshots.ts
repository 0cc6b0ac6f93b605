/** What a volume held at one moment. It lives on when the volume is deleted, and is paid for itself. */
import * as z from 'zod/mini'
import { regionName } from '../catalog-calls.ts'
import { id, operation, page, paging, timestamp, usd } from '../operation.ts'
import { maxVolumeGb, minVolumeGb } from './prices.ts'

export const snapshotStatuses = ['creating', 'available', 'deleting'] as const
const snapshotName = z.string().check(z.maxLength(64), z.regex(/\S/))

export const volumeSnapshot = z.object({
  id,
  /** The volume may be deleted by now. */
  volume_id: id,
  volume_name: z.string(),
  name: z.string(),
  region: regionName,
  status: z.enum(snapshotStatuses),
  status_message: z.nullable(z.string()),
  /** The smallest volume that it can be restored to. */
  size_gb: z.int(),
  /** What is stored of it, and paid for; null until it is. */
  used_bytes: z.nullable(z.int()),
  /** Of what is stored, in hexadecimal digits; held to at each restore. */
  sha256: z.nullable(z.string()),
  monthly_cost: usd,
  renews_at: z.nullable(timestamp),
  lapsed_at: z.nullable(timestamp),
  deletes_at: z.nullable(timestamp),
  /** What would come back if it were deleted now. */
  returns: usd,
  created_at: timestamp,
  updated_at: timestamp,
})
export type VolumeSnapshot = z.infer<typeof volumeSnapshot>

const byId = z.object({ id })
const quote = { quoted_total: z.optional(usd) }

export const volumeSnapshots = {
  snapshots: operation({
    id: 'listVolumeSnapshots',
    method: 'GET',
    path: '/v1/volumes/{id}/snapshots',
    who: 'user',
    actable: true,
    summary: 'The snapshots of one volume, newest first',
    input: z.object({ id, ...paging }),
    output: page(volumeSnapshot),
    status: 200,
    errors: ['not_found'],
  }),
  takeSnapshot: operation({
    id: 'createVolumeSnapshot',
    method: 'POST',
    path: '/v1/volumes/{id}/snapshots',
    who: 'user',
    summary:
      'Keep what it holds now. Its first month is paid now by the bytes used; what is stored in the end counts, and the difference returns',
    input: z.object({ id, name: z.optional(snapshotName), ...quote }),
    output: volumeSnapshot,
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
  allSnapshots: operation({
    id: 'listSnapshots',
    method: 'GET',
    path: '/v1/snapshots',
    who: 'user',
    actable: true,
    summary: 'Your snapshots, newest first, those of deleted volumes among them',
    input: z.object({ ...paging }),
    output: page(volumeSnapshot),
    status: 200,
    errors: [],
  }),
  snapshot: operation({
    id: 'getSnapshot',
    method: 'GET',
    path: '/v1/snapshots/{id}',
    who: 'user',
    actable: true,
    summary: 'One snapshot',
    input: byId,
    output: volumeSnapshot,
    status: 200,
    errors: ['not_found'],
  }),
  reviveSnapshot: operation({
    id: 'reviveSnapshot',
    method: 'POST',
    path: '/v1/snapshots/{id}/revive',
    who: 'user',
    summary: 'Pay the month of a snapshot that lapsed: it begins when the snapshot lapsed',
    input: byId,
    output: volumeSnapshot,
    status: 200,
    errors: ['not_found', 'invalid_state', 'insufficient_funds'],
  }),
  deleteSnapshot: operation({
    id: 'deleteSnapshot',
    method: 'DELETE',
    path: '/v1/snapshots/{id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'Destroy it; what is left of its month returns at once',
    input: byId,
    output: volumeSnapshot,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
}

/** Of a new volume, so `volumes.ts` joins it to the calls above. */
export const restoreInput = z.object({
  id,
  name: snapshotName,
  /** At least the snapshot’s; without it the same. */
  size_gb: z.optional(z.int().check(z.minimum(minVolumeGb), z.maximum(maxVolumeGb))),
  ...quote,
})
