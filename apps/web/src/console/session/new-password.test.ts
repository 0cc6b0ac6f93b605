import { expect, it } from 'vitest'
import { newPasswordProblem } from './new-password.ts'

it.each([
  ['', '', 'new', 'Enter a new password'],
  ['secret1', '', 'repeated', 'Enter the new password again'],
  ['secret1', 'secret2', 'repeated', "New passwords don't match"],
  ['abc12', 'abc12', 'new', 'Password must be at least 6 characters'],
  ['é'.repeat(37), 'é'.repeat(37), 'new', 'Password cannot be longer than 72 characters'],
] as const)('%j, %j: %s', (password, repeated, field, text) =>
  expect(newPasswordProblem(password, repeated)).toEqual({ field, text }),
)

it('takes any other', () => expect(newPasswordProblem('abc123', 'abc123')).toBeNull())
