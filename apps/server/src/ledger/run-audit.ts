/**
 * `npm run audit`, for an operator: derives all money again and prints what does not agree. Exit code 0 and `0 findings`,
 * else 1 and each finding. Takes the server's settings (DATABASE_URL or INGOT_DATA_DIR). The server may run.
 */
import { readConfig } from '../config.ts'
import { assertMigrated } from '../db/migrate.ts'
import { withOperatorDatabase } from '../db/operator-database.ts'
import { auditLedger } from './audit.ts'

try {
  const found = await withOperatorDatabase(readConfig(process.env), 'audit', async ({ kysely, pool }) => {
    await assertMigrated(pool)
    return auditLedger(kysely, null)
  })
  for (const { rule, detail } of found) console.log(`${rule}: ${detail}`)
  console.log(`${found.length} ${found.length === 1 ? 'finding' : 'findings'}`)
  if (found.length) process.exitCode = 1
} catch (error) {
  console.error(`The audit did not run: ${(error as Error).message}.`.replace(/\.\.$/, '.'))
  process.exitCode = 1
}
