import { expect, it } from 'vitest'
import { codeFailure, failureOf, keyFailure, mailFailure, unexplained } from './auth-failure.ts'

it.each([
  ['weak_password', 'Password is known to be weak and easy to guess', 'password'],
  ['validation_failed', 'Unable to validate email address: invalid format', 'email'],
  ['validation_failed', 'Password cannot be longer than 72 characters', 'password'],
  ['user_already_exists', 'User already registered', 'email'],
  ['invalid_credentials', 'Invalid login credentials', null],
  ['over_email_send_rate_limit', 'For security purposes, you can only request this after 43 seconds.', null],
])('%s is told at its field, in the service’s words', (code, message, field) => {
  expect(failureOf({ code, message, status: 422 })).toEqual({
    message,
    field,
    isUnconfirmed: false,
    isSuspended: false,
  })
})

it('says the length of a password as every screen does', () => {
  expect(
    failureOf({ code: 'weak_password', message: 'Password should be at least 12 characters.', status: 422 }),
  ).toMatchObject({ message: 'Password must be at least 12 characters', field: 'password' })
})

it('knows an address that waits for its confirmation', () => {
  expect(
    failureOf({ code: 'email_not_confirmed', message: 'Email not confirmed', status: 400 }).isUnconfirmed,
  ).toBe(true)
})

it.each([
  ['This account is suspended: It mines.', 'This account is suspended: It mines.'],
  ['User is banned', 'This account is suspended. Write to us to have it looked at.'],
])('a suspension that is told as %s is shown as %s', (message, shown) => {
  expect(failureOf({ code: 'user_banned', message, status: 400 })).toMatchObject({
    message: shown,
    isSuspended: true,
    field: null,
  })
})

it('has words for what never reached the service', () => {
  expect(failureOf({ message: 'Failed to fetch', status: 0 }).message).toContain('cannot be reached')
  expect(failureOf({ message: '{}', status: 503 }).message).toContain('not answering')
  expect(failureOf(unexplained).message).toBe('An unexpected error occurred')
})

it('tells a stranger nothing about who has an account', () => {
  const refused = (code: string) => mailFailure({ code, message: 'x', status: 429 })
  expect(mailFailure(null)).toBeNull()
  expect(refused('otp_disabled')).toBeNull()
  expect(refused('over_email_send_rate_limit')).toBeNull()
  expect(refused('over_request_rate_limit')).toBe('x')
  expect(mailFailure({ message: 'Failed to fetch', status: 0 })).toContain('cannot be reached')
})

it('says what to do about a code', () => {
  expect(
    codeFailure({ code: 'mfa_verification_failed', message: 'Invalid TOTP code entered', status: 422 }),
  ).toBe('This code is not right. Enter the newest one.')
  expect(codeFailure({ code: 'other', message: 'Other', status: 422 })).toBe('Other')
})

it('says what to do about a security key, and what any second factor says otherwise', () => {
  const refused = (code: string) => keyFailure({ code, message: 'Other', status: 422 })
  expect(refused('mfa_verification_failed')).toBe(
    'This key was not accepted. Use the one that you added here.',
  )
  expect(refused('mfa_factor_not_found')).toContain('was removed meanwhile')
  expect(refused('other')).toBe('Other')
})
