/** A database of a test's own, dropped at the end: as it is now, or as an earlier version made it. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { readMigrations } from './migrate.ts'
import { databaseUrl, templateName } from './test-cluster.ts'

export interface TestDatabase extends Database, AsyncDisposable {}

/** Copied from the migrated template in a few milliseconds. */
export const createTestDatabase = (): Promise<TestDatabase> => create(`template ${templateName}`)

/** With the migrations before `name` (`0033`) and none since; `migrate` does the rest. */
export async function createOlderDatabase(name: string): Promise<TestDatabase> {
  const database = await create('')
  const { pool } = database
  await pool.query(
    'create table schema_migration (name text primary key, hash text not null, applied_at timestamptz default now())',
  )
  for (const migration of await readMigrations()) {
    if (migration.name >= name) break
    await pool.query(migration.sql)
    await pool.query('insert into schema_migration values ($1, $2)', [migration.name, migration.hash])
  }
  return database
}

async function create(from: string): Promise<TestDatabase> {
  const clusterUrl = inject('clusterUrl')
  const name = `t_${randomBytes(8).toString('hex')}`
  await asMaintenance(clusterUrl, `create database ${name} ${from}`)
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
