/**
 * The API key of a user: at most one works at a time. It is looked up by its hash; a sealed copy lets its owner see it
 * again, in a signed-in browser only. Making, showing and ending it are facts of the activity log.
 */
import { createHash } from 'node:crypto'
import { type ApiKey, apiKeyPrefix } from '@ingot/contracts/accounts'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { Vault } from '../vault.ts'

export const keyForm = new RegExp(`^${apiKeyPrefix}[A-Za-z0-9_-]{43}$`)
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** As its owner sees it. */
export const keyColumns = sql<ApiKey>`id, name, ${`${apiKeyPrefix}…`} || last_four as masked, created_at, last_used_at`

const contextOf = (id: string): string => `api-key:${id}`
export const sealKey = (vault: Vault, id: string, key: string): Buffer => vault.seal(key, contextOf(id))
export const openKey = (vault: Vault, id: string, sealed: Buffer): string =>
  vault.open(sealed, contextOf(id)).toString()

/**
 * Ends the key that works now and returns its name. The sealed copy goes with it: an old key can neither be used nor
 * seen.
 */
export async function endKey(tx: Tx, userId: string): Promise<string | null> {
  const ended = await tx
    .updateTable('api_keys')
    .set({ is_active: false, key_sealed: null })
    .where('user_id', '=', userId)
    .where('is_active', '=', true)
    .returning('name')
    .executeTakeFirst()
  return ended?.name ?? null
}

export interface KeyFact {
  readonly type: 'api_key.generated' | 'api_key.revealed' | 'api_key.revoked'
  readonly name: string
  /** The address that asked. */
  readonly from: string
  readonly at: string
}

export const noteKey = (tx: Tx, userId: string, { type, name, from, at }: KeyFact): Promise<void> =>
  appendEvent(tx, { userId, type, at, data: { message: `${name}, from ${from}` } })
