import { expect, it } from 'vitest'
import { failureOf } from './failure.ts'

it.each([
  ['weak_password', 'Password should be at least 6 characters.', 'password'],
  ['validation_failed', 'Unable to validate email address: invalid format', 'email'],
  ['validation_failed', 'Password cannot be longer than 72 characters', 'password'],
  ['user_already_exists', 'User already registered', 'email'],
  ['invalid_credentials', 'Invalid login credentials', null],
  ['over_email_send_rate_limit', 'For security purposes, you can only request this after 43 seconds.', null],
])('%s is told at its field, in the service’s words', (code, message, field) => {
  expect(failureOf({ code, message, status: 422 })).toEqual({ message, field, isUnconfirmed: false })
})

it('knows an address that waits for its confirmation', () => {
  expect(
    failureOf({ code: 'email_not_confirmed', message: 'Email not confirmed', status: 400 }).isUnconfirmed,
  ).toBe(true)
})

it('has words for what never reached the service', () => {
  expect(failureOf({ message: 'Failed to fetch', status: 0 }).message).toContain('cannot be reached')
  expect(failureOf({ message: '{}', status: 503 }).message).toContain('not answering')
})
