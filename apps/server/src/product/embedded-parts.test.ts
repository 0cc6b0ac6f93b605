import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../db/test-database.ts'
import { holdEmbeddedParts } from './embedded-parts.ts'
import { until } from './test-server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ as: 'owner' })
})
afterAll(() => database.close())

const holders = async () =>
  (
    await database.pool.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
  ).rows.map(({ pid }) => pid)

test('one server at a time has them, and the next when it has ended', async () => {
  const release = await holdEmbeddedParts(database.url)
  await expect(holdEmbeddedParts(database.url)).rejects.toThrow(/Stop it, or start this one with INGOT_ROLE/)
  await release()
  const releaseNext = await holdEmbeddedParts(database.url)
  await releaseNext()
  await until(holders, pids => pids.length === 0)
})

test('a database that went away gives them back to who had them', async () => {
  const release = await holdEmbeddedParts(database.url)
  const [pid] = await holders()
  await database.pool.query('select pg_terminate_backend($1)', [pid])
  await until(holders, pids => pids.length === 1 && pids[0] !== pid)
  await release()
})
