/** Places on hosts: what became of the wishes for one, and the queue of those who wait. */
import * as z from 'zod/mini'
import { timestamp, usd } from '../operation.ts'

/** What a start waits for. The total grows while it is not known how much there is. */
export const progress = z.object({
  what: z.literal('pulling_image'),
  done_bytes: z.int(),
  total_bytes: z.int(),
})
export type Progress = z.infer<typeof progress>

/** What becomes of a deploy or a start for which no place is free: it is refused, or it waits for one. */
export const whenFull = ['refuse', 'queue'] as const
/** How many of somebody's instances may wait at a time. */
export const maxQueued = 5
export const queue = z.object({
  /** The first is 1. */
  position: z.int(),
  since: timestamp,
  /** Of your balance, for the deploy or the start. It returns when the instance starts, for that charge, or leaves the queue. */
  set_aside: usd,
  /** It was never deployed: its price is charged when it starts, and leaving the queue deletes it. */
  is_new: z.boolean(),
  /** Why it is passed over for now; null while it has its turn. */
  blocked: z.nullable(z.string()),
})
export type Queue = z.infer<typeof queue>

export const placementReasons = [
  'away',
  'not_offered',
  'taken',
  'size',
  'disk',
  'driver',
  'stopped',
  'deleted',
  'term_ended',
  'card_gone',
  'cordoned',
] as const
export type PlacementReason = (typeof placementReasons)[number]

/** What became of a wish for a place on a host, or of the place. */
export const placement = z.object({
  at: timestamp,
  /** `kept`: it had one that it was paid for. `waiting`: it has one, and its start is tried again. */
  outcome: z.enum(['placed', 'kept', 'refused', 'waiting', 'released']),
  reason: z.nullable(z.enum(placementReasons)),
  /** The same in words, or what the host said. */
  message: z.string(),
  /** How long others were in the way. */
  waited_ms: z.int(),
  /** The cards of its own, by uuid; none: simulated ones. */
  cards: z.array(z.string()),
})
export type Placement = z.infer<typeof placement>
