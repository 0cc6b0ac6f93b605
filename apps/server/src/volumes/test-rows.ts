import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { RowMakers } from '../http/test-owner.ts'

export const rows: RowMakers = {
  volumes: async ({ db, id: userId }) => {
    const id = randomUUID()
    await sql`insert into network_volumes (id, user_id, name, size_gb, region, driver, month_micro, created_at, updated_at)
      values (${id}, ${userId}, 'data', 10, 'US-East', 'simulated', 0, now(), now())`.execute(db)
    return id
  },
  snapshots: async ({ db, id: userId }) => {
    const id = randomUUID()
    await sql`insert into volume_snapshots (id, user_id, volume_id, volume_name, name, region, driver, size_gb, month_micro, created_at, updated_at)
      values (${id}, ${userId}, ${randomUUID()}, 'data', 'before', 'US-East', 'simulated', 10, 0, now(), now())`.execute(
      db,
    )
    return id
  },
}
