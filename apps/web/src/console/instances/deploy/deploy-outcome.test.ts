import { IngotError } from '@ingot/contracts/errors'
import { expect, test } from 'vitest'
import { failureOf, successText } from './deploy-outcome.ts'

const quote = { quoted_hourly_cost: '0.750000', quoted_total: '0.750000' }

test('success says what was charged, and for an upfront term which', () => {
  expect(successText('hourly', '0.750000')).toBe(
    "Instance deployed successfully! You've been charged $0.75 for initial setup.",
  )
  expect(successText('3month', '535.000000')).toBe(
    "Instance deployed successfully! You've been charged $535.00 upfront for 3 months.",
  )
})

test('an empty wallet, a refusal in words and a lost connection each have their text', () => {
  expect(failureOf(new IngotError('insufficient_funds'), quote).text).toBe('Insufficient funds in wallet')
  expect(failureOf(new IngotError('no_capacity', { message: 'No H100 is free now' }), quote).text).toBe(
    'Failed to deploy instance: No H100 is free now',
  )
  expect(failureOf(new TypeError('fetch failed'), quote).text).toMatch(
    /^Failed to deploy instance: The service cannot be reached/,
  )
})

test('only bad input is told by field, and only a changed price keeps what was quoted', () => {
  const input = failureOf(new IngotError('validation_failed', { fields: { name: 'is too long' } }), quote)
  expect(input).toMatchObject({ fields: { name: 'is too long' }, quoted: null })
  const price = failureOf(
    new IngotError('price_changed', { fields: { quoted_total: 'is now 0.800000' } }),
    quote,
  )
  expect(price).toMatchObject({ fields: {}, quoted: quote })
})
