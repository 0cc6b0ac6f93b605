/** What can be said about a new password before the service is asked. Whether it is too common only the service knows. */
const minLength = 6
const maxBytes = 72

export interface PasswordProblem {
  readonly field: 'new' | 'repeated'
  readonly text: string
}

export function newPasswordProblem(password: string, repeated: string): PasswordProblem | null {
  if (!password) return { field: 'new', text: 'Enter a new password' }
  if (!repeated) return { field: 'repeated', text: 'Enter the new password again' }
  if (password !== repeated) return { field: 'repeated', text: "New passwords don't match" }
  if (password.length < minLength) return { field: 'new', text: 'Password must be at least 6 characters' }
  if (new TextEncoder().encode(password).length > maxBytes)
    return { field: 'new', text: 'Password cannot be longer than 72 characters' }
  return null
}
