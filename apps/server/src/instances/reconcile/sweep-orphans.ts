import type { Driver, Ref } from '@ingot/compute/driver'
import type { Logger } from 'pino'

/** Destroys machines that no instance stands behind: what a kill left between a driver's work and its row. */
export async function sweepOrphans(
  { log }: { log: Logger },
  driver: Driver,
  orphans: readonly Ref[],
): Promise<void> {
  for (const ref of orphans) {
    const answer = await driver.destroy(ref)
    log.warn({ driver: driver.name, ref, answer: answer.kind }, 'a machine without an instance was destroyed')
  }
}
