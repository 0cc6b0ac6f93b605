/** Ends of uploads before they are done: by who began them, and by time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Db } from '../db/database.ts'
import { type Running, startRunning } from '../worker/running.ts'
import { ask, look } from './ask.ts'
import { finishUpload } from './finish-upload.ts'
import { type HolderNeeds, openFiles } from './holder.ts'
import { takeLease } from './lease.ts'
import type { TellNeeds } from './tell-file.ts'
import { formerOf, partOf, type UploadRow } from './upload-rows.ts'

const everyMs = 60_000
const batch = 100
/** Where the disk can't be reached now. */
const laterMinutes = 30

export async function dropUpload(db: Db, needs: HolderNeeds, userId: string, id: string): Promise<void> {
  const lease = await takeLease(db, userId, id)
  try {
    const { row } = lease
    if (row.state !== 'done') {
      try {
        const files = await openFiles(db, needs, userId, row, 'read')
        await discard(files, row)
      } catch (error) {
        // With its disk, or its folder, it has gone too.
        if (!(error instanceof IngotError && error.code !== 'unavailable')) throw error
      }
    }
    await db.deleteFrom('file_upload').where('id', '=', id).where('writer', '=', lease.token).execute()
  } finally {
    await lease.done()
  }
}

/** Takes away what has come of a file, and puts back what it was being put over. */
export async function discard(
  files: MachineFiles,
  row: Pick<UploadRow, 'id' | 'path' | 'replaces'>,
): Promise<void> {
  await ask(() => files.remove(partOf(row)))
  if (row.replaces && !(await look(files, row.path)) && (await look(files, formerOf(row))))
    await ask(() => files.rename(formerOf(row), row.path))
}

interface SweepNeeds extends HolderNeeds, TellNeeds {
  readonly database: Database
  readonly log: Logger
}

export const startUploadSweep = (needs: SweepNeeds): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await sweepUploads(needs).catch(error => needs.log.error({ err: error }, 'old uploads were not ended'))
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })

/** Ends those whose time is over, and puts at its path what was whole when somebody was killed. */
export async function sweepUploads({ database: { kysely: db }, log, ...needs }: SweepNeeds): Promise<void> {
  const { rows } = await sql<{ id: string; user_id: string; is_over: boolean }>`
    select id, user_id, expires_at < now() as is_over from file_upload
    where (expires_at < now() or state = 'placing') and (writer is null or writer_until < now())
    order by expires_at limit ${batch}`.execute(db)
  for (const { id, user_id, is_over } of rows) {
    const work = is_over ? dropUpload(db, needs, user_id, id) : finishUpload(db, needs, user_id, id, null)
    await work.catch(async error => {
      log.warn({ err: error, upload: id }, 'an upload was not ended; it is tried again')
      await sql`update file_upload set expires_at = now() + ${laterMinutes} * interval '1 minute'
        where id = ${id} and expires_at < now()`.execute(db)
    })
  }
}
