/** What can be said about a new password before the service is asked. Only the service knows whether it is too common. */
import { passwordLimits } from '@ingot/contracts/accounts'

const { maxBytes } = passwordLimits

export interface PasswordProblem {
  readonly field: 'new' | 'repeated'
  readonly text: string
}

export function newPasswordProblem(
  password: string,
  repeated: string,
  minCharacters: number,
): PasswordProblem | null {
  if (!password) return { field: 'new', text: 'Enter a new password' }
  if (!repeated) return { field: 'repeated', text: 'Enter the new password again' }
  if (password !== repeated) return { field: 'repeated', text: "New passwords don't match" }
  if ([...password].length < minCharacters)
    return { field: 'new', text: `Password must be at least ${minCharacters} characters` }
  if (new TextEncoder().encode(password).length > maxBytes)
    return { field: 'new', text: `Password cannot be longer than ${maxBytes} characters` }
  return null
}
