/** Every read of SSH keys by their owner. */
import { IngotError } from '@ingot/contracts/errors'
import type { SshKey } from '@ingot/contracts/ssh'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'

const columns = sql`id, name, type, fingerprint, type || ' ' || translate(encode(public_key, 'base64'), E'\n', '') as public_key,
  created_at, last_used_at`

const keys = async (db: Db | Tx, userId: string, which: RawBuilder<unknown>): Promise<SshKey[]> =>
  (
    await sql<SshKey>`select ${columns} from ssh_key where user_id = ${userId} and ${which} order by id desc`.execute(
      db,
    )
  ).rows

export const listKeys = (db: Db, userId: string): Promise<SshKey[]> => keys(db, userId, sql`true`)

export async function getKey(db: Db | Tx, userId: string, id: string): Promise<SshKey> {
  const [key] = await keys(db, userId, sql`id = ${id}`)
  if (!key) throw new IngotError('not_found')
  return key
}
