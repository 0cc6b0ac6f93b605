/** The last hour of an instance, a point a minute: what its strips and charts are drawn of. */
import type { Metrics, MetricsNow } from '@ingot/contracts/instance/watching'
import type { Instance } from '@ingot/contracts/instances'

type Series = readonly (number | null)[]

export const lastMinutes = 60
/** On a phone there is no room for more. */
export const phoneMinutes = 40
const minuteMs = 60_000

/** The mean of what was measured in each minute; a minute without any stays a gap. */
function inMinutes(values: Series, perMinute: number): (number | null)[] {
  const last = values.slice(-lastMinutes * perMinute)
  const missing = Math.max(0, lastMinutes * perMinute - last.length)
  const all = [...Array.from({ length: missing }, () => null), ...last]
  return Array.from({ length: lastMinutes }, (_, minute) => {
    const known = all.slice(minute * perMinute, (minute + 1) * perMinute).filter(value => value !== null)
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null
  })
}

export function lastHourOf(metrics: Metrics): Metrics {
  const perMinute = Math.max(1, Math.round(60 / metrics.step_seconds))
  const each = (values: Series) => inMinutes(values, perMinute)
  return {
    ...metrics,
    from: new Date(Date.parse(metrics.to) - lastMinutes * minuteMs).toISOString(),
    step_seconds: 60,
    processor_cores: each(metrics.processor_cores),
    memory_bytes: each(metrics.memory_bytes),
    disk_bytes: each(metrics.disk_bytes),
    received_rate: each(metrics.received_rate),
    sent_rate: each(metrics.sent_rate),
    cards: metrics.cards.map(card => ({
      ...card,
      load: each(card.load),
      memory_bytes: each(card.memory_bytes),
      celsius: each(card.celsius),
      watts: each(card.watts),
    })),
  }
}

/** With what was measured just now as its last minute: the stored figures come each half minute. */
export function withNow(hour: Metrics, now: MetricsNow | undefined): Metrics {
  if (!now || now.at === null) return hour
  const last = (values: Series, value: number | null | undefined) =>
    value === null || value === undefined ? [...values] : [...values.slice(0, -1), value]
  const unknown = Array.from({ length: lastMinutes }, () => null)
  return {
    ...hour,
    limits: now.limits,
    processor_cores: last(hour.processor_cores, now.processor_cores),
    memory_bytes: last(hour.memory_bytes, now.memory_bytes),
    disk_bytes: last(hour.disk_bytes, now.disk_bytes),
    received_rate: last(hour.received_rate, now.received_rate),
    sent_rate: last(hour.sent_rate, now.sent_rate),
    cards: Array.from({ length: Math.max(hour.cards.length, now.cards.length) }, (_, place) => {
      const { load, memory_bytes, celsius, watts, memory_limit_bytes } = hour.cards[place] ?? {
        load: unknown,
        memory_bytes: unknown,
        celsius: unknown,
        watts: unknown,
        memory_limit_bytes: null,
      }
      const card = now.cards[place]
      return {
        memory_limit_bytes: card?.memory_limit_bytes ?? memory_limit_bytes,
        load: last(load, card?.load),
        memory_bytes: last(memory_bytes, card?.memory_bytes),
        celsius: last(celsius, card?.celsius),
        watts: last(watts, card?.watts),
      }
    }),
  }
}

/** `off`: it did not run. `unmeasured`: it ran and nobody measured. Never a zero that was not measured. */
export type Cell = number | 'off' | 'unmeasured'

/** Load in percent. Of runs before the last one nothing is known here: what was not measured then counts as off. */
export function cellsOf(
  load: Series,
  { from }: Pick<Metrics, 'from'>,
  { status, started_at, stopped_at }: Pick<Instance, 'status' | 'started_at' | 'stopped_at'>,
): Cell[] {
  const begun = started_at === null ? Number.POSITIVE_INFINITY : Date.parse(started_at)
  const ended =
    status === 'running' || stopped_at === null || Date.parse(stopped_at) < begun
      ? Number.POSITIVE_INFINITY
      : Date.parse(stopped_at)
  return load.map((value, minute) => {
    if (value !== null) return value * 100
    const at = Date.parse(from) + minute * minuteMs
    return at + minuteMs <= begun || at >= ended ? 'off' : 'unmeasured'
  })
}

/** `Load of GPU 0, last hour: 8 to 99 percent, now 94`. */
export function cellWords(label: string, cells: readonly Cell[]): string {
  const known = cells.filter(cell => typeof cell === 'number')
  if (known.length === 0) return `${label}: nothing was measured`
  const last = cells.at(-1)
  const now = typeof last === 'number' ? Math.round(last) : last === 'off' ? 'off' : 'not measured'
  return `${label}: ${Math.round(Math.min(...known))} to ${Math.round(Math.max(...known))} percent, now ${now}`
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
export const minuteOf = ({ from }: Pick<Metrics, 'from'>, minute: number): string =>
  clock.format(Date.parse(from) + minute * minuteMs)
