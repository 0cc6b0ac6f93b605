/**
 * Files that come in pieces. A piece counts when all of it is written and has its checksum; until then the next one
 * begins where it began. The file is put at its path when it is whole, and never before.
 */
import { createHash } from 'node:crypto'
import { addAbortSignal, finished, Transform } from 'node:stream'
import type { MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import { maxChunkBytes, maxTransfers, type Upload } from '@ingot/contracts/files'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Received } from '../http/bind.ts'
import { ask, look } from './ask.ts'
import { type Holder, type HolderNeeds, openFiles } from './holder.ts'
import { takeLease } from './lease.ts'
import { expiry, findUpload, partOf, readTarget, shownUpload, type UploadRow } from './upload-rows.ts'

export async function beginUpload(
  db: Db,
  needs: HolderNeeds,
  userId: string,
  holder: Holder,
  { path, bytes, replace }: { path: string; bytes: number; replace: boolean },
): Promise<Upload> {
  const { folder } = readTarget(path)
  const files = await openFiles(db, needs, userId, holder, 'change')
  await assertFree(files, path, replace)
  await ask(() => files.list(folder, { limit: 1 }))
  const { rows } = await sql<{ id: string }>`
    insert into file_upload (id, user_id, instance_id, volume_id, path, bytes, replaces, expires_at)
    select ${newId()}, ${userId}, ${holder.instance_id}, ${holder.volume_id}, ${path}, ${bytes}, ${replace}, ${expiry()}
    where (select count(*) from file_upload
      where user_id = ${userId} and state in ('open', 'placing')) < ${maxTransfers}
    returning id`.execute(db)
  if (!rows[0])
    throw new IngotError('rate_limited', {
      message: `At most ${maxTransfers} uploads at a time. Finish or end one first`,
    })
  return shownUpload(await findUpload(db, userId, rows[0].id))
}

/** Nothing is there that the file may not take the place of. */
export async function assertFree(files: MachineFiles, path: string, replace: boolean): Promise<boolean> {
  const there = await look(files, path)
  if (!there) return true
  if (!replace)
    throw new IngotError('validation_failed', {
      fields: { path: 'Something with this name is already there.' },
    })
  if (there.kind === 'folder' || there.kind === 'other')
    throw new IngotError('validation_failed', { fields: { path: 'What is there is not a file.' } })
  return false
}

export function assertOpen({ state, message }: UploadRow): void {
  if (state === 'done')
    throw new IngotError('invalid_state', { message: 'This upload is done: the file is at its path.' })
  if (state === 'placing')
    throw new IngotError('invalid_state', { message: 'All of this upload has come. Finish it.' })
  if (state === 'failed')
    throw new IngotError('invalid_state', { message: message ?? 'This upload has failed.' })
}

/** The disk of an upload that is under way: one that is gone is its state, since the upload itself is there. */
export const filesOf = (db: Db, needs: HolderNeeds, row: UploadRow): Promise<MachineFiles> =>
  openFiles(db, needs, row.user_id, row, 'change').catch(error => {
    if (error instanceof IngotError && error.code === 'not_found')
      throw new IngotError('invalid_state', { message: 'The disk that this upload was for is gone.' })
    throw error
  })

export async function putPiece(
  db: Db,
  needs: HolderNeeds,
  userId: string,
  { id, offset, sha256 }: { id: string; offset: number; sha256: string },
  { length, data }: Received,
  gone: AbortSignal,
): Promise<Upload> {
  const lease = await takeLease(db, userId, id)
  const { row, token } = lease
  try {
    assertOpen(row)
    assertFits(row, offset, length)
    const files = await filesOf(db, needs, row)
    await writePiece(files, row, { offset, sha256 }, data, gone)
    // One statement, as each waits for the disk.
    const counted = await db
      .updateTable('file_upload')
      .set({
        received_bytes: BigInt(offset + length),
        expires_at: expiry(),
        writer: null,
        writer_until: null,
      })
      .where('id', '=', id)
      .where('writer', '=', token)
      .returningAll()
      .executeTakeFirst()
    if (!counted)
      throw new IngotError('unavailable', {
        message: 'Another took this upload over. See how far it has come.',
      })
    lease.isFree()
    return shownUpload(counted)
  } finally {
    await lease.done()
  }
}

function assertFits({ bytes, received_bytes }: UploadRow, offset: number, length: number): void {
  if (offset !== Number(received_bytes))
    throw new IngotError('invalid_state', { message: `The next piece begins at byte ${received_bytes}.` })
  if (length === 0 || length > maxChunkBytes || offset + length > Number(bytes))
    throw new IngotError('validation_failed', {
      fields: { body: `must have 1 to ${Math.min(maxChunkBytes, Number(bytes) - offset)} bytes` },
    })
}

async function writePiece(
  files: MachineFiles,
  row: UploadRow,
  { offset, sha256 }: { readonly offset: number; readonly sha256: string },
  data: Received['data'],
  gone: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  // Whoever writes it is told of both; until then nobody listens.
  addAbortSignal(gone, hashed).on('error', () => {})
  finished(data, { writable: false }, error => error && hashed.destroy(error))
  data.pipe(hashed)
  const written = await files.write(partOf(row), hashed, { from: offset })
  // What was not written is read all the same, so that whoever sends it hears why.
  data.unpipe(hashed).resume()
  hashed.destroy()
  if (gone.aborted || data.errored)
    throw new IngotError('validation_failed', { fields: { body: 'did not arrive whole' } })
  if (written.kind !== 'done') {
    const message =
      written.kind === 'failed' ? written.message : 'The files do not answer. Try again in a moment.'
    const isRefused = written.kind === 'failed' && written.failure !== 'transient'
    throw new IngotError(isRefused ? 'invalid_state' : 'unavailable', { message })
  }
  if (hash.digest('hex') !== sha256)
    throw new IngotError('validation_failed', {
      fields: { sha256: 'is not that of the bytes that came. Send the piece again' },
    })
}
