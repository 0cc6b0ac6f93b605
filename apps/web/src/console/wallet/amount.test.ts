import { expect, it } from 'vitest'
import { readAmount } from './amount.ts'

it.each([
  ['10', 10_000_000n],
  ['10.00', 10_000_000n],
  ['25.5', 25_500_000n],
  ['25.', 25_000_000n],
  [' 1000000 ', 1_000_000_000_000n],
])('%j can be deposited', (text, micro) => expect(readAmount(text)).toEqual({ micro, problem: null }))

it.each(['9.99', '0', '0.01'])('%j is below the minimum', text =>
  expect(readAmount(text)).toEqual({ micro: null, problem: 'Minimum deposit is $10 USDT' }),
)

it.each(['10.001', '-20', '1e3', 'ten', '10,50'])('%j is no amount', text => {
  expect(readAmount(text).micro).toBeNull()
  expect(readAmount(text).problem).toContain('at most two decimals')
})

it('an empty field is not wrong yet', () => expect(readAmount('')).toEqual({ micro: null, problem: null }))
