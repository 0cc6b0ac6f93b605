/**
 * Sends a code to a phone. First the slot is taken, then the message sent, then the code kept with whatever the caller
 * writes: when it cannot be sent, nothing has changed and the slot is free again.
 */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { claimSms, releaseSms } from '../limits.ts'
import { keepCode, makeTypedCode } from './otp.ts'
import type { UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import type { Channel } from '../letters/sms-sender.ts'
import { sendSms } from '../letters/sms.ts'

export interface CodeToSend {
  readonly phone: string
  readonly channel: Channel
  /** Keeps the code; its value is `textCode`'s. */
  keep(tx: Tx, code: string): Promise<UserRow>
}

export async function textCode(
  auth: AuthServices,
  { phone, channel, keep }: CodeToSend,
): Promise<{ user: UserRow; messageId: string }> {
  await claimSms(auth, phone)
  const code = makeTypedCode(auth)
  const messageId = await sendSms(auth, { to: phone, text: textOf(auth, code), channel }).catch(
    async (error: unknown) => {
      await releaseSms(auth, phone)
      throw error
    },
  )
  return { user: await inTransaction(auth.database.kysely, tx => keep(tx, code)), messageId }
}

/** Short: long messages are charged by their parts. */
const textOf = ({ settings, siteUrl }: AuthServices, code: string): string =>
  `${code} is your Ingot code for ${new URL(siteUrl).host}. It works once, for ${settings.smsLifeSeconds} seconds. Give it to nobody.`

/** Signs in the user of a phone, and confirms it. */
export async function keepSignInCode(tx: Tx, auth: AuthServices, user: UserRow, code: string): Promise<void> {
  await keepCode(tx, auth, user.id, 'sms', code)
  await sql`update auth_user set confirmation_sent_at = now(), updated_at = now() where id = ${user.id}`.execute(
    tx,
  )
}

/** Confirms a phone that a user asked for; until then the old one stays. */
export async function keepNewPhone(
  tx: Tx,
  auth: AuthServices,
  user: UserRow,
  phone: string,
  code: string,
): Promise<void> {
  await keepCode(tx, auth, user.id, 'phone_change', code)
  await sql`
    update auth_user set new_phone = ${phone}, phone_change_sent_at = now(), updated_at = now()
    where id = ${user.id}`.execute(tx)
}
