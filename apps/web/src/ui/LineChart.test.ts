import { expect, it } from 'vitest'
import { pathOf } from './LineChart.tsx'

it('what was not measured is a gap, a point alone a dot, and nothing leaves the scale', () => {
  expect(pathOf([0, 5, null, 10, null, 20, 20], 10)).toBe('M0 100.0L1 50.0M3 0.0h.01M5 0.0L6 0.0')
  expect(pathOf([null, null], 10)).toBe('')
  expect(pathOf([0, 0], 0)).toBe('M0 100.0L1 100.0')
})
