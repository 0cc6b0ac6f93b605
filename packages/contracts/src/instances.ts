/** The instance: its fields, its states as data, and the calls that change it. */
import * as z from 'zod/mini'
import { budgetInput } from './budgets.ts'
import { billingPeriods, dataStorageGb, gpuCounts, laterStorageGb, systemStorageGb } from './catalog.ts'
import { gpuType, regionName } from './catalog-calls.ts'
import type { ErrorCode } from './errors.ts'
import { costs } from './instance/costs.ts'
import { idle } from './instance/idle.ts'
import { placement, progress, queue, whenFull } from './instance/places.ts'
import { instancePorts, maxPorts, portNumber } from './instance/ports.ts'
import { instanceSsh, sshKeyIds } from './instance/ssh.ts'
import { instanceTerminal } from './instance/terminal.ts'
import { id, maxSearchText, nothing, operation, page, paging, timestamp, usd } from './operation.ts'
import { schedules } from './instance/schedules.ts'
import { registryCredentials, shareKey, variables } from './templates.ts'
import { watching } from './instance/watching.ts'
import { statusReasons } from './instance/status-reasons.ts'

/** Those that a list shows: of a terminated instance only its history is left. */
export const listedStatuses = ['running', 'stopped', 'starting', 'stopping'] as const
export type ListedStatus = (typeof listedStatuses)[number]
export const instanceStatuses = [...listedStatuses, 'terminated'] as const
export type InstanceStatus = (typeof instanceStatuses)[number]

/** What a person may ask for, and the status it is allowed in. `edit_storage` is refused while running. */
const allowed = {
  start: ['stopped'],
  stop: ['running'],
  restart: ['running'],
  connect: ['running'],
  delete: listedStatuses,
  edit: listedStatuses,
  edit_storage: ['stopped'],
  clone: listedStatuses,
} as const satisfies Record<string, readonly InstanceStatus[]>
export type InstanceAction = keyof typeof allowed

const canInstance = (action: InstanceAction, status: InstanceStatus): boolean =>
  (allowed[action] as readonly InstanceStatus[]).includes(status)

/** Why `action` is refused now, in words for a tooltip or an error; null when it is allowed. */
export function whyNot(action: InstanceAction, status: InstanceStatus): string | null {
  if (canInstance(action, status)) return null
  const verb =
    action === 'edit_storage' ? 'Storage can be changed' : `An instance can be ${pastTense[action]}`
  return `${verb} only while ${allowed[action].join(' or ')}; this one is ${status}.`
}

const pastTense: Record<Exclude<InstanceAction, 'edit_storage'>, string> = {
  start: 'started',
  stop: 'stopped',
  restart: 'restarted',
  connect: 'connected to',
  delete: 'deleted',
  edit: 'edited',
  clone: 'cloned',
}

/** What becomes of an instance at the end of its term: it runs on and costs by the hour, or it stops. */
export const termEnds = ['hourly', 'stop'] as const

/** Minutes without activity after which an instance may be told to stop by itself. */
export const autoShutdownOptions = [5, 15, 30, 60, 120, 240, 480] as const

export const instance = z.object({
  id,
  user_id: id,
  name: z.string(),
  gpu_type: gpuType,
  gpu_count: z.int(),
  /** Of each GPU. */
  gpu_memory_gb: z.int(),
  cpu_cores: z.int(),
  memory_gb: z.int(),
  /** System and data storage together. */
  storage_gb: z.int(),
  system_storage_gb: z.int(),
  data_storage_gb: z.int(),
  status: z.enum(instanceStatuses),
  /** The last change nobody asked for, and its words; null when all is as asked. */
  status_reason: z.nullable(z.enum(statusReasons)),
  status_message: z.nullable(z.string()),
  /** While it starts; null where there is nothing to tell. It is no fact that is pushed: ask again. */
  progress: z.nullable(progress),
  /** While it waits for a place (`status_reason` is `queued`). Others move it on: ask again. */
  queue: z.nullable(queue),
  region: regionName,
  hardware: z.enum(['real', 'simulated']),
  shell: z.enum(['real', 'simulated']),
  /** The address at which the machine is reached from outside; null where the web terminal is the only way in. */
  public_ip: z.nullable(z.string()),
  billing_period: z.enum(billingPeriods),
  hourly_cost: usd,
  /** What is left of the deploy charge. Usage draws on it before the wallet; the rest returns on delete. */
  prepaid_remaining: usd,
  /** End of an upfront term; null when billed hourly, and until a queued deploy has its place: the term begins then. */
  paid_until: z.nullable(timestamp),
  /** What becomes of it then. */
  on_term_end: z.enum(termEnds),
  /** How much later the term ends because of outages. */
  extended_ms: z.int(),
  template_id: z.nullable(id),
  template_name: z.string(),
  network_volume_id: z.nullable(id),
  auto_shutdown_enabled: z.boolean(),
  auto_shutdown_minutes: z.int(),
  /** When it stops by itself if nothing happens in it until then; null while it is at work or would never stop. */
  auto_shutdown_at: z.nullable(timestamp),
  /** Kept on until then, idle or not. */
  snoozed_until: z.nullable(timestamp),
  last_activity_at: z.nullable(timestamp),
  /** When it was asked to start; once it runs, when it began to run, which is when the meter starts. */
  started_at: z.nullable(timestamp),
  stopped_at: z.nullable(timestamp),
  /** When it was deployed; while it waits for its deploy, since when. */
  created_at: timestamp,
  updated_at: timestamp,
})
export type Instance = z.infer<typeof instance>

/** Of `wait`. */
const maxWaitSeconds = 60

export const maxInstanceName = 64
export const instanceName = z.string().check(z.maxLength(maxInstanceName), z.regex(/\S/))
const cloneSuffix = '-clone'
/** The name of a clone for which none is given. */
export const cloneName = (name: string): string =>
  `${name.slice(0, maxInstanceName - 1 - cloneSuffix.length)}${cloneSuffix}`
const choice = (values: readonly number[]) => z.literal(values as [number, ...number[]])
const byId = z.object({ id })

const configuration = {
  gpu_type: gpuType,
  gpu_count: choice(gpuCounts),
  region: regionName,
  system_storage_gb: choice(systemStorageGb),
  data_storage_gb: choice(dataStorageGb),
  billing_period: z.enum(billingPeriods),
}
/** If these are left out, a deploy takes the user's preferences and a change keeps what is set. */
const autoShutdown = {
  auto_shutdown_enabled: z.optional(z.boolean()),
  auto_shutdown_minutes: z.optional(choice(autoShutdownOptions)),
}
const ifFull = { when_full: z._default(z.enum(whenFull), 'refuse') }
/** The price the client showed. If the catalogue says otherwise nothing happens: 409 `price_changed`. */
const quote = { quoted_hourly_cost: z.optional(usd), quoted_total: z.optional(usd) }

const act = <const Id extends string>(
  verb: 'stop' | 'restart',
  operationId: Id,
  summary: string,
  errors: readonly ErrorCode[],
) =>
  operation({
    id: operationId,
    method: 'POST',
    path: `/v1/instances/{id}/${verb}`,
    who: 'user',
    summary,
    input: byId,
    output: instance,
    status: 202,
    errors: ['not_found', 'invalid_state', ...errors],
  })

export const instances = {
  list: operation({
    id: 'listInstances',
    method: 'GET',
    path: '/v1/instances',
    who: 'user',
    actable: true,
    summary: 'Your instances, newest first',
    input: z.object({
      ...paging,
      /** Matches name or GPU type. */
      search: z.optional(z.string().check(z.maxLength(maxSearchText))),
      status: z.optional(z.enum(listedStatuses)),
    }),
    output: page(instance),
    status: 200,
    errors: [],
  }),
  summary: operation({
    id: 'getInstancesSummary',
    method: 'GET',
    path: '/v1/instances/summary',
    who: 'user',
    actable: true,
    summary: 'How many instances you have, and how many of them run',
    input: nothing,
    output: z.object({
      total: z.int(),
      running: z.int(),
      /** Stopped because the balance was used up. */
      stopped_by_balance: z.int(),
    }),
    status: 200,
    errors: [],
  }),
  ...watching,
  ...costs,
  ...idle,
  ...schedules,
  get: operation({
    id: 'getInstance',
    method: 'GET',
    path: '/v1/instances/{id}',
    who: 'user',
    actable: true,
    summary: 'One instance',
    input: byId,
    output: instance,
    status: 200,
    errors: ['not_found'],
  }),
  create: operation({
    id: 'createInstance',
    method: 'POST',
    path: '/v1/instances',
    who: 'user',
    summary: 'Deploy an instance: the funds, the row and the charge succeed or fail together',
    input: z.object({
      name: instanceName,
      template_id: id,
      /** Of a template that somebody else shares by link. */
      template_key: z.optional(shareKey),
      /** Beside the template's variables, and before them where both name one. */
      env: z.optional(variables),
      /** The same, sealed: no call answers them, and no clone has them. */
      secrets: z.optional(variables),
      /** Instead of the template's own. */
      registry_credentials: z.optional(registryCredentials),
      ...configuration,
      start: z._default(z.boolean(), true),
      ...ifFull,
      /** `stop` needs a term. */
      on_term_end: z._default(z.enum(termEnds), 'hourly'),
      ...autoShutdown,
      ...quote,
      /** A limit of what it may cost over its life. */
      budget: z.optional(budgetInput),
      /** Those of your SSH keys that open it; without them every one that you have. */
      ssh_key_ids: z.optional(sshKeyIds),
      /** HTTP ports to be reached, beside those of the template. */
      ports: z.optional(z.array(portNumber).check(z.maxLength(maxPorts))),
    }),
    output: instance,
    status: 201,
    errors: [
      'insufficient_funds',
      'budget_exceeded',
      'price_changed',
      'no_capacity',
      'hardware_not_offered',
      'invalid_state',
    ],
  }),
  update: operation({
    id: 'updateInstance',
    method: 'PATCH',
    path: '/v1/instances/{id}',
    who: 'user',
    summary:
      'Rename it, change its auto-shutdown or what becomes of it at the end of its term; while it is stopped also its data storage (which changes the hourly cost)',
    input: z.object({
      id,
      name: z.optional(instanceName),
      data_storage_gb: z.optional(choice(laterStorageGb)),
      on_term_end: z.optional(z.enum(termEnds)),
      ...autoShutdown,
      quoted_hourly_cost: z.optional(usd),
    }),
    output: instance,
    status: 200,
    errors: ['not_found', 'invalid_state', 'price_changed', 'no_capacity'],
  }),
  delete: operation({
    id: 'deleteInstance',
    method: 'DELETE',
    path: '/v1/instances/{id}',
    who: 'user',
    duringMaintenance: true,
    summary: 'Destroy it with its disk; what is left of the deploy charge returns to the wallet at once',
    input: byId,
    output: instance,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
  start: operation({
    id: 'startInstance',
    method: 'POST',
    path: '/v1/instances/{id}/start',
    who: 'user',
    summary:
      'Start a stopped instance: it needs ten minutes of funds and a free place. One that waits for a place tries now, and keeps its turn',
    input: z.object({ id, ...ifFull }),
    output: instance,
    status: 202,
    errors: [
      'not_found',
      'invalid_state',
      'insufficient_funds',
      'budget_exceeded',
      'no_capacity',
      'hardware_not_offered',
    ],
  }),
  leaveQueue: operation({
    id: 'leaveQueue',
    method: 'DELETE',
    path: '/v1/instances/{id}/queue',
    who: 'user',
    duringMaintenance: true,
    summary:
      'Wait for a place no longer: what was set aside is in your balance again. What was never deployed is deleted',
    input: byId,
    output: instance,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
  stop: {
    ...act(
      'stop',
      'stopInstance',
      'Stop a running instance; its disk stays and it costs nothing while stopped',
      [],
    ),
    duringMaintenance: true as const,
  },
  restart: act('restart', 'restartInstance', 'Stop a running instance and start it again', [
    'insufficient_funds',
    'budget_exceeded',
  ]),
  clone: operation({
    id: 'cloneInstance',
    method: 'POST',
    path: '/v1/instances/{id}/clone',
    who: 'user',
    summary:
      'Deploy another instance of the same configuration, stopped and billed by the hour unless you say otherwise; neither its disk nor any secret is copied, and its network volume if you say so',
    input: z.object({
      id,
      name: z.optional(instanceName),
      billing_period: z._default(z.enum(billingPeriods), 'hourly'),
      start: z._default(z.boolean(), false),
      /** A snapshot of its volume, and a new volume of that, which the clone has: each costs its month. */
      clone_volume: z._default(z.boolean(), false),
      /** The months of both, as they were shown. */
      quoted_volume_total: z.optional(usd),
      ...ifFull,
      ...quote,
    }),
    output: instance,
    status: 201,
    errors: [
      'not_found',
      'invalid_state',
      'insufficient_funds',
      'budget_exceeded',
      'price_changed',
      'no_capacity',
      'hardware_not_offered',
    ],
  }),
  wait: operation({
    id: 'waitForInstance',
    method: 'GET',
    path: '/v1/instances/{id}/wait',
    who: 'user',
    summary:
      'Answers once it has a status, or as it is when the time is over: the answer says which status that is. Without one it waits until nothing starts or stops',
    input: z.object({
      id,
      status: z.optional(z.enum(instanceStatuses)),
      timeout_s: z._default(z.int().check(z.minimum(1), z.maximum(maxWaitSeconds)), 30),
    }),
    output: instance,
    status: 200,
    errors: ['not_found'],
  }),
  placements: operation({
    id: 'listPlacements',
    method: 'GET',
    path: '/v1/instances/{id}/placements',
    who: 'user',
    actable: true,
    summary: 'The places that it had and was refused, with reasons: the last 100, the newest first',
    input: byId,
    output: z.object({ items: z.array(placement), next_cursor: z.null() }),
    status: 200,
    errors: ['not_found'],
  }),
  ...instanceTerminal,
  ...instanceSsh,
  ...instancePorts,
}
