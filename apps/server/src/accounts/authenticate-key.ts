/**
 * API keys as bearers. A key is looked up by its hash for every call, together with the others of the same turn, and
 * never remembered: a key that was replaced, or whose owner was banned, is refused by the next call. Whoever holds it
 * is its owner without a second factor; the policy table says what a key may not do.
 */
import { apiKeyPrefix } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { readBearer } from '../auth/sessions/require-session.ts'
import { coalesce } from '../db/coalesce.ts'
import type { Database } from '../db/database.ts'
import type { Authenticate, KeyCaller } from '../http/bind.ts'
import { hashKey, keyForm } from './api-key.ts'

interface KeyRow extends Omit<KeyCaller, 'sessionId'> {
  readonly hash: string
  /** Not noted as used for a minute. */
  readonly quiet: boolean
}

const lookUp = `
  select encode(k.key_hash, 'base64') as hash, k.id as "keyId", k.user_id as "userId",
    k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as quiet,
    coalesce((select r.role from user_roles r where r.user_id = k.user_id), 'user') as role
  from api_keys k join auth_user u on u.id = k.user_id
  where k.key_hash = any(select decode(h, 'base64') from unnest($1::text[]) h) and k.is_active
    and not coalesce(u.banned_until > now(), false)`

/**
 * No call waits for it. Rows that somebody else holds are left for the next call. It has no name: once a minute and key
 * is too seldom for keeping a plan to pay.
 */
const noteUse = `
  update api_keys set last_used_at = now() where id in (
    select id from api_keys where id = any($1::uuid[]) and is_active
      and (last_used_at is null or last_used_at < now() - interval '1 minute')
    for no key update skip locked)`

/** Bearers that look like an API key are taken as one; `sessions` judges the rest. */
export function withApiKeys(sessions: Authenticate, { pool }: Pick<Database, 'pool'>): Authenticate {
  const keyOf = coalesce(async hashes => {
    const { rows } = await pool.query<KeyRow>({
      name: 'accounts.find-key-callers',
      text: lookUp,
      values: [hashes],
    })
    const quiet = rows.filter(row => row.quiet).map(row => row.keyId)
    if (quiet.length) pool.query(noteUse, [quiet]).catch(() => {})
    return new Map(rows.map(row => [row.hash, row]))
  })
  return async request => {
    const bearer = readBearer(request)
    if (!bearer?.startsWith(apiKeyPrefix)) return sessions(request)
    const row = keyForm.test(bearer) ? await keyOf(hashKey(bearer).toString('base64')) : undefined
    if (!row) throw new IngotError('not_authenticated')
    return { userId: row.userId, sessionId: null, keyId: row.keyId, role: row.role }
  }
}
