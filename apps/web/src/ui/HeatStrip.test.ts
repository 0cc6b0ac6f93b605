import { expect, it } from 'vitest'
import { heatStep } from './HeatStrip.tsx'

it.each([
  [0, 0],
  [0.4, 1],
  [20, 1],
  [21, 2],
  [40, 2],
  [41, 3],
  [60, 3],
  [61, 4],
  [80, 4],
  [81, 5],
  [100, 5],
  [104, 5],
])('%d percent is step %d', (percent, step) => expect(heatStep(percent)).toBe(step))
