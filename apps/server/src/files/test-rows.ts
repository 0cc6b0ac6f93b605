import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { RowMakers } from '../http/test-owner.ts'
import { a40 } from '../instances/test-rows.ts'

export const rows: RowMakers = {
  // As it was begun; nobody works on it here.
  imports: async ({ client, db, id: userId }) => {
    const instance = await client.instances.create(a40({ start: false }))
    const id = randomUUID()
    await sql`insert into file_import (id, user_id, instance_id, path, replaces, url_sealed, url)
      values (${id}, ${userId}, ${instance.id}, '/workspace/file', false, 'sealed', 'https://example.com/file')`.execute(
      db,
    )
    return id
  },
  // As it was begun; without a machine there would be none.
  uploads: async ({ client, db, id: userId }) => {
    const instance = await client.instances.create(a40({ start: false }))
    const id = randomUUID()
    await sql`insert into file_upload (id, user_id, instance_id, path, bytes, replaces, expires_at)
      values (${id}, ${userId}, ${instance.id}, '/workspace/file', 10, false, now() + interval '1 day')`.execute(
      db,
    )
    return id
  },
}
