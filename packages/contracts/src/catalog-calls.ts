/** How the catalogue is asked for: the entries of its lists, with what only the server knows, and the two calls. */
import * as z from 'zod/mini'
import { id, nothing, operation, paging, timestamp, usd } from './operation.ts'

/** The name of a row of the catalogue. Which there are, the service knows: an unknown one is refused with its field. */
const catalogName = z.string().check(z.minLength(1), z.maxLength(40))
export const gpuType = catalogName
export const regionName = catalogName

const upfrontOption = z.object({ total_cost: usd, savings_percent: z.int() })

export const gpuEntry = z.object({
  name: gpuType,
  memory_gb: z.int(),
  vcpus: z.int(),
  ram_gb: z.int(),
  hourly_price: usd,
  upfront: z.object({ '3month': upfrontOption, '1year': upfrontOption }),
  /** How many of this GPU could be placed now, by region. A region without the key does not offer it. */
  free: z.record(z.string(), z.int()),
  /** The same for all regions together: those that share one pool count once. */
  free_in_all: z.int(),
  /** The most of them that one instance could have now, by region. */
  largest: z.record(z.string(), z.int()),
})
export type GpuEntry = z.infer<typeof gpuEntry>

export const regionEntry = z.object({
  id: regionName,
  name: z.string(),
  driver: z.string(),
  /** `simulated`: the GPU reported inside is not a real card. Every screen that sells it says so. */
  hardware: z.enum(['real', 'simulated']),
  shell: z.enum(['real', 'simulated']),
  /** A template's image decides what a machine here holds. Else it holds the programs of its host, or none. */
  runs_images: z.boolean(),
  available: z.boolean(),
  /** Why it is not available, in words for the customer; null while it is. */
  reason: z.nullable(z.string()),
})
export type RegionEntry = z.infer<typeof regionEntry>

/** Nothing new is placed on it. */
export const maintenance = z.object({
  /** `cordoned`: what has a place keeps it. `draining`: all of it stops at `drain_at`. `drained`: nothing starts there. */
  state: z.enum(['cordoned', 'draining', 'drained']),
  since: timestamp,
  /** Who did it; null: their account is gone. */
  by: z.nullable(id),
  by_email: z.nullable(z.string()),
  reason: z.string(),
  drain_at: z.nullable(timestamp),
})
export type Maintenance = z.infer<typeof maintenance>

/** A computer that machines run on, as its driver last told of it, and what is taken of it. */
export const hostEntry = z.object({
  id: z.string(),
  driver: z.string(),
  name: z.string(),
  /** `silent`: it was not told of any more, or its driver does not answer. Nothing new is placed on it. */
  state: z.enum(['ready', 'silent']),
  seen_at: timestamp,
  /** Null: it takes what comes. */
  maintenance: z.nullable(maintenance),
  machines: z.int(),
  machines_taken: z.int(),
  cpu_cores: z.int(),
  cpu_cores_taken: z.int(),
  memory_gb: z.int(),
  memory_gb_taken: z.int(),
  /** How far disks are sold; null: without a limit. */
  disk_gb: z.nullable(z.int()),
  disk_gb_taken: z.int(),
  /** False: it shows simulated cards of any type, and rents out more processors and memory than it has. */
  has_cards: z.boolean(),
  /** What its cards are sold as. */
  cards: z.array(z.object({ gpu_type: gpuType, total: z.int(), free: z.int() })),
})
export type HostEntry = z.infer<typeof hostEntry>

/** Cards of one model that are on some host and that nothing in the catalogue sells. */
export const unpricedCards = z.object({ model: z.string(), memory_gb: z.int(), cards: z.int() })
export type UnpricedCards = z.infer<typeof unpricedCards>

export const catalog = {
  gpus: operation({
    id: 'listGpus',
    method: 'GET',
    path: '/v1/gpus',
    who: 'public',
    actable: true,
    summary: 'Every GPU on sale with its prices now and how many are free in each region',
    input: nothing,
    output: z.object({ items: z.array(gpuEntry), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  regions: operation({
    id: 'listRegions',
    method: 'GET',
    path: '/v1/regions',
    who: 'public',
    actable: true,
    summary: 'Every region, what runs there and whether it is available',
    input: nothing,
    output: z.object({ items: z.array(regionEntry), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  hosts: operation({
    id: 'listHosts',
    method: 'GET',
    path: '/v1/admin/hosts',
    who: 'admin',
    summary: 'Every host with what it has and what is taken, and the models of cards that have no price',
    input: z.object({ ...paging, driver: z.optional(z.string().check(z.maxLength(100))) }),
    output: z.object({
      items: z.array(hostEntry),
      next_cursor: z.nullable(z.string()),
      unpriced: z.array(unpricedCards),
    }),
    status: 200,
    errors: [],
  }),
}
