/**
 * Messages to phones. They are sent at once and outside any transaction: a client is told when one cannot be sent, and a
 * slow provider holds no connection.
 */
import { readPhone } from '../addresses.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import { takeSms } from '../limits.ts'
import type { AuthServices } from '../services.ts'
import type { Channel, Sms } from './sms-sender.ts'

/** `channel` of a request: a message unless it says otherwise. */
export function readChannel({ sms }: AuthServices, body: Body): Channel {
  const asked = body.text('channel', 64) || 'sms'
  const channel = sms?.channels.find(each => each === asked)
  if (channel) return channel
  throw invalid(
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  )
}

/** The phone that a request names, where phones are offered; `status` and `message` are the call's refusal elsewhere. */
export function readOfferedPhone(
  { sms }: AuthServices,
  text: string,
  status: 400 | 422,
  message: string,
): string {
  const phone = readPhone(text)
  if (!sms) throw new AuthError(status, 'phone_provider_disabled', message)
  return phone
}

/** Sends one of the service's messages, or says why not. Returns the message's id. */
export async function sendSms(
  auth: Pick<AuthServices, 'database' | 'settings' | 'sms'>,
  sms: Sms,
): Promise<string> {
  if (!auth.sms) throw new AuthError(400, 'phone_provider_disabled', 'Unsupported phone provider')
  await takeSms(auth)
  return auth.sms.send(sms).catch(() => {
    throw new AuthError(422, 'sms_send_failed', 'The message could not be sent to this number')
  })
}
