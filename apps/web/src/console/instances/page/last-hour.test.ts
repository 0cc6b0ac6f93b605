import type { Metrics, MetricsNow } from '@ingot/contracts/instance/watching'
import { expect, it } from 'vitest'
import { cellsOf, cellWords, lastHourOf, withNow } from './last-hour.ts'

const to = '2026-11-24T10:00:00.000Z'
const series = (length: number, value: (at: number) => number | null) =>
  Array.from({ length }, (_, at) => value(at))
const metrics = (load: (number | null)[]): Metrics => ({
  from: new Date(Date.parse(to) - load.length * 30_000).toISOString(),
  to,
  step_seconds: 30,
  simulated: false,
  measures: { processor: true, memory: true, disk: true, network: true, cards: true },
  limits: { processor_cores: 8, memory_bytes: 48e9, disk_bytes: null },
  processor_cores: load,
  memory_bytes: load,
  disk_bytes: load,
  received_rate: load,
  sent_rate: load,
  cards: [{ memory_limit_bytes: 10e9, load, memory_bytes: load, celsius: load, watts: load }],
})

it('an hour is sixty minutes, each the mean of what was measured in it', () => {
  const hour = lastHourOf(metrics(series(121, at => (at < 5 ? null : at % 2 ? 0.2 : 0.4))))
  expect(hour).toMatchObject({ from: '2026-11-24T09:00:00.000Z', step_seconds: 60 })
  expect(hour.processor_cores).toHaveLength(60)
  expect(hour.processor_cores.slice(0, 3)).toEqual([null, null, expect.closeTo(0.3)])
  const short = lastHourOf(metrics([0.5, null]))
  expect(short.processor_cores.slice(0, 59)).toEqual(series(59, () => null))
  expect(short.processor_cores[59]).toBe(0.5)
})

it('what was measured just now is the last minute, also before anything was stored', () => {
  const now: MetricsNow = {
    at: to,
    simulated: false,
    measures: metrics([]).measures,
    limits: { processor_cores: 4, memory_bytes: 1, disk_bytes: 2 },
    processor_cores: 2,
    memory_bytes: null,
    disk_bytes: 0,
    received_rate: 5,
    sent_rate: 6,
    cards: [{ uuid: 'a', load: 0.9, memory_bytes: 7, memory_limit_bytes: 8, celsius: 9, watts: 10 }],
  }
  const none = { ...lastHourOf(metrics([0.5])), cards: [] }
  const hour = withNow(none, now)
  expect(hour.processor_cores.slice(-2)).toEqual([null, 2])
  expect(hour.memory_bytes.at(-1)).toBe(0.5)
  expect(hour.disk_bytes.at(-1)).toBe(0)
  expect(hour.cards[0]!.load).toHaveLength(60)
  expect(hour.cards[0]).toMatchObject({ memory_limit_bytes: 8 })
  expect(hour.cards[0]!.load.at(-1)).toBe(0.9)
  expect(hour.limits.processor_cores).toBe(4)
  expect(withNow(none, { ...now, at: null })).toBe(none)
})

it('a minute without a figure is off before its run and after it, and unmeasured in between; zero is a figure', () => {
  const hour = lastHourOf(metrics(series(120, at => (at === 60 || at === 61 ? 0 : null))))
  const started_at = '2026-11-24T09:20:30.000Z'
  const cells = cellsOf(hour.cards[0]!.load, hour, { status: 'running', started_at, stopped_at: null })
  expect(cells[19]).toBe('off')
  expect(cells[20]).toBe('unmeasured')
  expect(cells[30]).toBe(0)
  expect(cells[59]).toBe('unmeasured')
  const stopped_at = '2026-11-24T09:40:00.000Z'
  const over = cellsOf(hour.cards[0]!.load, hour, { status: 'stopped', started_at, stopped_at })
  expect(over.slice(39, 41)).toEqual(['unmeasured', 'off'])
  expect(cellWords('Load of GPU 0, last hour', over)).toBe(
    'Load of GPU 0, last hour: 0 to 0 percent, now off',
  )
  expect(cellWords('Load', ['off'])).toBe('Load: nothing was measured')
})
