/** How often a store is asked again after a failure that looked passing: at most a minute apart, for about five minutes. */
const firstRetryMs = 500
const lastRetryMs = 60_000

export const retryMs = (attempts: number): number =>
  Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(attempts, 10))
/** Making something is given up after so many, and its price returns. */
export const maxTries = 12
