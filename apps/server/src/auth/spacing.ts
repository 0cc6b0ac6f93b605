/** Pauses between messages to one address. They are the same for addresses without an account. All answer 429. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { addressKey } from './addresses.ts'
import { AuthError } from './errors.ts'
import type { LimitNeeds } from './limits.ts'

export function assertMailSpacing(
  { settings }: Pick<LimitNeeds, 'settings'>,
  lastSentAt: string | null,
): void {
  if (!lastSentAt) return
  const left = Math.ceil((Date.parse(lastSentAt) + settings.mailSpacingSeconds * 1000 - Date.now()) / 1000)
  if (left > 0) throw tooSoon('over_email_send_rate_limit', left)
}

const tooSoon = (code: 'over_email_send_rate_limit' | 'over_sms_send_rate_limit', seconds: number) =>
  new AuthError(429, code, `For security purposes, you can only request this after ${seconds} seconds.`)

/** A call that mails to an address on anybody's word. */
export type MailedCall = 'otp' | 'recover' | 'resend:signup' | 'resend:email_change'

/**
 * Takes the next slot for a mail to this address before it is known whether anybody has it, so that the pause does not
 * tell. The slot is free again when the transaction is undone.
 */
export async function claimMail(
  tx: Tx,
  needs: Pick<LimitNeeds, 'settings'>,
  call: MailedCall,
  email: string,
): Promise<void> {
  const left = await claim(tx, `${call}:${addressKey(email)}`, needs.settings.mailSpacingSeconds)
  if (left > 0) throw tooSoon('over_email_send_rate_limit', left)
}

/** Takes the next slot for a message to this phone, whatever it is for, until `releaseSms`. */
export async function claimSms({ database, settings }: LimitNeeds, phone: string): Promise<void> {
  const left = await claim(database.kysely, smsKey(phone), settings.smsSpacingSeconds)
  if (left > 0) throw tooSoon('over_sms_send_rate_limit', left)
}

/** Frees the slot: nothing was sent after all. */
export async function releaseSms({ database }: Pick<LimitNeeds, 'database'>, phone: string): Promise<void> {
  await database.kysely.deleteFrom('auth_sending').where('key', '=', smsKey(phone)).execute()
}

const smsKey = (phone: string) => `sms:${addressKey(phone)}`

async function claim(db: Db | Tx, key: string, seconds: number): Promise<number> {
  const { rows } = await sql<{ left: number }>`select auth_claim_sending(${key}, ${seconds}) as left`.execute(
    db,
  )
  return rows[0]!.left
}
