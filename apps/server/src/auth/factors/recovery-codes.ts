/**
 * Ten codes to print, each good for one sign-in when the other factor is lost. They are shown once and stored as hashes.
 * They need another verified factor beside them, and making or removing them needs that factor.
 */
import { createHash, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { AuthError } from '../errors.ts'
import type { AuthServices } from '../services.ts'
import type { SessionClaims } from '../sessions/tokens.ts'
import type { FactorCall } from './call.ts'
import { makeRoom, readName } from './enroll-factor.ts'
import { noteAdded } from './notices.ts'
import { type FactorRow, findRecoveryFactor, lockOwner } from './queries.ts'
import { dropFactor } from './remove-factor.ts'

const type = 'recovery_code'
const total = 10
/** No characters that look like others. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const codeLength = 16
const defaultName = 'Recovery codes'

/** As a person may type it: in capitals, in groups. */
export const hashOfCode = (typed: string): string =>
  createHash('sha256').update(typed.toLowerCase().replaceAll(/[\s-]/g, '')).digest('hex')

export async function recoveryCodesStatus({ database }: AuthServices, { user }: FactorCall) {
  const factor = await findRecoveryFactor(database.kysely, user.id)
  if (!factor) throw notEnrolled()
  const { rows } = await sql<{ total: number; remaining: number }>`
    select count(*)::integer as total, (count(*) filter (where used_at is null))::integer as remaining
    from auth_recovery_code where factor_id = ${factor.id}`.execute(database.kysely)
  return { id: factor.id, type, ...rows[0]! }
}

export async function makeRecoveryCodes(auth: AuthServices, { user, session, body }: FactorCall) {
  assertOffered(auth)
  const name = readName(body) || defaultName
  assertAal2(session, 'generate')
  const id = newId()
  const codes = await inTransaction(auth.database.kysely, async tx => {
    await lockOwner(tx, user.id)
    if (await findRecoveryFactor(tx, user.id)) {
      throw new AuthError(
        422,
        'mfa_verified_factor_exists',
        'Recovery codes are already enrolled for this user, use regenerate to rotate them',
      )
    }
    const owner = await makeRoom(tx, auth, user.id, session, name)
    if (!owner.factors.some(factor => factor.status === 'verified')) {
      throw new AuthError(
        422,
        'mfa_recovery_codes_sole_factor',
        'At least one other verified factor is required to generate recovery codes',
      )
    }
    await sql`
      insert into auth_factor (id, user_id, factor_type, status, friendly_name)
      values (${id}, ${user.id}, ${type}, 'verified', ${name})`.execute(tx)
    await noteAdded(tx, auth, owner, { factor_type: type, friendly_name: name, phone: null })
    return issue(tx, id)
  })
  auth.wakeMail()
  return { id, type, friendly_name: name, total, codes }
}

export async function remakeRecoveryCodes(auth: AuthServices, { user, session }: FactorCall) {
  assertOffered(auth)
  assertAal2(session, 'regenerate')
  return inTransaction(auth.database.kysely, async tx => {
    const { id, friendly_name } = await lockRecoveryFactor(tx, user.id)
    await sql`
      update auth_factor set failures = 0, locked_until = null, updated_at = now() where id = ${id}`.execute(
      tx,
    )
    return { id, type, friendly_name, total, codes: await issue(tx, id) }
  })
}

export async function removeRecoveryCodes(auth: AuthServices, { user, session }: FactorCall) {
  assertAal2(session, 'delete')
  const id = await inTransaction(auth.database.kysely, async tx => {
    const owner = await lockOwner(tx, user.id)
    const factor = await lockRecoveryFactor(tx, user.id)
    await dropFactor(tx, auth, owner, factor)
    return factor.id
  })
  auth.wakeMail()
  return { id }
}

async function lockRecoveryFactor(tx: Tx, userId: string): Promise<FactorRow> {
  await lockOwner(tx, userId)
  const factor = await findRecoveryFactor(tx, userId)
  if (!factor) throw notEnrolled()
  return factor
}

/** Older codes of the factor are worth nothing from now on. */
async function issue(tx: Tx, factorId: string): Promise<string[]> {
  const codes = Array.from({ length: total }, () =>
    Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join(''),
  )
  await sql`delete from auth_recovery_code where factor_id = ${factorId}`.execute(tx)
  await sql`
    insert into auth_recovery_code (factor_id, code_hash)
    select ${factorId}, unnest(${codes.map(hashOfCode)}::text[])`.execute(tx)
  return codes
}

function assertOffered({ settings }: AuthServices): void {
  if (settings.factors.recoveryCodes) return
  throw new AuthError(
    422,
    'mfa_recovery_codes_enroll_not_enabled',
    'MFA enroll is disabled for recovery codes',
  )
}

function assertAal2({ aal }: SessionClaims, doing: string): void {
  if (aal !== 'aal2') throw new AuthError(403, 'insufficient_aal', `AAL2 required to ${doing} recovery codes`)
}

const notEnrolled = () =>
  new AuthError(404, 'mfa_factor_not_found', 'The user has not enrolled recovery codes')
