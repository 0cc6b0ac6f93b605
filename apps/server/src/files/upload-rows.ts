/** Uploads as they are stored, and as they are shown. */
import { IngotError } from '@ingot/contracts/errors'
import { type Upload, uploadIdleHours } from '@ingot/contracts/files'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { FilesTables } from '../db/tables/files.ts'

export type UploadRow = Selectable<FilesTables['file_upload']>

export const expiry = () => sql<string>`now() + ${uploadIdleHours} * interval '1 hour'`

export async function findUpload(db: Db, userId: string, id: string): Promise<UploadRow> {
  return db
    .selectFrom('file_upload')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow(() => new IngotError('not_found'))
}

export const shownUpload = (row: UploadRow): Upload => ({
  id: row.id,
  instance_id: row.instance_id,
  volume_id: row.volume_id,
  path: row.path,
  bytes: Number(row.bytes),
  received_bytes: Number(row.received_bytes),
  state: row.state === 'placing' ? 'open' : row.state,
  message: row.message,
  created_at: row.created_at,
  expires_at: row.expires_at,
})

/** What comes to a path of a disk. */
type Placed = Pick<UploadRow, 'id' | 'path'>

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
/** Beside the file that it becomes, and so on the same disk. */
export const partOf = ({ id, path }: Placed): string => `${folderOf(path)}.${id}.ingot-part`
/** Where what was at the path stands while another file takes its place. */
export const formerOf = ({ id, path }: Placed): string => `${folderOf(path)}.${id}.ingot-former`

/** The folder of a path, and why no file can have it. */
export function readTarget(path: string): { readonly folder: string } {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === '' || name === '.' || name === '..')
    throw new IngotError('validation_failed', { fields: { path: 'does not end with the name of a file' } })
  return { folder: folderOf(path) }
}
