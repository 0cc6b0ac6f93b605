import { randomBytes } from 'node:crypto'
import { type ApiKey, apiKeyPrefix } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Clock } from '../db/clock.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { SessionCaller } from '../http/bind.ts'
import type { Vault } from '../vault.ts'
import { endKey, hashKey, keyColumns, noteKey, sealKey } from './api-key.ts'

const keyBytes = 32

/** The key before stops working with the commit. Of several calls at once, the last one's key works. */
export async function generateApiKey(
  tx: Tx,
  { clock, vault }: { clock: Clock; vault: Vault },
  { userId, sessionId }: SessionCaller,
  name: string,
  from: string,
): Promise<ApiKey & { key_value: string }> {
  await tx.selectFrom('auth_user').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  // The account's owner may have ended a stranger's session since this call began.
  const session = await tx
    .selectFrom('auth_session')
    .select('id')
    .where('id', '=', sessionId)
    .where('superseded_at', 'is', null)
    .executeTakeFirst()
  if (!session) throw new IngotError('not_authenticated')
  await endKey(tx, userId)
  const id = newId()
  const key_value = apiKeyPrefix + randomBytes(keyBytes).toString('base64url')
  const { rows } = await sql<ApiKey>`
    insert into api_keys (id, user_id, name, key_hash, key_sealed, last_four)
    values (${id}, ${userId}, ${name}, ${hashKey(key_value)}, ${sealKey(vault, id, key_value)}, ${key_value.slice(-4)})
    returning ${keyColumns}`.execute(tx)
  await noteKey(tx, userId, { type: 'api_key.generated', name, from, at: clock.iso() })
  return { ...rows[0]!, key_value }
}
