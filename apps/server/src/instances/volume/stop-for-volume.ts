import { sql } from 'kysely'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { endRun } from '../end-run.ts'

/** The volume that it uses is not paid for, and nothing else keeps it from being written to: also within a term. */
export async function stopForVolume(
  tx: Tx,
  needs: { readonly clock: Clock },
  userId: string,
  id: string,
  volume: string,
): Promise<void> {
  const message = `Stopped because the month of its volume ${volume} is not paid. Pay it, or detach the volume, and start again.`
  await endRun(tx, needs, userId, id, 'stop', { reason: 'volume_lapsed', message })
  const row = await tx
    .selectFrom('gpu_instances')
    .select(['name', 'status_reason'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  // Its own money had ended before, and that was told.
  if (row.status_reason !== 'volume_lapsed') return
  const item = JSON.stringify({ at: needs.clock.iso(), name: row.name, volume, message })
  for (const channel of ['mail', 'sms'])
    await sql`select queue_notice(${userId}, 'volume_stopped', ${channel}, ${item}::jsonb)`.execute(tx)
}
