/**
 * Answers a challenge with a code or a security key. A right answer verifies the factor and raises the session to aal2.
 * A challenge works once and an authenticator's code once; wrong answers are counted per factor, whatever the challenge,
 * and make the next try wait. While it waits even the right answer is not told apart.
 */
import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import type { AlertNeeds } from '../letters/send-alert.ts'
import type { SmsNeeds } from '../letters/send-sms.ts'
import { takeToken } from '../limits.ts'
import { findUserById } from '../queries.ts'
import { sessionBody } from '../sessions/session.ts'
import type { Tokens } from '../sessions/tokens.ts'
import type { AuthSettings } from '../settings.ts'
import { alertFactorAdded } from './alerts.ts'
import type { FactorCall } from './call.ts'
import { assertOffered, codeContext } from './challenge-factor.ts'
import { endWeakerSessions } from './end-weaker-sessions.ts'
import { secretContext } from './enroll-factor.ts'
import { countWrongFactorCode, refuseWhileLocked } from './factor-lockout.ts'
import { assertMayAdd } from './make-room.ts'
import {
  type ChallengeRow,
  type FactorRow,
  findChallenge,
  findFactor,
  findFactorOf,
  keyOf,
  listKeys,
} from './queries.ts'
import { raiseSession } from './raise-session.ts'
import { stepOf } from './totp.ts'
import { checkAnswer } from './webauthn/check-answer.ts'
import { readAnswer } from './webauthn/read-answer.ts'
import { relyingPartyOf } from './webauthn/relying-party.ts'

export interface VerifyFactorNeeds extends SmsNeeds, AlertNeeds {
  readonly tokens: Tokens
  readonly siteUrl: string
  readonly wakeMail: () => void
}

const methods = { totp: 'totp', phone: 'mfa/phone', webauthn: 'mfa/webauthn' } as const

export async function verifyFactor(needs: VerifyFactorNeeds, call: FactorCall) {
  const { user, visitor, body, factorId } = call
  const factor = await findFactor(needs.database.kysely, user.id, factorId)
  await takeToken(needs, 'mfa_verify', visitor.ip)
  if (factor.factor_type === 'webauthn') readAnswer(body, factor.status === 'unverified')
  else if (!body.text('code', 64)) throw invalid('Code needs to be non-empty')
  assertOffered(needs, factor)
  const outcome = await inTransaction(needs.database.kysely, tx => verify(tx, needs, call))
  // Returned, not thrown: the count of wrong codes must be kept.
  if (outcome instanceof AuthError) throw outcome
  if (factor.status === 'unverified') needs.wakeMail()
  return sessionBody(needs, outcome)
}

async function verify(
  tx: Tx,
  needs: AlertNeeds & { settings: AuthSettings; siteUrl: string },
  { user, session, visitor, body, factorId }: FactorCall,
) {
  const factor = await findFactorOf(tx, user.id, factorId)
  if (factor.status === 'unverified') assertMayAdd((await findUserById(tx, user.id))!, session)
  const challenge = await findChallenge(tx, factor.id, body.text('challenge_id', 64), visitor.ip)
  assertAnswerable(challenge)
  refuseWhileLocked(factor, 'over_request_rate_limit')
  const accepted =
    factor.factor_type === 'webauthn'
      ? await acceptKey(tx, needs, factor, challenge, body)
      : acceptCode(needs, factor, challenge, body.text('code', 64))
  if (accepted instanceof AuthError) {
    await countWrongFactorCode(tx, needs, factor)
    return accepted
  }
  await sql`update auth_factor_challenge set verified_at = now() where id = ${challenge.id}`.execute(tx)
  await sql`
    update auth_factor set status = 'verified', failures = 0, locked_until = null, updated_at = now(),
      last_step = ${accepted.last_step}, credential_id = ${accepted.credential_id}, public_key = ${accepted.public_key},
      sign_count = ${accepted.sign_count}, transports = ${accepted.transports}
    where id = ${factor.id}`.execute(tx)
  const method = methods[factor.factor_type as keyof typeof methods]
  const grant = await raiseSession(tx, needs, session, method, factor.id)
  await endWeakerSessions(tx, user.id)
  await tx
    .deleteFrom('auth_factor')
    .where('user_id', '=', user.id)
    .where('factor_type', '=', factor.factor_type)
    .where('status', '=', 'unverified')
    .execute()
  const updated = (await findUserById(tx, user.id))!
  if (factor.status === 'unverified') await alertFactorAdded(tx, needs, updated, factor)
  return { user: updated, grant }
}

function assertAnswerable(challenge: ChallengeRow | null): asserts challenge is ChallengeRow {
  if (!challenge)
    throw new AuthError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found')
  if (challenge.used || !challenge.same_ip)
    throw new AuthError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.')
  if (challenge.expired) {
    throw new AuthError(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${challenge.id} has expired, verify against another challenge or create a new challenge.`,
    )
  }
}

/** The factor as a right answer leaves it. */
function acceptCode(
  { vault }: { vault: Vault },
  factor: FactorRow,
  challenge: ChallengeRow,
  code: string,
): FactorRow | AuthError {
  if (factor.factor_type === 'totp') {
    const secret = vault.open(factor.secret_sealed!, secretContext(factor.id))
    const step = stepOf(secret, code, Date.now())
    if (step !== null && step > factor.last_step) return { ...factor, last_step: step }
    return new AuthError(422, 'mfa_verification_failed', 'Invalid TOTP code entered')
  }
  const expected = vault.open(challenge.code_sealed!, codeContext(challenge.id))
  const given = Buffer.from(code.replaceAll(/\s/g, ''))
  if (given.length === expected.length && timingSafeEqual(given, expected)) return factor
  return new AuthError(422, 'mfa_verification_failed', 'Invalid MFA Phone code entered')
}

async function acceptKey(
  tx: Tx,
  needs: { siteUrl: string },
  factor: FactorRow,
  { nonce }: ChallengeRow,
  body: Body,
): Promise<FactorRow | AuthError> {
  const relyingParty = relyingPartyOf(needs)!
  const answer = readAnswer(body, factor.status === 'unverified')
  const key = await checkAnswer(answer, { nonce: nonce!, relyingParty, key: keyOf(factor) })
  if (!key) return new AuthError(422, 'mfa_verification_failed', 'Failed to validate WebAuthn MFA response')
  const others = answer.type === 'create' ? await listKeys(tx, factor.user_id) : []
  if (others.some(other => other.credential_id.equals(key.credential_id))) {
    throw new AuthError(
      422,
      'mfa_verified_factor_exists',
      'This security key is a factor of the user already',
    )
  }
  return { ...factor, ...key }
}
