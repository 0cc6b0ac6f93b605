/**
 * One PostgreSQL for a whole test run, and a database migrated once that every test file copies. Runs before the
 * tests; durability is off because nothing here outlives the run, concurrency is as real as in production.
 */
import { mkdtemp, rm, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from './embedded.ts'
import { migrate } from './migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects to the maintenance database of the run's cluster. */
    clusterUrl: string
  }
}

export const templateName = 'ingot_template'

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-test-'))
  await chmod(dir, 0o711)
  const given = process.env['TEST_DATABASE_URL']
  const embedded = given
    ? null
    : await startEmbeddedPostgres({
        dir,
        settings: { fsync: 'off', synchronous_commit: 'off', max_connections: '300' },
      })
  const url = given ?? embedded!.url
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database if exists ${templateName} with (force)`)
  await client.query(`create database ${templateName}`)
  await client.end()
  await migrate(databaseUrl(url, templateName))
  project.provide('clusterUrl', url)
  return async () => {
    await embedded?.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

/** The same server, another database. */
export function databaseUrl(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}
