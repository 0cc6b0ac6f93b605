import { IngotError } from '@ingot/contracts/errors'
import { expect, it } from 'vitest'
import { failureOf, outcomeOf } from './verify-outcome.ts'

const verdict = { success: true, status: null, actualAmount: null, error: null } as const

it('says what was credited, not what was entered', () => {
  expect(outcomeOf({ ...verdict, status: 'confirmed', actualAmount: 25 }, '30')).toEqual({
    isDone: true,
    toast: { title: 'Payment Confirmed!', description: 'Your wallet has been credited with $25.00' },
  })
})

it('says an uneven amount with two decimals', () => {
  const { toast } = outcomeOf({ ...verdict, status: 'confirmed', actualAmount: 25.123456 }, '30')
  expect(toast.description).toBe('Your wallet has been credited with $25.12')
})

it('falls back to the entered amount when the reply has none', () => {
  expect(outcomeOf({ ...verdict, status: 'confirmed' }, '30.5').toast.description).toContain('$30.50')
})

it.each(['pending', 'held', null] as const)('takes success with status %s as pending', status => {
  expect(outcomeOf({ ...verdict, status }, '30')).toMatchObject({
    isDone: true,
    toast: { title: 'Payment Submitted' },
  })
})

it('keeps the dialog open on a refusal', () => {
  const refused = { ...verdict, success: false }
  expect(
    outcomeOf({ ...refused, status: 'confirmed', error: 'Transaction already processed' }, '30'),
  ).toMatchObject({
    isDone: false,
    toast: {
      title: 'Already Processed',
      description: 'This transaction was already processed (Status: confirmed)',
    },
  })
  expect(outcomeOf({ ...refused, error: 'It paid another address.' }, '30')).toMatchObject({
    isDone: false,
    toast: { title: 'Payment Issue', description: 'It paid another address.' },
  })
})

it('names the service’s reason for a failed call, and otherwise a way out', () => {
  expect(failureOf(new IngotError('unavailable', { message: 'Try again shortly' })).toast).toMatchObject({
    title: 'Verification Failed',
    description: 'Try again shortly',
  })
  expect(failureOf(new TypeError('fetch failed')).toast.description).toBe(
    'Failed to verify payment. Please try again or contact support.',
  )
  expect(failureOf(new IngotError('validation_failed')).fieldError).toContain('64 characters')
})
