import { IngotError } from '@ingot/contracts/errors'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import { noteKey, openKey } from './api-key.ts'

/** Shows the key to its owner again. */
export async function revealApiKey(
  tx: Tx,
  { clock, vault }: { clock: Clock; vault: Vault },
  userId: string,
  from: string,
): Promise<{ key_value: string }> {
  const key = await tx
    .selectFrom('api_keys')
    .select(['id', 'name', 'key_sealed'])
    .where('user_id', '=', userId)
    .where('is_active', '=', true)
    .executeTakeFirst()
  if (!key) throw new IngotError('not_found')
  await noteKey(tx, userId, { type: 'api_key.revealed', name: key.name, from, at: clock.iso() })
  return { key_value: openKey(vault, key.id, key.key_sealed!) }
}
