import { expect, it } from 'vitest'
import { newPasswordProblem } from './new-password.ts'

it.each([
  ['', '', 'new', 'Enter a new password'],
  ['secret1', '', 'repeated', 'Enter the new password again'],
  ['secret1', 'secret2', 'repeated', "New passwords don't match"],
  ['abc12', 'abc12', 'new', 'Password must be at least 6 characters'],
  ['🔑🔑🔑🔑🔑', '🔑🔑🔑🔑🔑', 'new', 'Password must be at least 6 characters'],
  ['é'.repeat(37), 'é'.repeat(37), 'new', 'Password cannot be longer than 72 characters'],
] as const)('%j, %j: %s', (password, repeated, field, text) =>
  expect(newPasswordProblem(password, repeated, 6)).toEqual({ field, text }),
)

it('takes any other', () => expect(newPasswordProblem('abc123', 'abc123', 6)).toBeNull())

it('goes by the length that the service asks for, and counts characters as it does', () => {
  const text = 'Password must be at least 12 characters'
  expect(newPasswordProblem('elevenchars', 'elevenchars', 12)).toEqual({ field: 'new', text })
  expect(newPasswordProblem('😀'.repeat(6), '😀'.repeat(6), 12)).toEqual({ field: 'new', text })
  expect(newPasswordProblem('twelve-chars', 'twelve-chars', 12)).toBeNull()
})
