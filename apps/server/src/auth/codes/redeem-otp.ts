/**
 * Redeems a mailed link or a code, once: confirms the address or phone (or the change of it), takes the account from
 * whoever had opened it unproved, and signs the user in.
 * Unknown, used, expired and wrong are one answer. A link that was asked for with a challenge leads to a code instead
 * of a session.
 */
import { inTransaction, type Tx } from '../../db/database.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { bannedError } from '../banned.ts'
import { AuthError, invalid } from '../errors.ts'
import type { LimitNeeds } from '../limits.ts'
import { assertPhoneNotLocked, countWrongCode, forgetWrongCodes, type Standing } from '../lockouts.ts'
import { lockUser } from '../queries.ts'
import type { Opened } from '../sessions/session.ts'
import { type SessionNeeds, startSession } from '../sessions/start-session.ts'
import type { Visitor } from '../visitor.ts'
import { applyNewEmail } from './apply-new-email.ts'
import { applyNewPhone } from './apply-new-phone.ts'
import { confirmEmail } from './confirm-email.ts'
import { confirmPhone } from './confirm-phone.ts'
import { dropOtps } from './drop-otps.ts'
import { findOtpByCode, findOtpByPhone, findOtpByToken, type Otp } from './find-otp.ts'
import { issueCode } from './issue-code.ts'
import { acceptedKinds, isPkceToken, type OtpNeeds } from './otp.ts'
import { proveAccount } from './prove-account.ts'

export interface RedeemNeeds extends LimitNeeds, SessionNeeds, OtpNeeds {
  readonly wakeMail: () => void
}

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

/** `mayLeadToCode`: the answer is a redirect, so a challenge can be kept for the page it leads to. */
export async function redeemOtp(
  needs: RedeemNeeds,
  proof: Proof,
  visitor: Visitor,
  mayLeadToCode: boolean,
): Promise<Verified> {
  const tries = 'phone' in proof ? await assertPhoneNotLocked(needs, proof.phone, visitor.places) : null
  const find = finderOf(needs, proof, tries?.standing ?? 'stranger')
  const verified = await inTransaction(needs.database.kysely, async tx => {
    const otp = await find(tx)
    if (!otp) return null
    if (tries) await forgetWrongCodes(tx, tries.key)
    return accept(tx, needs, otp, visitor, mayLeadToCode && 'token' in proof && isPkceToken(proof.token))
  })
  if (verified) {
    needs.wakeMail()
    return verified
  }
  if (tries) await countWrongCode(needs, tries.key)
  throw new AuthError(
    403,
    'otp_expired',
    'token' in proof ? 'Email link is invalid or has expired' : 'Token has expired or is invalid',
  )
}

function finderOf(needs: OtpNeeds, proof: Proof, standing: Standing): (tx: Tx) => Promise<Otp | null> {
  if ('phone' in proof) {
    const { type, phone, code } = proof
    if (type !== 'sms' && type !== 'phone_change') throw invalid('Invalid sms verification type')
    return tx => findOtpByPhone(tx, needs, type, phone, code, standing)
  }
  const kinds = acceptedKinds(proof.type)
  if (!kinds) throw invalid('Invalid email verification type')
  return 'token' in proof
    ? tx => findOtpByToken(tx, kinds, proof.token)
    : tx => findOtpByCode(tx, needs, kinds, proof.email, proof.code)
}

async function accept(
  tx: Tx,
  needs: SessionNeeds,
  otp: Otp,
  visitor: Visitor,
  leadsToCode: boolean,
): Promise<Verified> {
  const user = (await lockUser(tx, otp.user_id))!
  if (user.banned) throw await bannedError(tx, user.id)
  await actAsOwner(tx, user.id)
  if (otp.kind === 'email_change_current' || otp.kind === 'email_change_new') {
    if (!(await applyNewEmail(tx, needs, user, otp.kind))) return { outcome: 'half' }
  } else if (otp.kind === 'phone_change') {
    await applyNewPhone(tx, needs, user, user.new_phone!)
  } else if (otp.kind === 'sms') {
    await confirmPhone(tx, user)
    await dropOtps(tx, user.id)
  } else {
    await confirmEmail(tx, user)
    await dropOtps(tx, user.id)
  }
  await proveAccount(tx, user, otp, otp.kind === 'sms' || otp.kind === 'phone_change' ? 'phone' : 'email')
  if (leadsToCode && otp.code_challenge) {
    const code = await issueCode(tx, {
      userId: user.id,
      challenge: { challenge: otp.code_challenge, method: otp.code_challenge_method! },
      method: methodOf(otp),
      lifeSeconds: needs.settings.codeLifeSeconds,
    })
    return { outcome: 'code', code }
  }
  const opened = await startSession(tx, needs, { userId: user.id, method: 'otp', visitor })
  return { outcome: 'session', ...opened }
}

/** The exchange keeps what the link was for; every other verification is `otp`. */
function methodOf({ kind }: Otp): string {
  if (kind === 'signup') return 'email/signup'
  return kind.startsWith('email_change') ? 'email_change' : kind
}
