import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { endKey, noteKey } from './api-key.ts'

/** Ends the key; without one nothing happens. */
export async function revokeApiKey(
  tx: Tx,
  { clock }: { clock: Clock },
  userId: string,
  from: string,
): Promise<void> {
  const name = await endKey(tx, userId)
  if (name !== null) await noteKey(tx, userId, { type: 'api_key.revoked', name, from, at: clock.iso() })
}
