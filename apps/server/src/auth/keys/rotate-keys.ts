/**
 * `node apps/server/src/auth/keys/rotate-keys.ts`, for an operator: begins a rotation of the key that signs access
 * tokens now rather than when it is due. Takes the server's settings (DATABASE_URL or INGOT_DATA_DIR, and
 * INGOT_SECRET). The server may run; the rest of the rotation is its worker's.
 */
import { type Config, readConfig } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { assertDataFile, withOperatorDatabase } from '../../db/operator-database.ts'
import { openVault } from '../../vault.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { loadSigningKeys } from './signing-keys.ts'

async function rotate(config: Config, database: Database): Promise<void> {
  const vault = await openVault(config.secret, config.dataDir)
  // The new key could never be opened by a server with another secret.
  await loadSigningKeys(database, vault)
  const { kid, signsFrom } = await rotateSigningKey(database, vault)
  console.log(`Key ${kid} is published. The server signs with it from ${signsFrom.toISOString()} on.`)
}

try {
  const config = readConfig(process.env)
  if (!config.secret) assertDataFile(config, 'secret')
  await withOperatorDatabase(config, 'rotate-keys', database => rotate(config, database))
} catch (error) {
  console.error(`No key was made: ${(error as Error).message}.`.replace(/\.\.$/, '.'))
  process.exitCode = 1
}
