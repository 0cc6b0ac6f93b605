import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { functionsFile, readFunctions } from './functions.ts'
import { createTestDatabase } from './test-database.ts'

test('functions.sql is the text in force', async () => {
  await using database = await createTestDatabase()
  const inForce = await readFunctions(database.kysely)
  const written = await readFile(functionsFile, 'utf8').catch(() => '')
  expect(written, 'apps/server/functions.sql is stale. Make it again: npm run functions').toBe(inForce)
})

test('it holds functions, triggers and domains, each with what its last migration says of it', async () => {
  await using database = await createTestDatabase()
  const text = await readFunctions(database.kysely)
  expect(text).toContain(
    '-- 0083_review.sql\n-- The deposit that is to be decided about, under the lock of its wallet',
  )
  expect(text).toMatch(/^CREATE OR REPLACE FUNCTION public\.settle_wallets\(.*\)$/m)
  expect(text).toMatch(/^CREATE TRIGGER append_only BEFORE .* ON public\.ledger_transfer .*;$/m)
  expect(text).toMatch(
    /^CREATE DOMAIN public\.ledger_code AS text\n {2}CONSTRAINT \w+ CHECK .*'deposit'.*;$/m,
  )
})
