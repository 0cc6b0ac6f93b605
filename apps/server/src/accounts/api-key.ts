/**
 * The API key of a user: at most one works at a time. Looked up by its hash; a sealed copy lets its owner see it again,
 * in a signed-in browser only. Making, showing and ending it are facts of the activity log.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type ApiKey, apiKeyPrefix } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import type { Vault } from '../vault.ts'
import type { AccountServices } from './services.ts'

const keyBytes = 32
export const keyForm = new RegExp(`^${apiKeyPrefix}[A-Za-z0-9_-]{43}$`)
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

type Services = Pick<AccountServices, 'vault' | 'clock'>

const columns = sql<ApiKey>`id, name, ${`${apiKeyPrefix}…`} || last_four as masked, created_at, last_used_at`

export async function getApiKey(db: Db | Tx, userId: string): Promise<ApiKey | null> {
  const { rows } = await sql<ApiKey>`
    select ${columns} from api_keys where user_id = ${userId} and is_active`.execute(db)
  return rows[0] ?? null
}

/** The key before stops working with the commit. Of several calls at once, the last one's key works. */
export async function generateApiKey(
  tx: Tx,
  { vault, clock }: Services,
  userId: string,
  name: string,
  from: string,
): Promise<ApiKey & { key_value: string }> {
  await sql`select 1 from auth_user where id = ${userId} for no key update`.execute(tx)
  await endKey(tx, userId)
  const id = newId()
  const key_value = apiKeyPrefix + randomBytes(keyBytes).toString('base64url')
  const { rows } = await sql<ApiKey>`
    insert into api_keys (id, user_id, name, key_hash, key_sealed, last_four)
    values (${id}, ${userId}, ${name}, ${hashKey(key_value)}, ${sealKey(vault, id, key_value)}, ${key_value.slice(-4)})
    returning ${columns}`.execute(tx)
  await note(tx, userId, clock.iso(), 'api_key.generated', name, from)
  return { ...rows[0]!, key_value }
}

export async function revealApiKey(
  tx: Tx,
  { vault, clock }: Services,
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
  await note(tx, userId, clock.iso(), 'api_key.revealed', key.name, from)
  return { key_value: vault.open(key.key_sealed!, contextOf(key.id)).toString() }
}

export async function revokeApiKey(tx: Tx, { clock }: Services, userId: string, from: string): Promise<void> {
  const name = await endKey(tx, userId)
  if (name !== null) await note(tx, userId, clock.iso(), 'api_key.revoked', name, from)
}

/** The sealed copy goes with it: an old key can neither be used nor seen. */
async function endKey(tx: Tx, userId: string): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    update api_keys set is_active = false, key_sealed = null where user_id = ${userId} and is_active
    returning name`.execute(tx)
  return rows[0]?.name ?? null
}

const contextOf = (id: string): string => `api-key:${id}`
const sealKey = (vault: Vault, id: string, key: string): Buffer => vault.seal(key, contextOf(id))

const note = (tx: Tx, userId: string, at: string, type: string, name: string, from: string): Promise<void> =>
  appendEvent(tx, { userId, type, at, data: { message: `${name}, from ${from}` } })
