/**
 * A database of a test's own, dropped at the end: as it is now, or as an earlier version made it. The product's way to
 * it is that of the server (`server-role.ts`); `owner` is the way of operators, and of whoever tampers.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { readMigrations } from './migrate.ts'
import { openServerRole, rolesOf } from './server-role.ts'
import { templateName } from './test-cluster.ts'
import { withDatabase } from './url.ts'

export interface TestDatabase extends Database, AsyncDisposable {
  readonly owner: Database
}

/** Copied from the migrated template in a few milliseconds. `as` its owner where a test is about SQL alone. */
export async function createTestDatabase({
  as = 'server',
}: { as?: 'server' | 'owner' } = {}): Promise<TestDatabase> {
  const name = newName()
  const database = await create(name, `template ${templateName}`)
  return as === 'owner' ? database : through(withDatabase(inject('serverUrl'), name), database)
}

/** With the migrations before `name` (`0033`) and none since, as its owner; `migrate` does the rest. */
export async function createOlderDatabase(name: string): Promise<TestDatabase> {
  const database = await create(newName(), '')
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

/** One that was migrated by the test, as the server opens it. */
export async function openAsServer(database: TestDatabase): Promise<TestDatabase> {
  return through((await openServerRole(database.url, 'test')).url, database)
}

const newName = () => `t_${randomBytes(8).toString('hex')}`

async function create(name: string, from: string): Promise<TestDatabase> {
  const clusterUrl = inject('clusterUrl')
  await maintain(clusterUrl, `create database ${name} ${from}`)
  const owner = openDatabase(withDatabase(clusterUrl, name))
  const close = async () => {
    await owner.close()
    const { money, server } = rolesOf(name)
    await maintain(
      clusterUrl,
      `drop database ${name} with (force)`,
      `drop role if exists ${money}, ${server}`,
    )
  }
  return { ...owner, owner, close, [Symbol.asyncDispose]: close }
}

function through(url: string, { owner, close: drop }: TestDatabase): TestDatabase {
  const server = openDatabase(url)
  const close = async () => {
    await server.close()
    await drop()
  }
  return { ...server, owner, close, [Symbol.asyncDispose]: close }
}

async function maintain(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Copies of one template exclude each other; test files start together.
    await client.query('select pg_advisory_lock(7146812)')
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
