/** Makes a code and queues the mail with its link, in the transaction that asked for it. */
import type { Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { type Letter, queueMail } from '../../worker/mail.ts'
import type { LinkMail } from '../letters/letters.ts'
import { takeMail } from '../limits.ts'
import type { AuthSettings } from '../settings.ts'
import { makeLink, type NewLink } from './make-link.ts'

export interface LinkNeeds {
  readonly settings: AuthSettings
  readonly vault: Vault
  readonly siteUrl: string
}

export interface Mailing extends NewLink {
  letter(mail: LinkMail): Letter
}

export async function mailLink(tx: Tx, needs: LinkNeeds, mailing: Mailing): Promise<void> {
  await takeMail(tx, needs)
  const { link, expiresAt } = await makeLink(tx, needs, mailing)
  const host = new URL(needs.siteUrl).host
  await queueMail(tx, needs.vault, mailing.letter({ to: mailing.to, link, expiresAt, host }))
}
