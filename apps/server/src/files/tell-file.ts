/**
 * What became of files, in the activity log, by the name of what they lie on. The disk is no part of a transaction, so a
 * fact is written after its act: a server that is killed between them has done the act, and not told of it. It says no
 * path: administrators who act as a customer read this log, and none of the customer's files.
 */
import type { Clock } from '../db/clock.ts'
import { type Db, inTransaction, type Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { Signals } from '../worker/signals.ts'
import type { Holder } from './holder.ts'

export type FileAct =
  | 'file_uploaded'
  | 'file_moved'
  | 'file_deleted'
  | 'folder_made'
  | 'file_imported'
  | 'import_failed'

export interface TellNeeds {
  readonly clock: Clock
  readonly signals: Signals
}

/** Letters of a message: paths may be longer. */
const mostLetters = 500

export async function appendFileFact(
  tx: Tx,
  { clock }: Pick<TellNeeds, 'clock'>,
  userId: string,
  { instance_id, volume_id }: Holder,
  act: FileAct,
  message?: string,
): Promise<void> {
  const [noun, table, id] =
    instance_id === null
      ? (['volume', 'network_volumes', volume_id!] as const)
      : (['instance', 'gpu_instances', instance_id] as const)
  const found = await tx.selectFrom(table).select('name').where('id', '=', id).executeTakeFirst()
  await appendEvent(tx, {
    userId,
    type: `${noun}.${act}`,
    subjectId: id,
    at: clock.iso(),
    data: { name: found?.name ?? '', message: message?.slice(0, mostLetters) },
  })
}

export async function tellFile(
  db: Db,
  needs: TellNeeds,
  userId: string,
  holder: Holder,
  act: FileAct,
): Promise<void> {
  await inTransaction(db, tx => appendFileFact(tx, needs, userId, holder, act))
  needs.signals.send(`user:${userId}`)
}
