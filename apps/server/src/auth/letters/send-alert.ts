/**
 * Sends the owner of an account an alert, in the transaction that does what it tells. An owner without an address gets
 * none.
 */
import type { Db, Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { type Letter, queueMail } from '../../worker/mail.ts'
import type { Alert } from './alerts.ts'

export interface AlertNeeds {
  readonly vault: Vault
  /** Origin of the site, without a trailing slash. */
  readonly siteUrl: string
}

export async function sendAlert(
  tx: Tx | Db,
  { vault, siteUrl }: AlertNeeds,
  to: string | null,
  letter: (alert: Alert) => Letter,
): Promise<void> {
  if (to) await queueMail(tx, vault, letter({ to, siteUrl, at: new Date() }))
}
