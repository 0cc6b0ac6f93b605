import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { endRun } from './end-run.ts'

/** running → stopping, charged up to this moment. What the machine takes to stop is not charged. */
export async function stopInstance(
  tx: Tx,
  needs: { clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await endRun(tx, needs, userId, id, 'stop')
}
