/** A database of a test file's own: copied from the migrated template in a few milliseconds, dropped at the end. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { databaseUrl, templateName } from './test-cluster.ts'

export interface TestDatabase extends Database, AsyncDisposable {}

export async function createTestDatabase(): Promise<TestDatabase> {
  const clusterUrl = inject('clusterUrl')
  const name = `t_${randomBytes(8).toString('hex')}`
  await asMaintenance(clusterUrl, `create database ${name} template ${templateName}`)
  const database = openDatabase(databaseUrl(clusterUrl, name))
  const close = async () => {
    await database.close()
    await asMaintenance(clusterUrl, `drop database ${name} with (force)`)
  }
  return { ...database, close, [Symbol.asyncDispose]: close }
}

async function asMaintenance(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Copies of one template exclude each other; test files start together.
    await client.query('select pg_advisory_lock(7146812)')
    await client.query(statement)
  } finally {
    await client.end()
  }
}
