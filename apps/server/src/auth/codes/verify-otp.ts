/**
 * Redeems a mailed link or a code, once: confirms the address or phone (or the change of it) and signs the user in. Unknown, used,
 * expired and wrong are one answer. A link that was asked for with a challenge leads to a code instead of a session.
 */
import { inTransaction, type Tx } from '../../db/database.ts'
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { applyNewEmail, applyNewPhone, confirmEmail, confirmPhone } from './confirm.ts'
import { AuthError, invalid } from '../errors.ts'
import { assertCodesNotLocked, forgetWrongCodes, noteWrongCode, takeToken } from '../limits.ts'
import {
  acceptedKinds,
  dropOtps,
  findOtpByCode,
  findOtpByPhone,
  findOtpByToken,
  isPkceToken,
  type Otp,
} from './otp.ts'
import { issueCode } from './pkce.ts'
import { lockUser } from '../queries.ts'
import type { AuthServices, Visitor } from '../services.ts'
import { type Opened, sessionBody, startSession } from '../sessions/session.ts'
import { readOfferedPhone } from '../letters/sms.ts'

export type Proof = { readonly type: string; readonly token: string } | TypedCode | TextedCode

interface TypedCode {
  readonly type: string
  readonly email: string
  readonly code: string
}

interface TextedCode {
  readonly type: string
  readonly phone: string
  readonly code: string
}

export type Verified =
  | (Opened & { readonly outcome: 'session' })
  | { readonly outcome: 'code'; readonly code: string }
  /** One of the two addresses has agreed to the change. */
  | { readonly outcome: 'half' }

export const halfConfirmed =
  'Confirmation link accepted. Please proceed to confirm link sent to the other email'

/** POST /verify */
export async function verifyOtp(auth: AuthServices, body: Body, visitor: Visitor) {
  await takeToken(auth, 'verify', visitor.ip)
  const verified = await redeem(auth, readProof(auth, body), visitor, false)
  if (verified.outcome === 'half') return { msg: halfConfirmed, code: '200' }
  if (verified.outcome === 'code') throw new Error('a session was asked for')
  return sessionBody(auth, verified)
}

function readProof(auth: AuthServices, body: Body): Proof {
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
  if (phone) return { type, phone: readOfferedPhone(auth, phone, 400, 'Unsupported phone provider'), code }
  try {
    return { type, email: readEmail(email), code }
  } catch {
    throw new AuthError(422, 'validation_failed', 'Invalid email format')
  }
}

/** `mayLeadToCode`: the answer is a redirect, so a challenge can be kept for the page it leads to. */
export async function redeem(
  auth: AuthServices,
  proof: Proof,
  visitor: Visitor,
  mayLeadToCode: boolean,
): Promise<Verified> {
  const find = finderOf(auth, proof)
  const phone = 'phone' in proof ? proof.phone : null
  if (phone) await assertCodesNotLocked(auth, phone)
  const verified = await inTransaction(auth.database.kysely, async tx => {
    const otp = await find(tx)
    if (!otp) return null
    if (phone) await forgetWrongCodes(tx, phone)
    return accept(tx, auth, otp, visitor, mayLeadToCode && 'token' in proof && isPkceToken(proof.token))
  })
  if (verified) {
    auth.wakeMail()
    return verified
  }
  if (phone) await noteWrongCode(auth, phone)
  throw new AuthError(
    403,
    'otp_expired',
    'token' in proof ? 'Email link is invalid or has expired' : 'Token has expired or is invalid',
  )
}

function finderOf(auth: AuthServices, proof: Proof): (tx: Tx) => Promise<Otp | null> {
  if ('phone' in proof) {
    const { type, phone, code } = proof
    if (type !== 'sms' && type !== 'phone_change') throw invalid('Invalid sms verification type')
    return tx => findOtpByPhone(tx, auth, type, phone, code)
  }
  const kinds = acceptedKinds(proof.type)
  if (!kinds) throw invalid('Invalid email verification type')
  return 'token' in proof
    ? tx => findOtpByToken(tx, auth, kinds, proof.token)
    : tx => findOtpByCode(tx, auth, kinds, proof.email, proof.code)
}

async function accept(
  tx: Tx,
  auth: AuthServices,
  otp: Otp,
  visitor: Visitor,
  leadsToCode: boolean,
): Promise<Verified> {
  const user = (await lockUser(tx, otp.user_id))!
  if (user.banned) throw new AuthError(403, 'user_banned', 'User is banned')
  if (otp.kind === 'email_change_current' || otp.kind === 'email_change_new') {
    if (!(await applyNewEmail(tx, auth, user, otp.kind))) return { outcome: 'half' }
  } else if (otp.kind === 'phone_change') {
    await applyNewPhone(tx, auth, user, user.new_phone!)
  } else if (otp.kind === 'sms') {
    await confirmPhone(tx, user)
    await dropOtps(tx, user.id)
  } else {
    await confirmEmail(tx, user)
    await dropOtps(tx, user.id)
  }
  if (leadsToCode && otp.code_challenge) {
    const code = await issueCode(tx, {
      userId: user.id,
      challenge: { challenge: otp.code_challenge, method: otp.code_challenge_method! },
      method: methodOf(otp),
      lifeSeconds: auth.settings.codeLifeSeconds,
    })
    return { outcome: 'code', code }
  }
  const opened = await startSession(tx, auth, { userId: user.id, method: 'otp', visitor })
  return { outcome: 'session', ...opened }
}

/** The exchange keeps what the link was for; every other verification is `otp`. */
function methodOf({ kind }: Otp): string {
  if (kind === 'signup') return 'email/signup'
  return kind.startsWith('email_change') ? 'email_change' : kind
}
