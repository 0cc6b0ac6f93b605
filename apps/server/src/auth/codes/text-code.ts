/**
 * Sends a code to a phone. The slot is taken first, then the message is sent, then the code is kept with whatever the
 * caller writes: when it cannot be sent, nothing has changed and the slot is free again.
 */
import { inTransaction, type Tx } from '../../db/database.ts'
import { sendSms, type SmsNeeds } from '../letters/send-sms.ts'
import type { Channel } from '../letters/sms-sender.ts'
import { claimSms, releaseSms } from '../spacing.ts'
import type { UserRow } from '../queries.ts'
import type { AuthSettings } from '../settings.ts'
import type { Places } from '../visitor.ts'
import { typedCodeFor } from './otp.ts'

export interface TextNeeds extends SmsNeeds {
  readonly siteUrl: string
}

export interface CodeToSend {
  readonly phone: string
  readonly channel: Channel
  /** Where it was asked from. */
  readonly places: Places
  /** Keeps the code; its value is `textCode`'s. */
  keep(tx: Tx, code: string): Promise<UserRow>
}

export async function textCode(
  needs: TextNeeds,
  { phone, channel, places, keep }: CodeToSend,
): Promise<{ user: UserRow; messageId: string }> {
  await claimSms(needs, phone, places)
  const code = typedCodeFor(needs, phone)
  const messageId = await sendSms(needs, { to: phone, text: textOf(needs, code), channel }).catch(
    async (error: unknown) => {
      await releaseSms(needs, phone)
      throw error
    },
  )
  return { user: await inTransaction(needs.database.kysely, tx => keep(tx, code)), messageId }
}

/** Short: long messages are charged by their parts. */
const textOf = ({ settings, siteUrl }: { settings: AuthSettings; siteUrl: string }, code: string): string =>
  `${code} is your Ingot code for ${new URL(siteUrl).host}. It works once, for ${settings.smsLifeSeconds} seconds. Give it to nobody.`
