/**
 * Adds a factor, which counts for nothing until its first right code. Those that were never finished go after a few
 * minutes. Whoever has a verified factor needs it to add another: a stolen password must not bring its own.
 */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { readPhone } from '../addresses.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import { findUserById, hasSecondFactor, type UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import type { SessionClaims } from '../sessions/tokens.ts'
import type { FactorCall } from './call.ts'
import { lockOwner } from './queries.ts'
import { presentTotp, secretBytes } from './totp.ts'

const maxName = 120

export const secretContext = (factorId: string): string => `factor:${factorId}`

export async function enrollFactor(auth: AuthServices, call: FactorCall): Promise<object> {
  switch (call.body.text('factor_type', 64)) {
    case 'totp':
      if (!auth.settings.factors.totp)
        throw new AuthError(422, 'mfa_totp_enroll_not_enabled', 'MFA enroll is disabled for TOTP')
      return enrollTotp(auth, call)
    case 'phone':
      if (!auth.settings.factors.phone || !auth.sms)
        throw new AuthError(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone')
      return enrollPhone(auth, call)
    case 'webauthn':
      throw new AuthError(422, 'mfa_webauthn_enroll_not_enabled', 'MFA enroll is disabled for WebAuthn')
    default:
      throw invalid('factor_type needs to be totp, phone, or webauthn')
  }
}

async function enrollTotp(auth: AuthServices, { user, session, body }: FactorCall) {
  const name = readName(body)
  const issuer = readPlain(body, 'issuer') || new URL(auth.siteUrl).host
  const id = newId()
  const secret = randomBytes(secretBytes)
  await inTransaction(auth.database.kysely, async tx => {
    await makeRoom(tx, auth, user.id, session, name)
    await sql`
      insert into auth_factor (id, user_id, factor_type, friendly_name, secret_sealed)
      values (${id}, ${user.id}, 'totp', ${name}, ${auth.vault.seal(secret, secretContext(id))})`.execute(tx)
  })
  const totp = presentTotp(secret, issuer, user.email ?? user.phone ?? user.id)
  return { id, type: 'totp', friendly_name: name, totp }
}

async function enrollPhone(auth: AuthServices, { user, session, body }: FactorCall) {
  const name = readName(body)
  const given = body.text('phone', 64)
  if (!given) throw invalid('Phone number required to enroll Phone factor')
  const phone = readPhone(given)
  const id = newId()
  await inTransaction(auth.database.kysely, async tx => {
    const { factors } = await lockOwner(tx, user.id)
    if (factors.some(factor => factor.phone === phone && factor.status === 'verified')) {
      throw new AuthError(
        422,
        'mfa_verified_factor_exists',
        'A verified phone factor already exists, unenroll the existing factor to continue',
      )
    }
    await sql`delete from auth_factor where user_id = ${user.id} and phone = ${phone}`.execute(tx)
    await makeRoom(tx, auth, user.id, session, name)
    await sql`
      insert into auth_factor (id, user_id, factor_type, friendly_name, phone)
      values (${id}, ${user.id}, 'phone', ${name}, ${phone})`.execute(tx)
  })
  return { id, type: 'phone', friendly_name: name, phone: given }
}

/** Drops what was never finished, and says why another factor may not be added. */
export async function makeRoom(
  tx: Tx,
  { settings }: AuthServices,
  userId: string,
  session: SessionClaims,
  name: string,
): Promise<UserRow> {
  await lockOwner(tx, userId)
  await sql`
    delete from auth_factor where user_id = ${userId} and status = 'unverified'
      and created_at < now() - ${settings.factors.lifeSeconds} * interval '1 second'`.execute(tx)
  const user = (await findUserById(tx, userId))!
  if (user.factors.some(factor => factor.friendly_name === name)) {
    throw new AuthError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name ${JSON.stringify(name)} for this user already exists`,
    )
  }
  if (user.factors.length >= settings.factors.max) {
    throw new AuthError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of verified factors reached, unenroll to continue',
    )
  }
  if (hasSecondFactor(user) && session.aal !== 'aal2')
    throw new AuthError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor')
  return user
}

export const readName = (body: Body): string => readPlain(body, 'friendly_name')

/** Control characters belong in no name, and PostgreSQL stores no NUL. */
function readPlain(body: Body, field: string): string {
  const text = body.text(field, maxName)
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(text)) throw invalid(`${field} holds characters that cannot be stored`)
  return text
}
