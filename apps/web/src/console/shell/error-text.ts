import { IngotError } from '@ingot/contracts/errors'

/** What a person reads when a call failed. A call that never reached the service has no words of its own. */
export const errorText = (error: unknown): string =>
  error instanceof IngotError
    ? error.message
    : 'The service cannot be reached. Check your connection and try again.'

export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof IngotError ? error.requestId : undefined
