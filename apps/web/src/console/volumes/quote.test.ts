import { IngotError } from '@ingot/contracts/errors'
import { expect, it } from 'vitest'
import { newPriceIn } from './quote.ts'

it('finds the price that a refusal names', () => {
  const changed = new IngotError('price_changed', { fields: { quoted_total: 'is now 5.500000' } })
  expect(newPriceIn(changed)).toBe(5_500_000n)
  expect(newPriceIn(new IngotError('price_changed'))).toBeNull()
  expect(
    newPriceIn(new IngotError('validation_failed', { fields: { quoted_total: 'is now 5.500000' } })),
  ).toBeNull()
  expect(newPriceIn(new TypeError('Failed to fetch'))).toBeNull()
})
