import { IngotError } from '@ingot/contracts/errors'
import { unexpected } from '../session/auth-failure.ts'

/** How browsers name a call that never got there, each in its own words. */
const isUnreached = (error: unknown): boolean =>
  error instanceof TypeError && /fetch|network|load failed|connection|internet|cancelled/i.test(error.message)

/** Refused by something in between: every answer of the service itself has a number. */
const isForeign = (error: IngotError): boolean => error.code === 'internal' && error.requestId === undefined

/** What a person reads when a call failed. What never reached the service, and what nobody foresaw, have no words of their own. */
export function errorText(error: unknown): string {
  if (error instanceof IngotError) return isForeign(error) ? unexpected : error.message
  return isUnreached(error)
    ? 'The service cannot be reached. Check your connection and try again.'
    : unexpected
}

/** Of a change to the profile. */
export const profileErrorText = (error: unknown): string =>
  error instanceof IngotError && error.code === 'not_authenticated' ? 'No user logged in' : errorText(error)

export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof IngotError ? error.requestId : undefined
