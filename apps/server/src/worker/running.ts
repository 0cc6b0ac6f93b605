/** Something that goes on in the background until it is stopped. */
export interface Running {
  /** Begins nothing more and waits for what is in hand. */
  stop(): Promise<void>
}

/** `run` ends soon after its signal, or by itself. */
export function startRunning(run: (signal: AbortSignal) => Promise<void>): Running {
  const stopping = new AbortController()
  const running = run(stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Several as one: they are stopped at once. */
export const runTogether = (...parts: readonly Running[]): Running => ({
  async stop() {
    await Promise.all(parts.map(part => part.stop()))
  },
})
