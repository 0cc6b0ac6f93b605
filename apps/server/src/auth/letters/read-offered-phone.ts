/** What a request says about messages to phones. */
import { readPhone } from '../addresses.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import type { SmsNeeds } from './send-sms.ts'
import type { Channel } from './sms-sender.ts'

/** `channel` of a request: a message unless it says otherwise. */
export function readChannel({ sms }: Pick<SmsNeeds, 'sms'>, body: Body): Channel {
  const asked = body.text('channel', 64) || 'sms'
  const channel = sms?.channels.find(each => each === asked)
  if (channel) return channel
  throw invalid(
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  )
}

/**
 * The phone that a request names, where phones are offered; `status` and `message` are the call's refusal elsewhere.
 */
export function readOfferedPhone(
  { sms }: Pick<SmsNeeds, 'sms'>,
  text: string,
  status: 400 | 422,
  message: string,
): string {
  const phone = readPhone(text)
  if (!sms) throw new AuthError(status, 'phone_provider_disabled', message)
  return phone
}
