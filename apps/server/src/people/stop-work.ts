/**
 * Stops what a suspended account runs: each stop is charged as any other, and says why. What starts is stopped once it
 * runs. The row is due until nothing runs any more, so a server that is killed leaves nothing running.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { inSavepoint } from '../db/savepoint.ts'
import { endRun } from '../instances/end-run.ts'
import { lockWallet } from '../ledger/ledger.ts'
import type { Work } from '../worker/loop.ts'
import type { Signals } from '../worker/signals.ts'

interface StopNeeds {
  readonly clock: Clock
  readonly signals: Signals
}

const lookAgainMs = 1_000
/** In one transaction. */
const mostAtOnce = 50

export function stopWork(needs: StopNeeds): Work<'suspension'> {
  return {
    table: 'suspension',
    key: 'user_id',
    clock: 'real',
    concurrency: 4,
    lockFirst: (tx, row) => lockWallet(tx, row.user_id),
    async perform({ user_id }, claim) {
      await claim.apply(async tx => ({
        due_at: (await stopAll(tx, needs, user_id)) ? null : new Date(Date.now() + lookAgainMs).toISOString(),
      }))
      for (const topic of ['gpu_instances', 'wallets', 'places', `user:${user_id}`] as const)
        needs.signals.send(topic)
    },
  }
}

/** Whether nothing runs any more, nor is about to. */
async function stopAll(tx: Tx, needs: StopNeeds, userId: string): Promise<boolean> {
  const rows = await tx
    .selectFrom('gpu_instances')
    .select(['id', 'status'])
    .where('user_id', '=', userId)
    .where('desired', '=', 'running')
    .orderBy('id')
    .limit(mostAtOnce)
    .execute()
  for (const { id } of rows.filter(({ status }) => status === 'running'))
    await inSavepoint(tx, () =>
      endRun(tx, needs, userId, id, 'stop', {
        reason: 'suspended',
        message: 'Stopped because the account was suspended. Its disk is kept.',
      }),
    ).catch(error => {
      // Its machine ended by itself just now.
      if (!(error instanceof IngotError)) throw error
    })
  return rows.length === 0
}
