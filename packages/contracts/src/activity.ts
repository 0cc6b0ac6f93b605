/** What happened to the account's instances, volumes and keys: the activity log. */
import * as z from 'zod/mini'
import { id, maxSearchText, nothing, operation, page, paging, timestamp, usd } from './operation.ts'

export const usageActions = [
  'instance_created',
  'instance_started',
  'instance_start_failed',
  'instance_queued',
  'instance_turn_came',
  'instance_queue_left',
  'instance_stopped',
  'instance_stop_failed',
  'instance_auto_stopped',
  'instance_restarted',
  'instance_restart_failed',
  'instance_cloned',
  'instance_deleted',
  'instance_delete_failed',
  'instance_term_extended',
  'instance_updated',
  'instance_snoozed',
  'instance_snooze_ended',
  'instance_schedule_added',
  'instance_schedule_changed',
  'instance_schedule_removed',
  'instance_schedule_missed',
  'instance_ssh_password_made',
  'instance_ssh_password_shown',
  'instance_port_added',
  'instance_port_changed',
  'instance_port_removed',
  'instance_port_shared',
  'instance_port_unshared',
  'instance_usage_charged',
  'instance_command_ended',
  'instance_maintenance_planned',
  'instance_maintenance_off',
  'instance_maintenance_over',
  'instance_file_uploaded',
  'instance_file_moved',
  'instance_file_deleted',
  'instance_folder_made',
  'instance_file_imported',
  'instance_import_failed',
  'volume_created',
  'volume_available',
  'volume_creation_failed',
  'volume_renamed',
  'volume_attached',
  'volume_attach_failed',
  'volume_detached',
  'volume_renewed',
  'volume_lapsed',
  'volume_revived',
  'volume_deleted',
  'volume_ended',
  'volume_snapshot_renewed',
  'volume_snapshot_lapsed',
  'volume_snapshot_revived',
  'volume_snapshot_ended',
  'volume_growth_started',
  'volume_grown',
  'volume_growth_failed',
  'volume_restored',
  'volume_snapshot_taken',
  'volume_snapshot_available',
  'volume_snapshot_failed',
  'volume_snapshot_deleted',
  'volume_file_uploaded',
  'volume_file_moved',
  'volume_file_deleted',
  'volume_folder_made',
  'volume_file_imported',
  'volume_import_failed',
  'api_key_generated',
  'api_key_revealed',
  'api_key_revoked',
  'ssh_key_added',
  'ssh_key_removed',
  'template_created',
  'template_updated',
  'template_deleted',
  'template_proposed',
  'template_withdrawn',
  'template_approved',
  'template_rejected',
  'withdrawal_requested',
  'withdrawal_cancelled',
  'withdrawal_refused',
  'withdrawal_paid',
  'credit_granted',
  'credit_lapsed',
] as const
export type UsageAction = (typeof usageActions)[number]

/** What an act is about: an instance, a volume with its snapshots and files, or else the account itself. */
export const eventKinds = ['instance', 'volume', 'user'] as const
export type EventKind = (typeof eventKinds)[number]
export const kindOf = (action: string): EventKind =>
  eventKinds.find(kind => action.startsWith(`${kind}_`)) ?? 'user'

/** Who did it: you in a browser, your API key, a schedule of yours, our staff, or the service itself. */
export const actorKinds = ['user', 'api_key', 'schedule', 'staff', 'system'] as const
export type ActorKind = (typeof actorKinds)[number]

const about = {
  /** The instance, also the one that a volume was attached to or taken off; of an act on neither, what else it is about. */
  instance_id: z.nullable(id),
  instance_name: z.nullable(z.string()),
  /** The volume, of its snapshots' acts too; they name the snapshot. */
  volume_id: z.nullable(id),
  volume_name: z.nullable(z.string()),
  /** It is gone: only its history is left. */
  volume_is_gone: z.boolean(),
}

export const usageLog = z.object({
  id,
  user_id: id,
  /** One of `usageActions`, or what happened to something else that costs money. */
  action: z.string(),
  ...about,
  /** The time at the hourly cost, whether the deploy charge or the wallet paid for it. */
  cost: usd,
  duration_minutes: z.int(),
  /** Exact length of what was metered, in seconds with three places; null when the line meters nothing. */
  seconds: z.nullable(z.string()),
  from_prepaid: usd,
  from_wallet: usd,
  message: z.nullable(z.string()),
  /** Null for what happened before this was noted. */
  actor: z.nullable(z.enum(actorKinds)),
  timestamp,
})
export type UsageLog = z.infer<typeof usageLog>

const search = z.optional(z.string().check(z.maxLength(maxSearchText)))

const filter = {
  /** Acts on an instance, and on a volume with it. */
  instance_id: z.optional(id),
  /** Acts on a volume and its snapshots. */
  volume_id: z.optional(id),
  action: z.optional(z.string().check(z.regex(/^[a-z]+(_[a-z]+)+$/), z.maxLength(64))),
  kind: z.optional(z.enum(eventKinds)),
  /** Matches the instance's or volume's name or id, the action or the message. */
  search,
}

/** Something that has a history. */
const logged = z.object({ id, name: z.string(), is_deleted: z.boolean() })

/** `json`: an array of what the list answers. */
export const activityExports = ['csv', 'json'] as const

/**
 * What may need its owner. `idle`: it has been idle for half of its minutes, and stops; `balance_empty`: stopped because
 * the money ran out; `runway`: balance, credit and what is prepaid last less than a day; `budget_passed`: used up, and
 * nothing stops for it; `credit_ends`: some of it is left, and it ends within a week; `volume_full`: at least 90 % of it
 * is used; `volume_lapsed`, `snapshot_lapsed`: its month is not paid, and it is deleted at `until`; `volume_failed`: one
 * could not be made within the last day, and none was made since; `maintenance`: its host is emptied at `until`, or was;
 * `maintenance_over`: it was stopped for that and can start again; `volume_maintenance`: the same of a volume's host.
 */
export const attentionKinds = [
  'idle',
  'start_failed',
  'crash_loop',
  'lost',
  'stop_failed',
  'restart_failed',
  'delete_failed',
  'balance_empty',
  'runway',
  'budget_stopped',
  'budget_passed',
  'queued',
  'deposit_below_minimum',
  'deposit_review',
  'credit_ends',
  'volume_full',
  'volume_lapsed',
  'volume_failed',
  'snapshot_lapsed',
  'maintenance',
  'maintenance_over',
  'volume_maintenance',
] as const
export type AttentionKind = (typeof attentionKinds)[number]
/** So many are told; `total` counts all. */
export const mostAttention = 50

export const attentionItem = z.object({
  kind: z.enum(attentionKinds),
  /** Since when. */
  at: timestamp,
  /** The instance that it is about, or the newest of several; null: the account. */
  instance_id: z.nullable(id),
  instance_name: z.nullable(z.string()),
  /** The volume that it is about, or whose snapshot it is about. */
  volume_id: z.nullable(id),
  /** Of the volume or the snapshot. */
  volume_name: z.nullable(z.string()),
  /** How much of a volume is used. */
  percent: z.nullable(z.int()),
  /** How many more it is about. */
  others: z.int(),
  /** When what it warns of comes. */
  until: z.nullable(timestamp),
  /**
   * What it costs per hour while it is idle; what runs per hour; the budget's limit; what is set aside in the queue; the
   * deposits together; what is left of the credit; the month of what is not paid.
   */
  amount: z.nullable(usd),
  /** In the queue. */
  place: z.nullable(z.int()),
  /** Why, where there is more to say. */
  message: z.nullable(z.string()),
})
export type AttentionItem = z.infer<typeof attentionItem>

/** Hours back that `recent` tells of at most. */
export const mostRecentHours = 168

/** Something that happened, or money that moved. */
export const recentItem = z.object({
  at: timestamp,
  /** As in the activity log; null: money moved. */
  action: z.nullable(z.string()),
  ...about,
  message: z.nullable(z.string()),
  actor: z.nullable(z.enum(actorKinds)),
  /** What moved: negative left the wallet. Null: it is no movement. */
  amount: z.nullable(usd),
})
export type RecentItem = z.infer<typeof recentItem>

export const activity = {
  attention: operation({
    id: 'listAttention',
    method: 'GET',
    path: '/v1/attention',
    who: 'user',
    actable: true,
    summary:
      'What needs you now, newest first: idle, failed or waiting instances, volumes that are full or not paid, and money that ends',
    input: nothing,
    output: z.object({ items: z.array(attentionItem), total: z.int() }),
    status: 200,
    errors: [],
  }),
  recent: operation({
    id: 'listRecentActivity',
    method: 'GET',
    path: '/v1/usage-logs/recent',
    who: 'user',
    actable: true,
    summary: 'What happened and what money moved in the last hours, newest first, without charges for usage',
    input: z.object({
      hours: z._default(z.int().check(z.minimum(1), z.maximum(mostRecentHours)), 24),
      limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 20),
    }),
    output: z.object({
      from: timestamp,
      items: z.array(recentItem),
      /** There is more than these. */
      is_more: z.boolean(),
    }),
    status: 200,
    errors: [],
  }),
  usageLogs: operation({
    id: 'listUsageLogs',
    method: 'GET',
    path: '/v1/usage-logs',
    who: 'user',
    actable: true,
    summary: 'Your activity, newest first',
    input: z.object({
      ...paging,
      limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), 100),
      ...filter,
    }),
    output: page(usageLog),
    status: 200,
    errors: [],
  }),
  export: operation({
    id: 'exportUsageLogs',
    method: 'GET',
    path: '/v1/usage-logs/export',
    who: 'user',
    summary: 'All of your activity that matches, as a spreadsheet or as JSON',
    input: z.object({ ...filter, format: z._default(z.enum(activityExports), 'csv') }),
    transport: 'bytes',
    mediaTypes: ['text/csv', 'application/json'],
    status: 200,
    errors: [],
  }),
  summary: operation({
    id: 'getActivitySummary',
    method: 'GET',
    path: '/v1/usage-logs/summary',
    who: 'user',
    actable: true,
    summary: 'How many events your activity log holds, and how many of them are of today',
    input: z.object({
      /** Where today begins: minutes that the reader's clock is ahead of UTC. */
      utc_offset_minutes: z._default(z.int().check(z.minimum(-840), z.maximum(840)), 0),
    }),
    output: z.object({ total: z.int(), today: z.int(), instance_events: z.int(), storage_events: z.int() }),
    status: 200,
    errors: [],
  }),
  instances: operation({
    id: 'listLoggedInstances',
    method: 'GET',
    path: '/v1/usage-logs/instances',
    who: 'user',
    actable: true,
    summary: 'Every instance you ever had, newest first: what the activity log can be narrowed down to',
    input: z.object({
      ...paging,
      /** Matches the name, or how the id begins. */
      search,
    }),
    output: page(logged),
    status: 200,
    errors: [],
  }),
  volumes: operation({
    id: 'listLoggedVolumes',
    method: 'GET',
    path: '/v1/usage-logs/volumes',
    who: 'user',
    actable: true,
    summary: 'Every volume you ever had, newest first: what the activity log can be narrowed down to',
    input: z.object({ ...paging, search }),
    output: page(logged),
    status: 200,
    errors: [],
  }),
}
