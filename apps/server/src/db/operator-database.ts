/**
 * The server's database for a program that an operator runs beside it, with the settings of the server. The PostgreSQL of
 * a server that runs is used and left alone; where none runs, it is started for as long as the program takes, and no
 * server starts on the data folder meanwhile.
 */
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../config/config-error.ts'
import type { Config } from '../config.ts'
import { type Database, openDatabase } from './database.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { lockDataDir } from './lock-data-dir.ts'

export async function withOperatorDatabase<T>(
  config: Config,
  program: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl) return connected(config.databaseUrl, program, work)
  assertDataFile(config, 'postgres-password')
  // As the server names it: the place of the socket goes by it.
  const dir = await realpath(config.dataDir)
  const unlock = await lockDataDir(dir).catch(() => null)
  try {
    const embedded = await startEmbeddedPostgres({ dir })
    try {
      return await connected(embedded.url, program, work)
    } finally {
      if (unlock) await embedded.stop()
    }
  } finally {
    await unlock?.()
  }
}

async function connected<T>(
  url: string,
  program: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(url, { max: 1, applicationName: `ingot ${program}` })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Refuses a folder without such a file: a wrong one would be filled with a cloud that nobody has. */
export function assertDataFile({ dataDir }: Config, name: string): void {
  if (existsSync(join(dataDir, name))) return
  throw new ConfigError(`${dataDir} has no ${name}. Set INGOT_DATA_DIR to the data folder of the server`)
}
