/** The link of the first mail was opened: the subscription begins. Opened again while it works, it says the same. */
import { IngotError } from '@ingot/contracts/errors'
import { unsubscribePath } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Tx } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import { queueMail } from '../worker/mail.ts'
import { subscribed } from './letters.ts'
import { hashToken, newToken } from './token.ts'

export async function confirmSubscription(
  tx: Tx,
  { config, vault }: { config: Pick<Config, 'publicUrl'>; vault: Vault },
  token: string,
): Promise<{ email: string }> {
  const { rows } = await sql<{ id: string; email: string; confirmed: boolean }>`
    select s.id, s.email, s.confirmed_at is not null as confirmed
    from site_subscription s join site_token t on t.subscription_id = s.id
    where t.hash = ${hashToken(token)} and t.purpose = 'confirm' and t.expires_at > now() and s.email is not null
    for update of s`.execute(tx)
  const subscription = rows[0]
  if (!subscription)
    throw new IngotError('not_found', {
      message: 'This link has expired or was never valid. Subscribe again',
    })
  const { id, email, confirmed } = subscription
  if (!confirmed) {
    await sql`update site_subscription set confirmed_at = now() where id = ${id}`.execute(tx)
    const endToken = await newToken(tx, id, 'end', null)
    const siteUrl = config.publicUrl
    const endLink = `${siteUrl}${unsubscribePath}?token=${endToken}`
    await queueMail(tx, vault, subscribed({ to: email, siteUrl }, endLink))
  }
  return { email }
}
