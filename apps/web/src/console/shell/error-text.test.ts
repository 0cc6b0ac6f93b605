import { IngotError } from '@ingot/contracts/errors'
import { expect, it } from 'vitest'
import { errorText, profileErrorText } from './error-text.ts'

it.each([
  'Failed to fetch',
  'NetworkError when attempting to fetch resource.',
  'Load failed',
  'fetch failed',
])('a call that never got there says so: %s', message =>
  expect(errorText(new TypeError(message))).toMatch(/^The service cannot be reached/),
)

it('what the service refused is said in its words', () => {
  const refusal = { message: 'Insufficient funds in wallet', requestId: 'r1' }
  expect(errorText(new IngotError('insufficient_funds', refusal))).toBe('Insufficient funds in wallet')
  expect(errorText(new IngotError('internal', { requestId: 'r2' }))).toMatch(/failed on our side/)
})

it.each([
  new TypeError("Cannot read properties of undefined (reading 'items')"),
  new RangeError('Invalid time value'),
  new IngotError('internal', { message: 'Unexpected answer (HTTP 418)' }),
  'thrown',
  null,
])('what nothing else explains is unexpected: %s', error =>
  expect(errorText(error)).toBe('An unexpected error occurred'),
)

it('a profile that nobody is signed in for says so', () => {
  expect(profileErrorText(new IngotError('not_authenticated'))).toBe('No user logged in')
  expect(profileErrorText(new IngotError('validation_failed'))).toBe('Some fields need another value')
})
