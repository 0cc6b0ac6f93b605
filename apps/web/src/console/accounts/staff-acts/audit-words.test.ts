import { api } from '@ingot/contracts/api'
import { isOfStaff, type Operation } from '@ingot/contracts/operation'
import { describe, expect, it } from 'vitest'
import { actWords, operationWords, valueWords } from './audit-words.ts'

describe('an operation', () => {
  it('has the beginning of its summary for a name', () =>
    expect(operationWords('setUserRole')).toBe('Give a user another role'))
  it('of the auth service is its method and path', () =>
    expect(operationWords('PUT /auth/v1/user')).toBe('PUT /auth/v1/user'))
  it('of nobody is said to be none', () => expect(operationWords(null)).toBe('By hand in the database'))

  const writes = Object.values(api)
    .flatMap(noun => Object.values(noun) as Operation[])
    .filter(op => isOfStaff(op) && op.method !== 'GET')
  it.each(writes.map(op => op.id))('%s has words for the customer', operation => {
    const words = actWords({ operation, subject_kind: 'account' })
    expect(words.length).toBeGreaterThan(5)
    expect(words).not.toContain(operation)
  })
})

it('what was read is named call by call', () =>
  expect(valueWords('read', 'getProfile ×2, get_or_create_wallet ×1')).toBe(
    'Your profile ×2, Your wallet ×1',
  ))
it('any other value is shown as it is', () =>
  expect(valueWords('role', 'getProfile ×2')).toBe('getProfile ×2'))
