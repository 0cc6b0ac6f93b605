/** Imports as they are stored, and as they are shown. */
import { IngotError } from '@ingot/contracts/errors'
import type { FileImport } from '@ingot/contracts/files'
import type { Selectable } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { FilesTables } from '../../db/tables/files.ts'
import type { Holder } from '../holder.ts'

export type ImportRow = Selectable<FilesTables['file_import']>

export const underWay = ['waiting', 'running', 'placing'] as const

/** What its address is sealed for. */
export const urlContext = (id: string): string => `file-import:${id}`

const shown = (row: ImportRow): FileImport => ({
  id: row.id,
  instance_id: row.instance_id,
  volume_id: row.volume_id,
  url: row.url,
  path: row.path,
  state: row.state === 'placing' ? 'running' : row.state,
  message: row.message,
  received_bytes: Number(row.received_bytes),
  total_bytes: row.total_bytes === null ? null : Number(row.total_bytes),
  sha256: row.sha256,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

export async function getImport(db: Db, userId: string, id: string): Promise<FileImport> {
  const row = await db
    .selectFrom('file_import')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('is_off_list', '=', false)
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  return shown(row)
}

/** At most as many as one account may begin within a day, and most of them have ended. */
const mostListed = 200

export async function listImports(
  db: Db,
  userId: string,
  { instance_id, volume_id }: Holder,
): Promise<FileImport[]> {
  const holder = instance_id ?? volume_id!
  const owned = await db
    .selectFrom(instance_id === null ? 'network_volumes' : 'gpu_instances')
    .select('id')
    .where('id', '=', holder)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!owned) throw new IngotError('not_found')
  const rows = await db
    .selectFrom('file_import')
    .selectAll()
    .where('user_id', '=', userId)
    .where(instance_id === null ? 'volume_id' : 'instance_id', '=', holder)
    .where('is_off_list', '=', false)
    .orderBy('id', 'desc')
    .limit(mostListed)
    .execute()
  return rows.toReversed().map(shown)
}
