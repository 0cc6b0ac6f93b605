import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'

/** Instances that were made from it have what they need in rows of their own. */
export async function deleteTemplate(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  id: string,
): Promise<void> {
  const gone = await tx
    .deleteFrom('gpu_templates')
    .where('id', '=', id)
    .where('owner', '=', userId)
    .returning('name')
    .executeTakeFirst()
  if (!gone) throw new IngotError('not_found')
  await appendEvent(tx, {
    userId,
    type: 'template.deleted',
    subjectId: id,
    at: clock.iso(),
    data: { name: gone.name, message: gone.name },
  })
}
