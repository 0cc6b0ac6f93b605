import { expect, it } from 'vitest'
import { costNow } from './cost-now.ts'

const at = '2026-11-24T23:59:00.000Z'
const costs = { at, run: '10.000000', today: '3.000000', drawing_per_hour: '3.600000' }
const after = (seconds: number) => Date.parse(at) + seconds * 1_000

it('grows by the rate from what the service said, and a new day begins at nothing', () => {
  expect(costNow(costs, after(10))).toEqual({ run: '10.010000', today: '3.010000', perSecond: '0.001000' })
  expect(costNow(costs, after(90))).toMatchObject({ run: '10.090000', today: '0.030000' })
  expect(costNow(costs, after(-5))).toMatchObject({ run: '10.000000', today: '3.000000' })
  expect(costNow({ ...costs, run: null, drawing_per_hour: '0.000000' }, after(60))).toEqual({
    run: null,
    today: '0.000000',
    perSecond: '0.000000',
  })
})
