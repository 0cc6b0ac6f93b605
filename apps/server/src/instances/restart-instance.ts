import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { endRun } from './end-run.ts'

/**
 * running → stopping → starting → running. Charged up to now like a stop. Refused, with nothing changed, when the funds
 * would not last ten minutes more; when the wallet turns out to have run dry it stays a stop.
 */
export async function restartInstance(
  tx: Tx,
  needs: { clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  await endRun(tx, needs, userId, id, 'restart')
}
