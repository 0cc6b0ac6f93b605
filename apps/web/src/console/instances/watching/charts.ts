/** What the charts of an instance show of its metrics. */
import type { Metrics } from '@ingot/contracts/instance/watching'
import type { ChartLine } from '../../../ui/LineChart.tsx'
import { formatBytes } from '../../../ui/format.ts'

type Series = readonly (number | null)[]

export interface Chart {
  readonly key: string
  readonly title: string
  readonly aside?: string
  readonly lines: readonly ChartLine[]
  readonly top: number
  readonly format: (value: number) => string
}

/** The times that can be looked at, with how long they are. */
export const ranges = { hour: 1, day: 24, week: 168, month: 720 } as const
export type Range = keyof typeof ranges
export const rangeWords: Record<Range, string> = {
  hour: 'Last hour',
  day: '24 hours',
  week: '7 days',
  month: '30 days',
}

const short = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)))
const cores = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(1)} cores`
const rate = (value: number): string => `${formatBytes(value)}/s`

/** Over all cards at each time; null where none was measured. */
function overCards(all: readonly Series[], join: (values: readonly number[]) => number): Series {
  return (all[0] ?? []).map((_, at) => {
    const values = all.map(series => series[at] ?? null).filter(value => value !== null)
    return values.length ? join(values) : null
  })
}
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const highest = (...all: readonly Series[]): number => Math.max(0, ...all.flat().map(value => value ?? 0))
/** A scale that nothing limits ends a little above what was measured. */
const above = (...all: readonly Series[]): number => highest(...all) * 1.1 || 1

/** Those of what its driver can measure. */
export function chartsOf({ measures, limits, cards, ...seen }: Metrics): Chart[] {
  const one = (label: string, values: Series): ChartLine[] => [{ label, values }]
  const cardMemory = overCards(
    cards.map(card => card.memory_bytes),
    sum,
  )
  const cardLimit = sum(cards.map(card => card.memory_limit_bytes ?? 0))
  const heat = overCards(
    cards.map(card => card.celsius),
    values => Math.max(...values),
  )
  const power = overCards(
    cards.map(card => card.watts),
    sum,
  )
  const { memory_bytes, disk_bytes, processor_cores, received_rate, sent_rate } = seen
  const of = (limit: number | null) => (limit === null ? undefined : `of ${formatBytes(limit)}`)
  return [
    ...(measures.cards && cards.length
      ? [
          {
            key: 'gpu-memory',
            title: 'GPU memory',
            aside: of(cardLimit),
            lines: one('GPU memory', cardMemory),
            top: cardLimit || above(cardMemory),
            format: formatBytes,
          },
          {
            key: 'gpu-heat',
            title: 'GPU temperature',
            aside: cards.length > 1 ? 'of the hottest' : undefined,
            lines: one('GPU temperature', heat),
            top: Math.max(100, highest(heat)),
            format: (value: number) => `${Math.round(value)} °C`,
          },
          {
            key: 'gpu-power',
            title: 'GPU power',
            aside: cards.length > 1 ? 'in all' : undefined,
            lines: one('GPU power', power),
            top: above(power),
            format: (value: number) => `${short(value)} W`,
          },
        ]
      : []),
    ...(measures.processor
      ? [
          {
            key: 'processor',
            title: 'Processor',
            aside: limits.processor_cores === null ? undefined : `of ${short(limits.processor_cores)} cores`,
            lines: one('Processor', processor_cores),
            top: limits.processor_cores ?? above(processor_cores),
            format: cores,
          },
        ]
      : []),
    ...(measures.memory
      ? [
          {
            key: 'memory',
            title: 'Memory',
            aside: of(limits.memory_bytes),
            lines: one('Memory', memory_bytes),
            top: limits.memory_bytes ?? above(memory_bytes),
            format: formatBytes,
          },
        ]
      : []),
    ...(measures.disk
      ? [
          {
            key: 'disk',
            title: 'Disk space',
            aside: of(limits.disk_bytes),
            lines: one('Disk space', disk_bytes),
            top: limits.disk_bytes ?? above(disk_bytes),
            format: formatBytes,
          },
        ]
      : []),
    ...(measures.network
      ? [
          {
            key: 'network',
            title: 'Network',
            lines: [
              { label: 'in', values: received_rate },
              { label: 'out', values: sent_rate },
            ],
            top: above(received_rate, sent_rate),
            format: rate,
          },
        ]
      : []),
  ]
}

const partWords: Record<keyof Metrics['measures'], string> = {
  processor: 'processor',
  memory: 'memory',
  disk: 'disk space',
  network: 'network',
  cards: 'GPUs',
}

/** What cannot be seen, in a sentence; null when everything can. */
export function unmeasuredText(measures: Metrics['measures'], more: readonly string[] = []): string | null {
  const parts = Object.entries(partWords)
    .flatMap(([part, word]) => (measures[part as keyof Metrics['measures']] ? [] : [word]))
    .concat(more)
  if (parts.length === 0) return null
  const list = parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
  return `Not measured here: ${list}.`
}

/** One sentence for who does not see the lines. */
export function chartWords({ title, lines, format }: Chart, span: string): string {
  const each = lines.map(({ label, values }) => {
    const known = values.filter(value => value !== null)
    if (known.length === 0) return `${label}: nothing was measured`
    const last = known.at(-1)!
    return `${lines.length > 1 ? `${label}: ` : ''}${format(Math.min(...known))} to ${format(Math.max(...known))}, last ${format(last)}`
  })
  return `${title}, ${span}: ${each.join('; ')}`
}

const mostCells = 100
/** Load in percent, in as many cells as a strip has room for: each is the highest of its points. */
export function cellsOf(load: Series): (number | null)[] {
  const size = Math.ceil(load.length / mostCells) || 1
  return Array.from({ length: Math.ceil(load.length / size) }, (_, cell) => {
    const values = load.slice(cell * size, (cell + 1) * size).filter(value => value !== null)
    return values.length ? Math.max(...values) * 100 : null
  })
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const dayAndClock = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** The time of a point. */
export const timeOf = ({ from, step_seconds }: Metrics, at: number, range: Range): string => {
  const time = new Date(Date.parse(from) + at * step_seconds * 1_000)
  return (range === 'hour' ? clock : dayAndClock).format(time)
}

export function ticksOf({ from, to }: Metrics, range: Range): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const format = range === 'hour' || range === 'day' ? clock : day
  return [first, (first + last) / 2, last].map(ms => format.format(ms))
}
