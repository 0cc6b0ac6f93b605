import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'

export async function deleteKey(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  const gone = await tx
    .deleteFrom('ssh_key')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(['name', 'fingerprint'])
    .executeTakeFirst()
  if (!gone) throw new IngotError('not_found')
  await appendEvent(tx, {
    userId,
    type: 'ssh_key.removed',
    at: clock.iso(),
    data: { message: `${gone.name}, ${gone.fingerprint}` },
  })
}
