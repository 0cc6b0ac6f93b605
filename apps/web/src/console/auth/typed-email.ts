/** The address as it was last typed in this tab: the account pages hand it to one another, and a reload keeps it. */
import { maxEmailLength } from '@ingot/contracts/accounts'
import { lastSignUp } from './sign-up-progress.ts'

const key = 'typed-email'

export const typedEmail = (): string => sessionStorage.getItem(key) ?? lastSignUp() ?? ''
export const keepTypedEmail = (email: string): void =>
  sessionStorage.setItem(key, email.slice(0, maxEmailLength))
export const forgetTypedEmail = (): void => sessionStorage.removeItem(key)
