/** At most one run at a time, and at least `everyMs` from one start to the next. What comes too early does nothing. */
export function createThrottle(
  run: () => Promise<unknown>,
  everyMs: number,
  now: () => number = Date.now,
): () => Promise<void> {
  let startedAt = -Infinity
  let isRunning = false
  return async () => {
    if (isRunning || now() - startedAt < everyMs) return
    isRunning = true
    startedAt = now()
    try {
      await run()
    } finally {
      isRunning = false
    }
  }
}
