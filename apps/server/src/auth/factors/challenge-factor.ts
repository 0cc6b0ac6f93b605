/**
 * Opens a challenge, to be answered once, from the same address, within minutes. For a phone it sends the code; for a
 * security key it says what is to be signed.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Database, inTransaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Vault } from '../../vault.ts'
import type { Body } from '../body.ts'
import { typedCodeFor } from '../codes/otp.ts'
import { AuthError, invalid } from '../errors.ts'
import { sendSms, type SmsNeeds } from '../letters/send-sms.ts'
import { type Channel, channels, type SmsSender } from '../letters/sms-sender.ts'
import { takeToken } from '../limits.ts'
import { claimSms, releaseSms } from '../spacing.ts'
import type { UserRow } from '../queries.ts'
import type { AuthSettings } from '../settings.ts'
import type { Visitor } from '../visitor.ts'
import type { FactorCall } from './call.ts'
import { type FactorRow, findFactor, findFactorOf, keyOf, listKeys } from './queries.ts'
import { presentChallenge } from './webauthn/present-challenge.ts'
import { relyingPartyOf } from './webauthn/relying-party.ts'

export interface ChallengeNeeds extends SmsNeeds {
  readonly vault: Vault
  readonly siteUrl: string
}

export const codeContext = (challengeId: string): string => `factor-challenge:${challengeId}`

export async function challengeFactor(needs: ChallengeNeeds, { user, visitor, body, factorId }: FactorCall) {
  const factor = await findFactor(needs.database.kysely, user.id, factorId)
  await takeToken(needs, 'mfa_challenge', visitor.ip)
  assertOffered(needs, factor)
  const opened = (challenge: Challenge) => ({
    id: challenge.id,
    type: factor.factor_type,
    expires_at: Math.floor(challenge.expiresAt.getTime() / 1000),
  })
  if (factor.factor_type === 'phone')
    return opened(await challengePhone(needs, factor, visitor, readChannel(needs, body)))
  if (factor.factor_type !== 'webauthn') return opened(await open(needs, factor, visitor.ip, {}))
  const { challenge, webauthn } = await challengeKey(needs, factor, visitor.ip, user)
  return { ...opened(challenge), webauthn }
}

interface Challenge {
  readonly id: string
  readonly expiresAt: Date
}

async function challengeKey(needs: ChallengeNeeds, factor: FactorRow, ip: string | null, user: UserRow) {
  const nonce = randomBytes(32)
  const challenge = await open(needs, factor, ip, { nonce })
  const webauthn = await presentChallenge({
    user,
    nonce,
    relyingParty: relyingPartyOf(needs)!,
    timeout: needs.settings.factors.lifeSeconds * 1000,
    key: keyOf(factor),
    others: await listKeys(needs.database.kysely, user.id),
  })
  return { challenge, webauthn }
}

async function challengePhone(
  needs: ChallengeNeeds,
  factor: FactorRow,
  { ip, places }: Visitor,
  channel: Channel,
) {
  const to = factor.phone!
  await claimSms(needs, to, places)
  try {
    const code = typedCodeFor(needs, to)
    const challenge = await open(needs, factor, ip, { code })
    await sendSms(needs, { to, channel, text: `${code} is your Ingot sign-in code. Give it to nobody.` })
    return challenge
  } catch (error) {
    await releaseSms(needs, to)
    throw error
  }
}

async function open(
  { database, vault, settings }: { database: Database; vault: Vault; settings: AuthSettings },
  factor: FactorRow,
  ip: string | null,
  { code, nonce }: { readonly code?: string; readonly nonce?: Buffer },
): Promise<Challenge> {
  const id = newId()
  const expiresAt = new Date(Date.now() + settings.factors.lifeSeconds * 1000)
  await inTransaction(database.kysely, async tx => {
    await findFactorOf(tx, factor.user_id, factor.id)
    await sql`
      delete from auth_factor_challenge
      where factor_id = ${factor.id} and expires_at < now() - interval '1 day'`.execute(tx)
    await tx
      .insertInto('auth_factor_challenge')
      .values({
        id,
        factor_id: factor.id,
        ip,
        code_sealed: code === undefined ? null : vault.seal(code, codeContext(id)),
        nonce: nonce ?? null,
        expires_at: expiresAt.toISOString(),
      })
      .execute()
    await sql`update auth_factor set last_challenged_at = now() where id = ${factor.id}`.execute(tx)
  })
  return { id, expiresAt }
}

export function assertOffered(
  { settings, sms, siteUrl }: { settings: AuthSettings; sms: SmsSender | null; siteUrl: string },
  { factor_type: type }: FactorRow,
): void {
  if (type === 'totp' && !settings.factors.totp)
    throw new AuthError(422, 'mfa_totp_verify_not_enabled', 'MFA verification is disabled for TOTP')
  if (type === 'phone' && !(settings.factors.phone && sms))
    throw new AuthError(422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone')
  if (type === 'webauthn' && !(settings.factors.webauthn && relyingPartyOf({ siteUrl })))
    throw new AuthError(422, 'mfa_webauthn_verify_not_enabled', 'MFA verification is disabled for WebAuthn')
  if (type === 'recovery_code') throw invalid('factor_type needs to be totp, phone, or webauthn')
}

function readChannel({ sms }: Pick<SmsNeeds, 'sms'>, body: Body): Channel {
  const asked = body.text('channel', 16) || 'sms'
  const channel = channels.find(channel => channel === asked)
  if (channel && sms?.channels.includes(channel)) return channel
  throw invalid(
    "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
  )
}
