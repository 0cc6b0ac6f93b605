/** What machines run on, as administrators see and empty it: regions, hosts, who is on them, decisions about places. */
import * as z from 'zod/mini'
import { gpuType, hostEntry, regionEntry } from '../catalog-calls.ts'
import { placement } from '../instance/places.ts'
import { instanceStatuses } from '../instances.ts'
import { id, nothing, operation, page, paging, timestamp, usd } from '../operation.ts'

/** Letters of a reason. Those that a drain concerns read that of a drain. */
export const maxMachineReason = 500
/** A drain that comes sooner has to be confirmed (`short_notice`). */
export const drainNoticeMs = 60 * 60_000
/** The latest that it can be planned for. */
export const maxDrainAheadMs = 90 * 86_400_000

/** A host's number. Whatever else it may be, there is no such host. */
const serial = z.string().check(z.minLength(1), z.maxLength(40))
const reason = z.string().check(z.maxLength(maxMachineReason), z.regex(/\S/))

const cardStock = z.object({ gpu_type: gpuType, total: z.int(), taken: z.int(), free: z.int() })

export const adminRegion = z.extend(regionEntry, {
  is_on_sale: z.boolean(),
  /** `silent`: its driver was not heard for two minutes. `absent`: nobody has heard of it at all. */
  driver_state: z.enum(['ready', 'silent', 'absent']),
  seen_at: z.nullable(timestamp),
  /** Regions that the same driver serves: the figures below are of that driver, and count for all of them. */
  shares_with: z.array(z.string()),
  hosts: z.int(),
  hosts_silent: z.int(),
  hosts_cordoned: z.int(),
  machines: z.int(),
  machines_taken: z.int(),
  /** Its hosts' cards; free: those that could be given now. None: its cards are simulated. */
  cards: z.array(cardStock),
  /** Who waits for a place in this region. */
  queued: z.int(),
})
export type AdminRegion = z.infer<typeof adminRegion>

const heldCard = z.object({
  uuid: z.string(),
  model: z.string(),
  memory_gb: z.int(),
  /** What it is sold as; null: it has no price. */
  gpu_type: z.nullable(gpuType),
  /** False: its host does not tell of it any more. */
  is_there: z.boolean(),
  instance_id: z.nullable(id),
  instance_name: z.nullable(z.string()),
  user_id: z.nullable(id),
  email: z.nullable(z.string()),
  /** Since when that instance has it. */
  since: z.nullable(timestamp),
  hourly_cost: z.nullable(usd),
})
export type HeldCard = z.infer<typeof heldCard>

export const hostDetails = z.extend(hostEntry, {
  regions: z.array(z.string()),
  /** Its driver has not told of it since then; null: it is there. */
  silent_since: z.nullable(timestamp),
  /** At most 500. */
  held_cards: z.array(heldCard),
  /** Whom a drain concerns: instances by what they do, volumes that are kept there, and whose they are. */
  concerned: z.object({
    running: z.int(),
    changing: z.int(),
    stopped: z.int(),
    terms: z.int(),
    volumes: z.int(),
    snapshots: z.int(),
    customers: z.int(),
  }),
  /** Those that wait for a place here and nowhere else, because their disk is here. */
  queued: z.int(),
  /** The last ten times that it was not to be had. */
  outages: z.array(z.object({ from: timestamp, to: z.nullable(timestamp), is_maintenance: z.boolean() })),
  /** The last ten starts that its driver could not begin. */
  errors: z.array(z.object({ at: timestamp, instance_id: id, message: z.string() })),
})
export type HostDetails = z.infer<typeof hostDetails>

export const hostInstance = z.object({
  id,
  name: z.string(),
  user_id: id,
  email: z.nullable(z.string()),
  status: z.enum(instanceStatuses),
  gpu_type: gpuType,
  gpu_count: z.int(),
  /** How many of its cards are real ones of this host. */
  cards: z.int(),
  storage_gb: z.int(),
  hourly_cost: usd,
  paid_until: z.nullable(timestamp),
  /** Since when it has its place; null: its disk alone is here. */
  since: z.nullable(timestamp),
  volume_name: z.nullable(z.string()),
})
export type HostInstance = z.infer<typeof hostInstance>

export const adminPlacement = z.extend(placement, {
  instance_id: id,
  instance_name: z.string(),
  user_id: id,
  email: z.nullable(z.string()),
  host_id: z.nullable(z.string()),
  host_name: z.nullable(z.string()),
})
export type AdminPlacement = z.infer<typeof adminPlacement>

const act = {
  method: 'POST',
  who: 'admin',
  input: z.object({ id: serial, reason }),
  output: hostDetails,
  status: 200,
  errors: ['not_found', 'invalid_state'],
} as const

export const machines = {
  regions: operation({
    id: 'listAdminRegions',
    method: 'GET',
    path: '/v1/admin/regions',
    who: 'admin',
    summary: 'Every region with its driver, its hosts, their cards and who waits',
    input: nothing,
    output: z.object({ items: z.array(adminRegion), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  host: operation({
    id: 'getHost',
    method: 'GET',
    path: '/v1/admin/hosts/{id}',
    who: 'admin',
    summary: 'One host: its cards with who has each, its outages and errors, and whom a drain would concern',
    input: z.object({ id: serial }),
    output: hostDetails,
    status: 200,
    errors: ['not_found'],
  }),
  hostInstances: operation({
    id: 'listHostInstances',
    method: 'GET',
    path: '/v1/admin/hosts/{id}/instances',
    who: 'admin',
    summary: 'The instances whose disk is on a host, those that have a place there first',
    input: z.object({ ...paging, id: serial }),
    output: page(hostInstance),
    status: 200,
    errors: ['not_found'],
  }),
  cordon: operation({
    ...act,
    id: 'cordonHost',
    path: '/v1/admin/hosts/{id}/cordon',
    summary: 'Place nothing new on a host; what has a place there keeps it',
  }),
  uncordon: operation({
    ...act,
    id: 'uncordonHost',
    path: '/v1/admin/hosts/{id}/uncordon',
    summary: 'Open a host again, also one that is being drained or was',
  }),
  drain: operation({
    ...act,
    id: 'drainHost',
    path: '/v1/admin/hosts/{id}/drain',
    summary:
      'Stop all instances of a host at a time, tell those concerned at once, and place nothing new there',
    input: z.object({
      id: serial,
      reason,
      at: timestamp,
      /** It may come within the hour; what has passed counts as now. */
      short_notice: z._default(z.boolean(), false),
    }),
  }),
  cancelDrain: operation({
    ...act,
    id: 'cancelDrain',
    path: '/v1/admin/hosts/{id}/cancel-drain',
    summary: 'Call a drain off before it has begun; the host stays cordoned',
  }),
  placements: operation({
    id: 'listAdminPlacements',
    method: 'GET',
    path: '/v1/admin/placements',
    who: 'admin',
    summary: 'Decisions about places with their reasons, newest first',
    input: z.object({
      ...paging,
      instance_id: z.optional(id),
      host: z.optional(z.string().check(z.regex(/^[0-9]{1,18}$/))),
      outcome: z.optional(placement.shape.outcome),
      /** Those since then. */
      from: z.optional(timestamp),
    }),
    output: page(adminPlacement),
    status: 200,
    errors: [],
  }),
}
