import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { endRun } from '../end-run.ts'

/** A stop that nobody asked for: `minutes` have gone by without activity. */
export async function stopIdleInstance(
  tx: Tx,
  needs: { clock: Clock },
  userId: string,
  id: string,
  minutes: number,
): Promise<void> {
  await endRun(tx, needs, userId, id, 'stop', {
    reason: 'idle',
    message: `Stopped after ${minutes} minutes without activity`,
  })
}
