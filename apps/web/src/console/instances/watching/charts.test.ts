import type { Metrics } from '@ingot/contracts/instance/watching'
import { expect, it } from 'vitest'
import { cellsOf, chartsOf, chartWords, unmeasuredText } from './charts.ts'

const card = {
  memory_limit_bytes: 10e9,
  load: [0.1, null],
  memory_bytes: [1e9, null],
  celsius: [40, null],
  watts: [100, null],
}
const metrics: Metrics = {
  from: '2026-11-24T09:00:00.000Z',
  to: '2026-11-24T09:01:00.000Z',
  step_seconds: 30,
  simulated: false,
  measures: { processor: true, memory: true, disk: false, network: true, cards: true },
  limits: { processor_cores: 8, memory_bytes: 48e9, disk_bytes: null },
  processor_cores: [null, 2],
  memory_bytes: [1e9, 2e9],
  disk_bytes: [null, null],
  received_rate: [0, 10],
  sent_rate: [null, null],
  cards: [card, { ...card, celsius: [60, 70] }],
}

it('charts are of what is measured, cards together, and each says in words what it shows', () => {
  const charts = chartsOf(metrics)
  expect(charts.map(({ key }) => key)).toEqual([
    'gpu-memory',
    'gpu-heat',
    'gpu-power',
    'processor',
    'memory',
    'network',
  ])
  expect(charts[0]).toMatchObject({ top: 20e9, aside: 'of 20 GB', lines: [{ values: [2e9, null] }] })
  expect(charts[1]!.lines[0]!.values).toEqual([60, 70])
  expect(charts[2]!.lines[0]!.values).toEqual([200, null])
  expect(chartWords(charts[4]!, 'last hour')).toBe('Memory, last hour: 1.0 GB to 2.0 GB, last 2.0 GB')
  expect(chartWords(charts[5]!, 'last hour')).toBe(
    'Network, last hour: in: 0 B/s to 10 B/s, last 10 B/s; out: nothing was measured',
  )
  expect(unmeasuredText(metrics.measures)).toBe('Not measured here: disk space.')
  expect(unmeasuredText({ ...metrics.measures, cards: false, network: false })).toBe(
    'Not measured here: disk space, network and GPUs.',
  )
})

it('a strip has at most a hundred cells, each the highest of its points', () => {
  const cells = cellsOf(Array.from({ length: 288 }, (_, at) => (at < 3 ? null : at % 3 === 0 ? 0.5 : 0.1)))
  expect(cells).toHaveLength(96)
  expect(cells.slice(0, 3)).toEqual([null, 50, 50])
  expect(cellsOf([])).toEqual([])
})
