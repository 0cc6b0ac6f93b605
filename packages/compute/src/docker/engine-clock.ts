/**
 * The engine's wall clock, against which its times of beginnings and ends are read. How far it is from ours is asked for
 * when it matters and kept for a moment. Since when the engine itself has run it does not tell; but it makes its default
 * bridge anew whenever it starts, and tells of when that was.
 */
import type { Engine } from './engine.ts'
import type { EngineTime } from './runs.ts'

const keptMs = 2_000

export function createEngineClock({ calls }: Engine): (isFresh?: boolean) => Promise<EngineTime> {
  let offset: { readonly askedAt: number; readonly ms: number; readonly since: number | null } | null = null

  return async (isFresh = false) => {
    const now = performance.now()
    if (!offset || isFresh || now - offset.askedAt > keptMs) {
      const [info, bridge] = await Promise.all([
        calls.info() as Promise<{ SystemTime: string }>,
        calls
          .getNetwork('bridge')
          .inspect()
          .catch(() => null) as Promise<{ Created: string } | null>,
      ])
      const since = Date.parse(bridge?.Created ?? '')
      // Its answer came at once: what the way back took would only make a run begin later.
      const ms = Date.parse(info.SystemTime) - performance.now()
      offset = { askedAt: performance.now(), ms, since: Number.isFinite(since) ? since : null }
    }
    return { now: performance.now() + offset.ms, since: offset.since }
  }
}
