/**
 * Messages to phones. They are sent at once and outside any transaction: a client is told when one cannot be sent, and
 * a slow provider holds no connection.
 */
import { AuthError } from '../errors.ts'
import { type LimitNeeds, takeSms } from '../limits.ts'
import type { Sms, SmsSender } from './sms-sender.ts'

export interface SmsNeeds extends LimitNeeds {
  /** Null: phones are not offered. */
  readonly sms: SmsSender | null
}

/** What the auth service that this one answers like calls a message that was not sent. */
const testMessageId = 'test-otp'

/** Sends one of the service's messages, or says why not. Returns the message's id. Test numbers get none. */
export async function sendSms(needs: SmsNeeds, sms: Sms): Promise<string> {
  if (!needs.sms) throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider')
  if (needs.settings.testOtps.has(sms.to)) return testMessageId
  await takeSms(needs)
  return needs.sms.send(sms).catch(() => {
    throw new AuthError(422, 'sms_send_failed', 'The message could not be sent to this number')
  })
}
