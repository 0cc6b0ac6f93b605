/** The tokens in the links of a subscription's mails. Only the mail holds the token; its hash is stored. */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

const tokenBytes = 24

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

export async function newToken(
  tx: Tx,
  subscriptionId: string,
  purpose: 'confirm' | 'end',
  days: number | null,
): Promise<string> {
  const token = randomBytes(tokenBytes).toString('base64url')
  await sql`
    insert into site_token (hash, subscription_id, purpose, expires_at)
    values (${hashToken(token)}, ${subscriptionId}, ${purpose}, now() + ${days}::int * interval '1 day')`.execute(
    tx,
  )
  return token
}
