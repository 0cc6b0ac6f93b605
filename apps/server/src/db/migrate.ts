/**
 * Forward-only migrations: `migrations/NNNN_name.sql`, each in one transaction, each once, in order. A file that was
 * applied may never change; a database newer than this checkout is refused. Safe to run from many processes at once.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

const folder = new URL('../../migrations/', import.meta.url)
/** Held by whoever changes the schema or its rights. */
export const schemaLock = 7_146_811

export interface Migration {
  readonly name: string
  readonly sql: string
  readonly hash: string
}

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async name => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { name, sql, hash: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/** Applies what is missing and returns the names applied. Throws with a plain sentence when it must not go on. */
export async function migrate(url: string): Promise<string[]> {
  const migrations = await readMigrations()
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [schemaLock])
    await client.query(
      'create table if not exists schema_migration (name text primary key, hash text not null, applied_at timestamptz not null default now())',
    )
    const missing = await missingOf(client, migrations)
    for (const migration of missing) await apply(client, migration)
    return missing.map(migration => migration.name)
  } finally {
    await client.end()
  }
}

/** For a program that migrates nothing. Throws with a plain sentence when the database is not of this checkout. */
export async function assertMigrated(db: pg.Pool): Promise<void> {
  const [first] = await missingOf(db, await readMigrations())
  if (first)
    throw new Error(
      `the database is older than this checkout: it lacks ${first.name}. Start the server once, which migrates it`,
    )
}

async function missingOf(db: pg.Client | pg.Pool, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await db.query<{ name: string; hash: string }>('select name, hash from schema_migration')
  const applied = new Map(rows.map(row => [row.name, row.hash]))
  assertKnown(migrations, applied)
  return migrations.filter(migration => !applied.has(migration.name))
}

function assertKnown(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const hashes = new Map(migrations.map(migration => [migration.name, migration.hash]))
  for (const [name, hash] of applied) {
    if (!hashes.has(name))
      throw new Error(`the database is newer than this checkout: it has ${name}. Update the checkout`)
    if (hashes.get(name) !== hash)
      throw new Error(`migration ${name} was changed after it was applied. Restore the file`)
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migration (name, hash) values ($1, $2)', [
      migration.name,
      migration.hash,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`migration ${migration.name}: ${(error as Error).message}`, { cause: error })
  }
}
