import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountText, moneyText, parseUsd } from './money.ts'

describe('money as a person reads it', () => {
  it.each([
    ['0.750000', '$0.75'],
    ['17958', '$17958.00'],
    ['25.123456', '$25.12'],
    ['-12.5', '-$12.50'],
    ['0', '$0.00'],
    ['0.985', '$0.98'],
    ['0.995', '$1.00'],
    ['0.01', '$0.01'],
    ['0.009999', '$0.009999'],
    ['0.005', '$0.005'],
    ['0.000001', '$0.000001'],
  ])('%s is %s: two decimals, every digit below a cent', (wire, text) =>
    expect(moneyText(parseUsd(wire))).toBe(text),
  )

  it('what is needed is never understated, what is left never overstated', () => {
    expect(moneyText(parseUsd('0.125'), 'up')).toBe('$0.13')
    expect(moneyText(parseUsd('99.999999'), 'down')).toBe('$99.99')
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), micro => {
        expect(parseUsd(amountText(micro, 'up'))).toBeGreaterThanOrEqual(micro)
        expect(parseUsd(amountText(micro, 'down'))).toBeLessThanOrEqual(micro)
      }),
    )
  })
})
