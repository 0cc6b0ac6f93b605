import { parseUsd } from '@ingot/contracts/money'
import { expect, it } from 'vitest'
import { depositFor, readAmount } from './amount.ts'

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

it('a deposit covers the shortfall to the next cent and is never below the smallest', () => {
  const ten = parseUsd('10')
  expect(depositFor(parseUsd('0.75'), 0n, ten)).toEqual({ shortfall: parseUsd('0.75'), deposit: ten })
  expect(depositFor(parseUsd('100.000001'), parseUsd('50'), ten)).toEqual({
    shortfall: parseUsd('50.000001'),
    deposit: parseUsd('50.01'),
  })
  expect(depositFor(parseUsd('5'), parseUsd('6'), ten).shortfall).toBe(0n)
})
