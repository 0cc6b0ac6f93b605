/** Rotates signing keys on its own: a look now and then is enough, since what is due is in the rows. */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import { advanceSigningKeys } from './signing-keys.ts'

interface RotationServices {
  readonly database: Database
  readonly vault: Vault
  readonly log: Logger
  readonly config: { readonly signingKeyDays: number }
}

const everyMs = 60_000

/** Returns what ends it and waits for the look in hand. */
export function startKeyRotation(
  { database, vault, log, config }: RotationServices,
  tokenSeconds: number,
): () => Promise<void> {
  const rules = { days: config.signingKeyDays, tokenSeconds }
  let looking = Promise.resolve()
  const look = () => {
    looking = advanceSigningKeys(database, vault, rules).catch(error =>
      log.error({ err: error }, 'signing keys were not rotated'),
    )
  }
  look()
  const timer = setInterval(look, everyMs)
  return async () => {
    clearInterval(timer)
    await looking
  }
}
