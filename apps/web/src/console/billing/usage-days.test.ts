import { expect, test } from 'vitest'
import type { UsageRow } from '@ingot/contracts/billing'
import { lastDayOf, lastMonths, meanOf, usageDays } from './usage-days.ts'

const part = (key: string | null, amount: string) => ({ key, label: key ?? 'Others', amount, used_ms: 1 })
const row = (key: string, amount: string, ...parts: UsageRow['parts']): UsageRow => ({
  key,
  label: key,
  amount,
  used_ms: 1,
  parts,
})

test('every day of the span is there, with the same series on each, and they add up', () => {
  const { series, days } = usageDays(
    [
      row('2026-11-01', '1.000003', part('A40', '0.000003'), part('H100', '1.000000')),
      row('2026-11-03', '5.500000', part('L4', '2.000000'), part('T4', '3.000000'), part(null, '0.500000')),
    ],
    '2026-11-01',
    '2026-11-04',
  )
  expect(series).toEqual([
    { key: 'T4', label: 'T4', amount: '3.000000', place: 0 },
    { key: 'L4', label: 'L4', amount: '2.000000', place: 1 },
    { key: null, label: 'Others', amount: '1.500003', place: 3 },
  ])
  expect(days).toEqual([
    { day: '2026-11-01', amount: '1.000003', amounts: ['0.000000', '0.000000', '1.000003'] },
    { day: '2026-11-02', amount: '0.000000', amounts: ['0.000000', '0.000000', '0.000000'] },
    { day: '2026-11-03', amount: '5.500000', amounts: ['3.000000', '2.000000', '0.500000'] },
    { day: '2026-11-04', amount: '0.000000', amounts: ['0.000000', '0.000000', '0.000000'] },
  ])
  expect(meanOf(days)).toBe('2.166667')
  expect(meanOf(days.slice(0, 1))).toBeNull()
})

test('three kinds are all named; without usage there is none', () => {
  const parts = [part('A40', '1.000000'), part('H100', '2.000000'), part('T4', '3.000000')]
  const { series } = usageDays([row('2026-11-01', '6.000000', ...parts)], '2026-11-01', '2026-11-01')
  expect(series.map(({ key }) => key)).toEqual(['T4', 'H100', 'A40'])
  expect(usageDays([], '2026-11-01', '2026-11-02').series).toEqual([])
})

test('volumes and snapshots are one grey part, and what is left of the GPUs then has another place', () => {
  const [volume, snapshot] = [part('volume', '0.500000'), part('snapshot', '0.250000')]
  const gpus = [part('T4', '3.000000'), part('H100', '2.000000'), part('A40', '1.000000')]
  const { series, days } = usageDays(
    [row('2026-11-01', '6.750000', ...gpus, volume, snapshot)],
    '2026-11-01',
    '2026-11-01',
  )
  expect(series.map(({ label, place }) => [label, place])).toEqual([
    ['T4', 0],
    ['H100', 1],
    ['A40', 2],
    ['Storage', 3],
  ])
  expect(days[0]!.amounts.at(-1)).toBe('0.750000')
  const more = usageDays(
    [row('2026-11-01', '7.000000', ...gpus, part(null, '0.500000'), volume)],
    '2026-11-01',
    '2026-11-01',
  )
  expect(more.series.map(({ label, amount, place }) => [label, amount, place])).toEqual([
    ['T4', '3.000000', 0],
    ['H100', '2.000000', 1],
    ['Others', '1.500000', 2],
    ['Storage', '0.500000', 3],
  ])
  expect(more.days[0]!.amounts).toEqual(['3.000000', '2.000000', '1.500000', '0.500000'])
})

test('months and their last days, over the turn of a year and in a leap year', () => {
  expect(lastMonths('2026-02').slice(0, 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
  expect([lastDayOf('2028-02'), lastDayOf('2026-12')]).toEqual(['2028-02-29', '2026-12-31'])
})
