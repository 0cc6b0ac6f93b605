/** What can be said about a new password before the service is asked. Only the service knows whether it is too common. */
import { passwordLimits } from '@ingot/contracts/accounts'

export interface PasswordProblem {
  readonly field: 'new' | 'repeated'
  readonly text: string
}

/** The one wording of the rule, whoever finds it broken. */
export const tooShort = (minCharacters: number | string): string =>
  `Password must be at least ${minCharacters} characters`

/** Characters are counted as the service counts them: one emoji is one. */
export const isTooShort = (password: string, minCharacters: number): boolean =>
  [...password].length < minCharacters

export function newPasswordProblem(
  password: string,
  repeated: string,
  minCharacters: number,
): PasswordProblem | null {
  const { maxBytes } = passwordLimits
  if (!password) return { field: 'new', text: 'Enter a new password' }
  if (!repeated) return { field: 'repeated', text: 'Enter the new password again' }
  if (password !== repeated) return { field: 'repeated', text: "New passwords don't match" }
  if (isTooShort(password, minCharacters)) return { field: 'new', text: tooShort(minCharacters) }
  if (new TextEncoder().encode(password).length > maxBytes)
    return { field: 'new', text: `Password cannot be longer than ${maxBytes} characters` }
  return null
}
