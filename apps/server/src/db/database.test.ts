import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inTransaction } from './database.ts'
import { createTestDatabase } from './test-database.ts'

test('a connection that breaks while a transaction waits for its next statement fails that transaction and no more', async () => {
  await using database = await createTestDatabase()
  const cut = inTransaction(database.kysely, async tx => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await sql`select pg_terminate_backend(${rows[0]!.pid}, 5000)`.execute(database.kysely)
    await new Promise(resolve => setImmediate(resolve))
    await sql`select 1`.execute(tx)
  })
  await expect(cut).rejects.toThrow(/terminat|connection|queryable/i)
  expect((await sql<{ one: number }>`select 1 as one`.execute(database.kysely)).rows).toEqual([{ one: 1 }])
})

test('an installation keeps its id', async () => {
  await using database = await createTestDatabase({ as: 'owner' })
  for (const statement of [
    'update installation set id = gen_random_uuid()',
    'delete from installation',
    'truncate installation',
  ])
    await expect(sql.raw(statement).execute(database.kysely)).rejects.toThrow('append-only')
})
