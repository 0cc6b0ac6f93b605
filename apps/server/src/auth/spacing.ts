/** Pauses between messages to one address. They are the same for addresses without an account. All answer 429. */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { addressKey } from './addresses.ts'
import { AuthError } from './errors.ts'
import type { LimitNeeds } from './limits.ts'
import type { Places } from './visitor.ts'

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
  const { rows } = await sql<{ left: number }>`
    select auth_claim_sending(${`${call}:${addressKey(email)}`}, ${needs.settings.mailSpacingSeconds}, '{}') as left`.execute(
    tx,
  )
  const { left } = rows[0]!
  if (left > 0) throw tooSoon('over_email_send_rate_limit', left)
}

/**
 * Takes the next slot for a message to this phone, whatever it is for, until `releaseSms`. `places`: where it was asked
 * from; who types its code there is taken for its owner.
 */
export async function claimSms(needs: LimitNeeds, phone: string, places: Places): Promise<void> {
  await claimPhone(needs, phone, places, true)
}

/** For an answer that looks as if a message went out: whoever asked waits as for one, and nobody else. */
export async function claimNoSms(needs: LimitNeeds, phone: string, places: Places): Promise<void> {
  await claimPhone(needs, phone, places, false)
}

/** Frees the slot: nothing was sent after all. */
export async function releaseSms({ database }: Pick<LimitNeeds, 'database'>, phone: string): Promise<void> {
  await database.kysely.deleteFrom('auth_sending').where('key', '=', smsKey(phone)).execute()
}

export const smsKey = (phone: string): string => `sms:${addressKey(phone)}`

async function claimPhone(
  { database, settings }: LimitNeeds,
  phone: string,
  places: Places,
  sends: boolean,
): Promise<void> {
  const { rows } = await sql<{ left: number }>`
    select auth_claim_sms(${smsKey(phone)}, ${settings.smsSpacingSeconds}, array_remove(${places}::text[], null), ${sends})
      as left`.execute(database.kysely)
  const { left } = rows[0]!
  if (left > 0) throw tooSoon('over_sms_send_rate_limit', left)
}
