import { IngotError } from '@ingot/contracts/errors'
import { longestSnoozeMs } from '@ingot/contracts/instance/idle'
import { readable } from '../../auth/letters/letters.ts'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import { lockInstance } from '../queries.ts'

/** Keeps it on until `until`, a business time; null: it stops by itself again. It may be told once more before that. */
export async function snoozeInstance(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
  until: string | null,
): Promise<void> {
  await lockWallet(tx, userId)
  const row = await lockInstance(tx, userId, id)
  const at = clock.iso()
  if (until === null) {
    if (row.snoozed_until === null) return
    await tx.updateTable('gpu_instances').set({ snoozed_until: null }).where('id', '=', id).execute()
    await appendEvent(tx, {
      userId,
      type: 'instance.snooze_ended',
      subjectId: id,
      at,
      data: { name: row.name },
    })
    return
  }
  const leftMs = Date.parse(until) - clock.now()
  if (leftMs <= 0) throw new IngotError('validation_failed', { fields: { until: 'must be in the future' } })
  if (leftMs > longestSnoozeMs)
    throw new IngotError('validation_failed', { fields: { until: 'must be within seven days' } })
  if (row.status !== 'running' || !row.auto_shutdown_enabled)
    throw new IngotError('invalid_state', {
      message: row.auto_shutdown_enabled
        ? `An instance can be kept on only while running; this one is ${row.status}.`
        : 'This instance does not stop by itself.',
    })
  await tx
    .updateTable('gpu_instances')
    .set({ snoozed_until: new Date(Date.now() + leftMs).toISOString(), warned_busy_at: null })
    .where('id', '=', id)
    .execute()
  const message = `Kept on until ${readable(new Date(until))}`
  await appendEvent(tx, {
    userId,
    type: 'instance.snoozed',
    subjectId: id,
    at,
    data: { name: row.name, message },
  })
}
