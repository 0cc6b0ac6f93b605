/**
 * Who writes to an upload: one at a time, over all processes. Whoever does says so every few seconds; after a kill the
 * next one waits that long.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { findUpload, type UploadRow } from './upload-rows.ts'

const leaseSeconds = 15
const renewMs = 5_000
/** For one that holds on to it: a piece whose connection was cut is noticed within this. */
const patienceMs = 20_000
const askMs = 200

/** The row as it is when nobody else writes to it; `done` frees it. Only whoever holds `token` changes it. */
export interface Lease {
  readonly row: UploadRow
  readonly token: string
  done(): Promise<void>
  /** Its last change of the row has freed it already. */
  isFree(): void
}

export async function takeLease(db: Db, userId: string, id: string): Promise<Lease> {
  const token = newId()
  const until = sql<string>`now() + ${leaseSeconds} * interval '1 second'`
  const deadline = Date.now() + patienceMs
  for (;;) {
    const row = await db
      .updateTable('file_upload')
      .set({ writer: token, writer_until: until })
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .where(each => each.or([each('writer', 'is', null), each('writer_until', '<', sql<string>`now()`)]))
      .returningAll()
      .executeTakeFirst()
    if (row) {
      const mine = (query: 'renew' | 'free') =>
        db
          .updateTable('file_upload')
          .set(query === 'renew' ? { writer_until: until } : { writer: null, writer_until: null })
          .where('id', '=', id)
          .where('writer', '=', token)
          .execute()
      const renewing = setInterval(() => void mine('renew').catch(() => {}), renewMs).unref()
      let isHeld = true
      return {
        row,
        token,
        async done() {
          clearInterval(renewing)
          // It ends by itself where this fails.
          if (isHeld) await mine('free').catch(() => {})
        },
        isFree() {
          isHeld = false
        },
      }
    }
    await findUpload(db, userId, id)
    if (Date.now() > deadline)
      throw new IngotError('unavailable', { message: 'This upload is being written. Try again in a moment.' })
    await sleep(askMs)
  }
}
