/** The link of any later mail: the subscription ends and the address is erased. Opened again it says the same. */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { forgetSent } from './limits.ts'
import { askedFor } from './subscribe.ts'
import { hashToken } from './token.ts'

export async function endSubscription(tx: Tx, token: string): Promise<void> {
  const { rows } = await sql<{ id: string; email: string | null }>`
    select s.id, s.email from site_subscription s join site_token t on t.subscription_id = s.id
    where t.hash = ${hashToken(token)} and t.purpose = 'end' for update of s`.execute(tx)
  const subscription = rows[0]
  if (!subscription) throw new IngotError('not_found', { message: 'This link was never valid' })
  if (subscription.email === null) return
  await sql`update site_subscription set email = null, ended_at = now() where id = ${subscription.id}`.execute(
    tx,
  )
  await forgetSent(tx, ...askedFor(subscription.email))
}
