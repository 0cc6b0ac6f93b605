/**
 * From the last piece to the file at its path. What is checked is noted first (`placing`); after that any kill is made
 * good by whoever comes next, with the steps that are left.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import type { Upload } from '@ingot/contracts/files'
import { type Db, inTransaction, type Tx } from '../db/database.ts'
import { ask, look } from './ask.ts'
import type { HolderNeeds } from './holder.ts'
import { type Lease, takeLease } from './lease.ts'
import { appendFileFact, type TellNeeds } from './tell-file.ts'
import { expiry, findUpload, formerOf, partOf, shownUpload, type UploadRow } from './upload-rows.ts'
import { assertFree, assertOpen, filesOf } from './uploads.ts'

type FinishNeeds = HolderNeeds & TellNeeds

/** `sha256`: of the whole file; null: each piece had its own. */
export async function finishUpload(
  db: Db,
  needs: FinishNeeds,
  userId: string,
  id: string,
  sha256: string | null,
): Promise<Upload> {
  const lease = await takeLease(db, userId, id)
  try {
    if (lease.row.state !== 'done') await finish(db, needs, lease, sha256)
  } finally {
    await lease.done()
  }
  return shownUpload(await findUpload(db, userId, id))
}

async function finish(
  db: Db,
  needs: FinishNeeds,
  { row, token }: Lease,
  sha256: string | null,
): Promise<void> {
  const note = async (state: UploadRow['state'], message: string | null = null, to: Db | Tx = db) => {
    const { numUpdatedRows } = await to
      .updateTable('file_upload')
      .set({ state, message, expires_at: expiry() })
      .where('id', '=', row.id)
      .where('writer', '=', token)
      .executeTakeFirst()
    if (!numUpdatedRows) throw new IngotError('unavailable', { message: 'Another took this upload over.' })
  }
  if (row.state !== 'placing') assertOpen(row)
  const files = await filesOf(db, needs, row)
  if (row.state !== 'placing') {
    const left = row.bytes - row.received_bytes
    if (left > 0n) throw new IngotError('invalid_state', { message: `${left} bytes are still to come.` })
    await assertFree(files, row.path, row.replaces)
    const wrong = await whatIsWrong(files, row, sha256)
    if (wrong !== null) {
      await note('failed', wrong)
      await files.remove(partOf(row))
      return
    }
    await note('placing')
  }
  const wrong = await place(files, row).catch(async error => {
    // Somebody has put something else there: the file waits until that is gone, or for its end.
    if (error instanceof IngotError && error.code === 'validation_failed') await note('open')
    throw error
  })
  if (wrong !== null) return note('failed', wrong)
  await inTransaction(db, async tx => {
    await note('done', null, tx)
    await appendFileFact(tx, needs, row.user_id, row, 'file_uploaded')
  })
  needs.signals.send(`user:${row.user_id}`)
}

async function whatIsWrong(
  files: MachineFiles,
  row: UploadRow,
  sha256: string | null,
): Promise<string | null> {
  const part = partOf(row)
  if (row.bytes === 0n) await ask(() => files.write(part, Readable.from([])))
  const entry = await look(files, part)
  if (!entry) return 'What had come of this file was deleted from the disk.'
  if (entry.kind !== 'file' || BigInt(entry.bytes) !== row.bytes)
    return 'What had come of this file was changed on the disk.'
  if (sha256 === null) return null
  const { data } = await ask(() => files.read(part))
  const hash = createHash('sha256')
  await pipeline(data, hash).catch(() => {
    throw new IngotError('unavailable', {
      message: 'The file could not be read back. Try again in a moment.',
    })
  })
  return hash.digest('hex') === sha256 ? null : 'The file has another checksum than the one that was named.'
}

/** Every step may have been made before; null: the file is at its path. */
export async function place(
  files: MachineFiles,
  row: Pick<UploadRow, 'id' | 'path' | 'bytes' | 'replaces'>,
): Promise<string | null> {
  const [part, former] = [partOf(row), formerOf(row)]
  if (!(await look(files, part))) {
    const placed = await look(files, row.path)
    if (!placed || BigInt(placed.bytes) !== row.bytes)
      return 'What had come of this file was deleted from the disk.'
  } else {
    if (!(await assertFree(files, row.path, row.replaces))) {
      await ask(() => files.remove(former))
      await ask(() => files.rename(row.path, former))
    }
    await ask(() => files.rename(part, row.path))
  }
  if (row.replaces) await ask(() => files.remove(former))
  return null
}
