/**
 * What the auth service does on its own: rotates signing keys, whose due dates are in their rows, and sweeps its
 * limits.
 */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import type { Running } from '../worker/running.ts'
import { advanceSigningKeys } from './keys/advance-signing-keys.ts'

interface UpkeepNeeds {
  readonly database: Database
  readonly vault: Vault
  readonly log: Logger
  readonly config: { readonly signingKeyDays: number }
}

const everyMs = 60_000
/** Rounds; the first one counts. What is swept is a day old. */
const sweepEvery = 60

export function startUpkeep({ database, vault, log, config }: UpkeepNeeds, tokenSeconds: number): Running {
  const rules = { days: config.signingKeyDays, tokenSeconds }
  let rounds = 0
  let inHand = Promise.resolve()
  async function round() {
    await advanceSigningKeys(database, vault, rules)
    if (rounds++ % sweepEvery === 0) await sql`select auth_sweep()`.execute(database.kysely)
  }
  const begin = () => {
    inHand = round().catch(error => log.error({ err: error }, 'upkeep of the auth service failed'))
  }
  begin()
  const timer = setInterval(begin, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await inHand
    },
  }
}
