import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { newId } from '../db/ids.ts'
import { migrate } from '../db/migrate.ts'
import { createOlderDatabase, createTestDatabase } from '../db/test-database.ts'

const program = fileURLToPath(new URL('run-audit.ts', import.meta.url))

/** What it printed, and its exit code. */
const run = (env: Record<string, string>): Promise<{ code: number; lines: string[] }> =>
  new Promise(resolve => {
    const { DATABASE_URL: _, INGOT_DATA_DIR: __, ...rest } = process.env
    execFile(process.execPath, [program], { env: { ...rest, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, lines: `${stdout}${stderr}`.trim().split('\n') }),
    )
  })

test('a ledger that adds up has 0 findings, one that was tampered with has each of them and exit code 1', async () => {
  await using database = await createTestDatabase({ as: 'owner' })
  const users = Array.from({ length: 25 }, () => newId())
  for (const id of users) {
    await sql`insert into auth_user (id) values (${id})`.execute(database.kysely)
    await sql`select credit_wallet(${id}, 5, 'Gift', ${newId()}, now())`.execute(database.kysely)
  }
  expect(await run({ DATABASE_URL: database.url })).toEqual({ code: 0, lines: ['0 findings'] })
  await sql`update ledger_account set balance_micro = 6 where owner is not null`.execute(database.kysely)
  const { code, lines } = await run({ DATABASE_URL: database.url })
  expect(code).toBe(1)
  const wrong = lines.filter(line =>
    line.startsWith('a live balance is the sum of its transfers: wallet account '),
  )
  expect(wrong).toHaveLength(users.length)
  expect(lines.at(-1)).toBe(`${lines.length - 1} findings`)
})

test('a database of another version is not judged', async () => {
  await using database = await createOlderDatabase('0030')
  expect(await run({ DATABASE_URL: database.url })).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(
        /^The audit did not run: the database is older than this checkout: it lacks 0030_/,
      ),
    ],
  })
})

test('the PostgreSQL of a data folder is started for it and stopped again; one that runs is left alone', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ingot-audit-'))
  const env = { INGOT_DATA_DIR: dir }
  try {
    expect(await run(env)).toMatchObject({
      code: 1,
      lines: [expect.stringContaining('has no postgres-password')],
    })
    await chmod(dir, 0o711)
    const embedded = await startEmbeddedPostgres({ dir, settings: { fsync: 'off' } })
    await migrate(embedded.url)
    const pidFile = join(dir, 'postgres/postmaster.pid')
    await embedded.stop()
    expect(await run(env)).toEqual({ code: 0, lines: ['0 findings'] })
    expect(existsSync(pidFile)).toBe(false)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
