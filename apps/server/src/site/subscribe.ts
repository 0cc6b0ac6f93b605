/**
 * A subscription to the blog is asked for here and begins when the link in the mail was opened: only its reader can say
 * that the address is theirs. An address gets one such mail a day, and the answer never tells whether it is subscribed.
 */
import { subscribePath } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { Vault } from '../vault.ts'
import { queueMail } from '../worker/mail.ts'
import { confirmSubscription } from './letters.ts'
import { sentBefore } from './limits.ts'
import { newToken } from './token.ts'

const confirmDays = 3

/** What `sentBefore` knows the request by. */
export const askedFor = (email: string) => ['subscribe', email] as const

export async function subscribe(
  tx: Tx,
  { config, vault }: { config: Pick<Config, 'publicUrl'>; vault: Vault },
  typedEmail: string,
): Promise<void> {
  const email = typedEmail.toLowerCase()
  if (await sentBefore(tx, ...askedFor(email))) return
  const { rows } = await sql<{ id: string; confirmed: boolean }>`
    insert into site_subscription as s (id, email) values (${newId()}, ${email})
    on conflict (email) where email is not null do update set email = s.email
    returning id, confirmed_at is not null as confirmed`.execute(tx)
  const { id, confirmed } = rows[0]!
  if (confirmed) return
  const token = await newToken(tx, id, 'confirm', confirmDays)
  const siteUrl = config.publicUrl
  const link = `${siteUrl}${subscribePath}?token=${token}`
  await queueMail(tx, vault, confirmSubscription({ to: email, siteUrl }, link, confirmDays))
}
