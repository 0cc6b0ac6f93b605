/** The whole service at a glance: six figures with their last days, what waits for a decision, and hits of a search. */
import * as z from 'zod/mini'
import { id, maxSearchText, nothing, operation, timestamp, usd } from '../operation.ts'
import { ticketPriorities } from '../support.ts'

/** Days that a figure tells of, in UTC. The last one is today, up to now. */
export const overviewDays = 30
/** Hits that are counted; beyond them it is said that there are more. */
export const mostCounted = 1_000
/** Decisions that are told at most. */
export const mostDecisions = 50

const days = z.array(z.int())

export const adminOverview = z.object({
  as_of: timestamp,
  users: z.object({
    total: z.int(),
    /** How many more than 24 hours ago. */
    since_yesterday: z.int(),
    /** How many there were at the end of each day. */
    days,
  }),
  instances: z.object({
    /** Those that are not terminated. */
    total: z.int(),
    running: z.int(),
    /** Cards that could be placed now, of all regions. */
    gpus_free: z.int(),
    /** How many there were at the end of each day. */
    days,
  }),
  volumes: z.object({
    total: z.int(),
    sold_gb: z.int(),
    /** What the stores can hold; null where one of them sells without a limit. */
    capacity_gb: z.nullable(z.int()),
    /** How many there were at the end of each day. */
    days,
  }),
  revenue: z.object({
    /** The absolute sum of all billing amounts: deposits and returns count as charges do. */
    total: usd,
    /** What was earned: time that was used and months that were paid, less what was returned. */
    net: usd,
    /** The net of today, UTC. */
    today: usd,
    /** The net of each day. */
    days: z.array(usd),
  }),
  payments: z.object({
    /** Transfers that are not credited yet, those that are held included. */
    pending: z.int(),
    /** Those of them that wait for a decision. */
    held: z.int(),
    /** Since when the oldest of them is pending. */
    oldest_at: z.nullable(timestamp),
    /** Transfers that came in on each day. */
    days,
  }),
  tickets: z.object({
    /** Open or in progress. */
    open: z.int(),
    /** Those of them that no person has answered, or where one was asked for since. */
    waiting_for_person: z.int(),
    /** Tickets that were opened on each day. */
    days,
  }),
})
export type AdminOverview = z.infer<typeof adminOverview>

export const decisionKinds = ['payment', 'machine', 'ticket'] as const
/** What waits for a person: a held transfer, a host that does not answer, a ticket that asks for somebody. */
export const decision = z.object({
  kind: z.enum(decisionKinds),
  /** Of a machine its host's, which is no uuid. */
  id: z.string(),
  user_id: z.nullable(id),
  user_email: z.nullable(z.string()),
  since: timestamp,
  /** The ticket's subject, the host's name. */
  title: z.nullable(z.string()),
  amount_usdt: z.nullable(usd),
  /** Why it waits: of a payment as its list says it, of a host and a ticket in words. */
  reason: z.nullable(z.string()),
  priority: z.nullable(z.enum(ticketPriorities)),
  /** How many instances are on the host. */
  instances: z.nullable(z.int()),
  /** It can be approved or rejected. */
  can_decide: z.boolean(),
})
export type Decision = z.infer<typeof decision>

const hits = z.object({
  count: z.int(),
  /** There are more than these, or there may be: not everything was looked through. */
  is_more: z.boolean(),
})
export const adminCounts = z.object({
  users: hits,
  instances: hits,
  volumes: hits,
  billing: hits,
  payments: hits,
  tickets: hits,
})
export type AdminCounts = z.infer<typeof adminCounts>

export const overview = {
  overview: operation({
    id: 'getAdminOverview',
    method: 'GET',
    path: '/v1/admin/overview',
    who: 'admin',
    summary:
      'Users, instances, volumes, revenue, payments and tickets of the whole service, with their last 30 days',
    input: nothing,
    output: adminOverview,
    status: 200,
    errors: [],
  }),
  decisions: operation({
    id: 'listDecisions',
    method: 'GET',
    path: '/v1/admin/decisions',
    who: 'admin',
    summary: 'What waits for a person: held payments, machines, tickets; of each kind the oldest first',
    input: nothing,
    output: z.object({ items: z.array(decision), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  counts: operation({
    id: 'getAdminCounts',
    method: 'GET',
    path: '/v1/admin/counts',
    who: 'admin',
    summary: 'How many entries each list of the administration has, or how many a search finds in it',
    input: z.object({ search: z.optional(z.string().check(z.maxLength(maxSearchText))) }),
    output: adminCounts,
    status: 200,
    errors: [],
  }),
}
