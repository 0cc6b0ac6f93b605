import type { MoneyDay } from '@ingot/contracts/admin/business'
import { expect, it } from 'vitest'
import { axisDays, scaleOf, shortMoney, uncoveredSince, yOf } from './money-chart.ts'

const day = (n: number, held: string, owed: string) =>
  ({ day: `2026-11-${String(n).padStart(2, '0')}`, held, owed }) as MoneyDay

it('begins at zero, or where two large amounts that lie close are told apart', () => {
  expect(scaleOf([838, 2700], true)).toEqual({ from: 0, to: 3000, ticks: [0, 1000, 2000, 3000] })
  expect(scaleOf([38_000, 54_000], false).from).toBe(30_000)
  expect(scaleOf([100, 54_000], false).from).toBe(0)
  expect(scaleOf([0], true)).toMatchObject({ from: 0 })
  expect(yOf(0, scaleOf([0, 10], true))).toBe(100)
})

it('says since when less is held than owed, and nothing when that is over', () => {
  const days = [day(1, '5', '6'), day(2, '7', '6'), day(3, '5', '6'), day(4, '5.9', '6')]
  expect(uncoveredSince(days)).toBe('2026-11-03')
  expect(uncoveredSince(days.slice(0, 2))).toBeNull()
  expect(uncoveredSince(days.slice(0, 1))).toBe('2026-11-01')
  expect(uncoveredSince([day(1, '6', '6')])).toBeNull()
})

it('writes the scale short and the axis with room', () => {
  expect([0, 0.5, 50, 3000, 36_000, 1_250_000].map(shortMoney)).toEqual([
    '$0',
    '$0.50',
    '$50',
    '$3,000',
    '$36k',
    '$1.25M',
  ])
  expect(axisDays(Array.from({ length: 30 }, (_, n) => day(n + 1, '0', '0'))).length).toBeLessThanOrEqual(5)
})
