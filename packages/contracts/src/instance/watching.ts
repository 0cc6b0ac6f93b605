/** What is seen of an instance while it works: its figures, what its program writes, and what happened to it. */
import * as z from 'zod/mini'
import { actorKinds } from '../activity.ts'
import { id, maxSearchText, operation, page, paging, timestamp } from '../operation.ts'

/** Stored figures are of every thirty seconds, and are kept for thirty days. */
export const metricEveryMs = 30_000
export const metricDays = 30
/** Points of a chart at most: a longer time has fewer of them an hour. */
export const maxMetricPoints = 300
/** While somebody watches, figures are taken this often. */
export const watchEveryMs = 5_000
/** Cells of a strip that shows a day, a quarter of an hour each. */
export const stripCells = 96
export const stripCellMs = 900_000
/** Instances that `loads` tells of at once. */
export const maxLoads = 100
/** Lines that `logs` shows of the end of a log. */
export const maxTail = 5_000

const figure = z.nullable(z.number())
const series = z.array(figure)

/** What the driver of the instance can measure. What it cannot is null everywhere, and no card is listed. */
const measures = z.object({
  processor: z.boolean(),
  memory: z.boolean(),
  disk: z.boolean(),
  network: z.boolean(),
  cards: z.boolean(),
})

const seen = {
  /** The figures are made up: no machine stands behind them. */
  simulated: z.boolean(),
  measures,
}
/** What the instance may use at most; null while nothing was measured. */
const limits = {
  processor_cores: figure,
  memory_bytes: figure,
  disk_bytes: figure,
}

export const metrics = z.object({
  from: timestamp,
  to: timestamp,
  /** Each point is the mean of what was measured in so many seconds from `from` on; null: nothing was. */
  step_seconds: z.int(),
  ...seen,
  limits: z.object(limits),
  /** Processors in use. */
  processor_cores: series,
  memory_bytes: series,
  disk_bytes: series,
  /** Bytes a second. */
  received_rate: series,
  sent_rate: series,
  cards: z.array(
    z.object({
      /** All of its memory; null while nothing was measured. */
      memory_limit_bytes: figure,
      /** 0 to 1. */
      load: series,
      memory_bytes: series,
      celsius: series,
      watts: series,
    }),
  ),
})
export type Metrics = z.infer<typeof metrics>

export const metricsNow = z.object({
  /** When it was measured; null: it is not running, or does not answer. */
  at: z.nullable(timestamp),
  ...seen,
  limits: z.object(limits),
  processor_cores: figure,
  memory_bytes: figure,
  disk_bytes: figure,
  received_rate: figure,
  sent_rate: figure,
  cards: z.array(
    z.object({
      uuid: z.string(),
      load: z.number(),
      memory_bytes: z.number(),
      memory_limit_bytes: z.number(),
      celsius: z.number(),
      watts: z.number(),
    }),
  ),
})
export type MetricsNow = z.infer<typeof metricsNow>

export const instanceLoad = z.object({
  instance_id: id,
  /** Its GPU is none. */
  simulated: z.boolean(),
  /** Whether its cards are measured. */
  measured: z.boolean(),
  /** Mean load of its cards in percent, the oldest first; null: nothing was measured then. */
  cells: z.array(z.nullable(z.int())),
  /** Whether it ran at all then: one that ran and has no load was not measured. */
  ran: z.array(z.boolean()),
})
export type InstanceLoad = z.infer<typeof instanceLoad>

/** One fact of an instance. */
export const instanceEvent = z.object({
  id,
  at: timestamp,
  /** As in the activity log: `instance_started`. */
  action: z.string(),
  message: z.nullable(z.string()),
  /** Who did it; null for what happened before this was noted. */
  actor: z.nullable(z.enum(actorKinds)),
  /** The call that did it, by its operation's id; null where no call did. */
  operation: z.nullable(z.string()),
})
export type InstanceEvent = z.infer<typeof instanceEvent>

/** One line of an answer of `logs` in `ndjson`. */
export interface LogLine {
  readonly at: string
  readonly stream: 'stdout' | 'stderr' | 'machine'
  readonly text: string
}

export const watching = {
  loads: operation({
    id: 'listInstanceLoads',
    method: 'GET',
    path: '/v1/instances/loads',
    who: 'user',
    actable: true,
    summary: 'GPU load of the last 24 hours in cells of a quarter of an hour',
    input: z.object({
      /** Ids with commas between them; without it, the newest hundred. */
      ids: z.optional(
        z.string().check(z.regex(/^[0-9a-f-]{36}(,[0-9a-f-]{36})*$/), z.maxLength(maxLoads * 37 - 1)),
      ),
    }),
    output: z.object({ from: timestamp, cell_seconds: z.int(), items: z.array(instanceLoad) }),
    status: 200,
    errors: [],
  }),
  metrics: operation({
    id: 'getInstanceMetrics',
    method: 'GET',
    path: '/v1/instances/{id}/metrics',
    who: 'user',
    actable: true,
    summary:
      'Processor, memory, disk, network and each card over a time within the last 30 days: the last 24 hours unless the call says otherwise',
    input: z.object({ id, from: z.optional(timestamp), to: z.optional(timestamp) }),
    output: metrics,
    status: 200,
    errors: ['not_found'],
  }),
  metricsNow: operation({
    id: 'getInstanceMetricsNow',
    method: 'GET',
    path: '/v1/instances/{id}/metrics/now',
    who: 'user',
    actable: true,
    summary:
      'The same figures as they are now, measured again at most every five seconds; they are not stored',
    input: z.object({ id }),
    output: metricsNow,
    status: 200,
    errors: ['not_found'],
  }),
  logs: operation({
    id: 'getInstanceLogs',
    method: 'GET',
    path: '/v1/instances/{id}/logs',
    who: 'user',
    summary:
      'What its main program wrote, and what the machine says of itself; with `follow` also what comes, until the run ends',
    input: z.object({
      id,
      since: z.optional(timestamp),
      follow: z._default(z.boolean(), false),
      /** Only so many lines of the end of what is there. */
      tail: z.optional(z.int().check(z.minimum(1), z.maximum(maxTail))),
      /** Only lines that hold it, in letters of either case. */
      search: z.optional(z.string().check(z.minLength(1), z.maxLength(maxSearchText))),
      /**
       * `ndjson`: an object `{at, stream, text}` a line, and empty lines while nothing comes. `text`: for reading, with
       * control characters shown instead of sent.
       */
      format: z._default(z.enum(['ndjson', 'text']), 'ndjson'),
    }),
    transport: 'bytes',
    mediaTypes: ['application/x-ndjson', 'text/plain'],
    status: 200,
    errors: ['not_found', 'unavailable'],
  }),
  instanceEvents: operation({
    id: 'listInstanceEvents',
    method: 'GET',
    path: '/v1/instances/{id}/events',
    who: 'user',
    actable: true,
    summary: 'What happened to it, newest first: who did what, by which call',
    input: z.object({ id, ...paging }),
    output: page(instanceEvent),
    status: 200,
    errors: ['not_found'],
  }),
  prometheus: operation({
    id: 'getPrometheusMetrics',
    method: 'GET',
    path: '/v1/metrics',
    who: 'user',
    summary: 'What your running instances use now, in the text format of Prometheus',
    input: z.object({}),
    transport: 'bytes',
    mediaTypes: ['text/plain'],
    status: 200,
    errors: [],
  }),
}
