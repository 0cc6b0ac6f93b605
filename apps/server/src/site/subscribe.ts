/**
 * A subscription to the blog is asked for here and begins when the link in the mail was opened: only its reader can say
 * that the address is theirs. An address gets one such mail a day, and the answer never tells whether it is subscribed.
 */
import { createHash, randomBytes } from 'node:crypto'
import { subscribePath } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { queueMail } from '../worker/mail.ts'
import { confirmSubscription } from './letters.ts'
import { sentBefore } from './limits.ts'
import type { SiteServices } from './services.ts'

const confirmDays = 3
const tokenBytes = 24

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
/** What `sentBefore` knows the request by. */
export const askedFor = (email: string) => ['subscribe', email] as const

export async function subscribe(tx: Tx, { config, vault }: SiteServices, typedEmail: string): Promise<void> {
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

/** A token that only its mail holds; here is its hash. */
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
