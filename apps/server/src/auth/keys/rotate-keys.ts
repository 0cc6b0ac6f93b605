/**
 * `node apps/server/src/auth/keys/rotate-keys.ts`, for an operator: begins a rotation of the key that signs access
 * tokens now rather than when it is due. Takes the server's settings (DATABASE_URL or INGOT_DATA_DIR, and
 * INGOT_SECRET). The server may run; the rest of the rotation is its worker's.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../config/config-error.ts'
import { type Config, readConfig } from '../../config.ts'
import { openDatabase } from '../../db/database.ts'
import { startEmbeddedPostgres } from '../../db/embedded.ts'
import { lockDataDir } from '../../db/lock-data-dir.ts'
import { openVault } from '../../vault.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { loadSigningKeys } from './signing-keys.ts'

async function rotate(config: Config, databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl, { max: 1, applicationName: 'ingot rotate-keys' })
  try {
    const vault = await openVault(config.secret, config.dataDir)
    // The new key could never be opened by a server with another secret.
    await loadSigningKeys(database, vault)
    const { kid, signsFrom } = await rotateSigningKey(database, vault)
    console.log(`Key ${kid} is published. The server signs with it from ${signsFrom.toISOString()} on.`)
  } finally {
    await database.close()
  }
}

/** The PostgreSQL of a server that runs is used and left alone. */
async function withDatabase(config: Config, work: (url: string) => Promise<void>): Promise<void> {
  if (!config.secret) assertFile(config, 'secret')
  if (config.databaseUrl) return work(config.databaseUrl)
  assertFile(config, 'postgres-password')
  const unlock = await lockDataDir(config.dataDir).catch(() => null)
  try {
    const embedded = await startEmbeddedPostgres({ dir: config.dataDir })
    try {
      await work(embedded.url)
    } finally {
      if (unlock) await embedded.stop()
    }
  } finally {
    await unlock?.()
  }
}

/** Refuses a folder without such a file: a wrong one would be filled with a cloud that nobody has. */
function assertFile({ dataDir }: Config, name: string): void {
  if (existsSync(join(dataDir, name))) return
  throw new ConfigError(`${dataDir} has no ${name}. Set INGOT_DATA_DIR to the data folder of the server`)
}

try {
  const config = readConfig(process.env)
  await withDatabase(config, url => rotate(config, url))
} catch (error) {
  console.error(`No key was made: ${(error as Error).message}.`.replace(/\.\.$/, '.'))
  process.exitCode = 1
}
