/**
 * Adds a factor, which counts for nothing until its first right code. Those that were never finished go after a few
 * minutes. Whoever has a verified factor needs it to add another: a stolen password must not bring its own.
 */
import { randomBytes } from 'node:crypto'
import { type Database, inTransaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Vault } from '../../vault.ts'
import { readPhone } from '../addresses.ts'
import { AuthError, invalid } from '../errors.ts'
import type { SmsSender } from '../letters/sms-sender.ts'
import type { AuthSettings } from '../settings.ts'
import { type FactorCall, readName, readPlain } from './call.ts'
import { makeRoom } from './make-room.ts'
import { lockOwner } from './queries.ts'
import { presentTotp, secretBytes } from './totp.ts'
import { relyingPartyOf } from './webauthn/relying-party.ts'

export interface EnrollNeeds {
  readonly database: Database
  readonly vault: Vault
  readonly settings: AuthSettings
  readonly sms: SmsSender | null
  readonly siteUrl: string
}

export const secretContext = (factorId: string): string => `factor:${factorId}`

export async function enrollFactor(needs: EnrollNeeds, call: FactorCall): Promise<object> {
  switch (call.body.text('factor_type', 64)) {
    case 'totp':
      if (!needs.settings.factors.totp)
        throw new AuthError(422, 'mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP')
      return enrollTotp(needs, call)
    case 'phone':
      if (!needs.settings.factors.phone || !needs.sms)
        throw new AuthError(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone')
      return enrollPhone(needs, call)
    case 'webauthn':
      if (!needs.settings.factors.webauthn || !relyingPartyOf(needs))
        throw new AuthError(422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn')
      return enrollKey(needs, call)
    default:
      throw invalid('factor_type needs to be totp, phone, or webauthn')
  }
}

async function enrollTotp(needs: Omit<EnrollNeeds, 'sms'>, { user, session, body }: FactorCall) {
  const name = readName(body)
  const issuer = readPlain(body, 'issuer') || new URL(needs.siteUrl).host
  const id = newId()
  const secret = randomBytes(secretBytes)
  await inTransaction(needs.database.kysely, async tx => {
    await makeRoom(tx, needs, user.id, session, name)
    await tx
      .insertInto('auth_factor')
      .values({
        id,
        user_id: user.id,
        factor_type: 'totp',
        friendly_name: name,
        secret_sealed: needs.vault.seal(secret, secretContext(id)),
      })
      .execute()
  })
  const totp = presentTotp(secret, issuer, user.email ?? user.phone ?? user.id)
  return { id, type: 'totp', friendly_name: name, totp }
}

async function enrollPhone(
  needs: { database: Database; settings: AuthSettings },
  { user, session, body }: FactorCall,
) {
  const name = readName(body)
  const given = body.text('phone', 64)
  if (!given) throw invalid('Phone number required to enroll Phone factor')
  const phone = readPhone(given)
  const id = newId()
  await inTransaction(needs.database.kysely, async tx => {
    const { factors } = await lockOwner(tx, user.id)
    if (factors.some(factor => factor.phone === phone && factor.status === 'verified')) {
      throw new AuthError(
        422,
        'mfa_verified_factor_exists',
        'A verified phone factor already exists, unenroll the existing factor to continue',
      )
    }
    await tx.deleteFrom('auth_factor').where('user_id', '=', user.id).where('phone', '=', phone).execute()
    await makeRoom(tx, needs, user.id, session, name)
    await tx
      .insertInto('auth_factor')
      .values({ id, user_id: user.id, factor_type: 'phone', friendly_name: name, phone })
      .execute()
  })
  return { id, type: 'phone', friendly_name: name, phone: given }
}

/** The key itself comes with the answer to the factor's first challenge. */
async function enrollKey(
  needs: { database: Database; settings: AuthSettings },
  { user, session, body }: FactorCall,
) {
  const name = readName(body)
  const id = newId()
  await inTransaction(needs.database.kysely, async tx => {
    await makeRoom(tx, needs, user.id, session, name)
    await tx
      .insertInto('auth_factor')
      .values({ id, user_id: user.id, factor_type: 'webauthn', friendly_name: name })
      .execute()
  })
  return { id, type: 'webauthn', friendly_name: name }
}
