import { expect, test } from 'vitest'
import { stockOf, stockText } from './stock.ts'

const regions = [
  { id: 'US-East', available: true },
  { id: 'US-West', available: true },
  { id: 'EU-West', available: false },
  { id: 'Asia-Pacific', available: true },
] as const
const stock = (free: Record<string, number>, count = 1, largest = free) =>
  stockOf({ free, largest }, 'US-East', count, regions)

test('enough here is enough', () => {
  expect(stock({ 'US-East': 8 }, 8)).toEqual({ kind: 'here', free: 8 })
  expect(stockText(stock({ 'US-East': 8 }, 8), 'H100', 'US-East')).toBeNull()
})

test('the last place of a host takes a machine of any size', () => {
  expect(stock({ 'US-East': 1 }, 8, { 'US-East': 8 })).toEqual({ kind: 'here', free: 1 })
  expect(stock({ 'US-East': 0 }, 1, { 'US-East': 0 })).toEqual({ kind: 'nowhere', free: 0 })
})

test('sold out here names the region with the most, and never one that is not offered', () => {
  const elsewhere = stock({ 'US-West': 2, 'EU-West': 50, 'Asia-Pacific': 12 })
  expect(elsewhere).toEqual({ kind: 'elsewhere', free: 0, region: 'Asia-Pacific', freeThere: 12 })
  expect(stockText(elsewhere, 'H100', 'US-East')).toBe(
    'No H100 free in US-East. 12 free in Asia-Pacific, same price.',
  )
})

test('too few for the count is short too', () => {
  expect(stockText(stock({ 'US-East': 2, 'US-West': 4 }, 4), 'T4', 'US-East')).toBe(
    'Only 2 T4 free in US-East. 4 free in US-West, same price.',
  )
  expect(stock({ 'US-East': 2, 'US-West': 3 }, 4)).toEqual({ kind: 'nowhere', free: 2 })
})
