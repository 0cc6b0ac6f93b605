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
import { openServerRole } from './server-role.ts'
import { withDatabase } from './url.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects to the maintenance database of the run's cluster. */
    clusterUrl: string
    /** Connects to the template, as the role of the server. */
    serverUrl: string
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
  const stop = async () => {
    await embedded?.stop()
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const url = given ?? embedded!.url
    project.provide('clusterUrl', url)
    project.provide('serverUrl', await makeTemplate(url))
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns how the server connects to it. */
async function makeTemplate(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`drop database if exists ${templateName} with (force)`)
  await client.query(`create database ${templateName}`)
  await client.end()
  const template = withDatabase(url, templateName)
  await migrate(template)
  return (await openServerRole(template, 'test')).url
}
