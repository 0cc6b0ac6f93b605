/** POST /verify: redeems what a client shows and answers with a session. */
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import type { SmsNeeds } from '../letters/send-sms.ts'
import type { SmsSender } from '../letters/sms-sender.ts'
import { readOfferedPhone } from '../letters/read-offered-phone.ts'
import { takeToken } from '../limits.ts'
import { sessionBody } from '../sessions/session.ts'
import type { Tokens } from '../sessions/tokens.ts'
import type { Visitor } from '../visitor.ts'
import { type Proof, type RedeemNeeds, redeemOtp } from './redeem-otp.ts'

interface VerifyNeeds extends RedeemNeeds {
  readonly tokens: Tokens
  readonly sms: SmsSender | null
}

export const halfConfirmed =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email'

export async function verifyOtp(needs: VerifyNeeds, body: Body, visitor: Visitor) {
  await takeToken(needs, 'verify', visitor.ip)
  const verified = await redeemOtp(needs, readProof(needs, body), visitor, false)
  if (verified.outcome === 'half') return { msg: halfConfirmed, code: '200' }
  if (verified.outcome === 'code') throw new Error('a session was asked for')
  return sessionBody(needs, verified)
}

function readProof(needs: Pick<SmsNeeds, 'sms'>, body: Body): Proof {
  const type = body.text('type', 64)
  const code = body.text('token')
  const token = body.text('token_hash')
  const email = body.text('email', 1024)
  const phone = body.text('phone', 64)
  if (!type) throw invalid('Verify requires a verification type')
  if (!code === !token) throw invalid('Verify requires either a token or a token hash')
  if (token) {
    if (email || phone || body.text('redirect_to', 4096))
      throw invalid('Only the token_hash and type should be provided')
    return { type, token }
  }
  if (!email === !phone) throw invalid('Only an email address or phone number should be provided on verify')
  if (phone) return { type, phone: readOfferedPhone(needs, phone, 400, 'Unsupported phone provider'), code }
  try {
    return { type, email: readEmail(email), code }
  } catch {
    throw new AuthError(422, 'validation_failed', 'Invalid email format')
  }
}
