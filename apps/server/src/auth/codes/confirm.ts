/** What a redeemed link or code proves about an address or a phone, written to the user and the identity of that kind. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { newId } from '../../db/ids.ts'
import { emailChanged, phoneChanged } from '../letters/letters.ts'
import { notify } from '../letters/notify.ts'
import { dropOtps } from './otp.ts'
import { isEmailTaken, isPhoneTaken, type UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'

const verified = JSON.stringify({ email_verified: true })

/** Nothing changes for an address that was confirmed before. */
export async function confirmEmail(tx: Tx, user: UserRow): Promise<void> {
  if (user.email_confirmed_at) return
  await sql`
    update auth_user set email_confirmed_at = now(), user_metadata = user_metadata || ${verified}::jsonb, updated_at = now()
    where id = ${user.id}`.execute(tx)
  await sql`
    update auth_identity set identity_data = identity_data || ${verified}::jsonb, updated_at = now()
    where user_id = ${user.id} and provider = 'email'`.execute(tx)
}

/**
 * One address agreed. The change happens when no other link of it is open any more, expired ones included: so where two
 * were sent, both have to be opened. Returns whether it happened.
 */
export async function applyNewEmail(
  tx: Tx,
  auth: AuthServices,
  user: UserRow,
  kind: 'email_change_current' | 'email_change_new',
): Promise<boolean> {
  await sql`delete from auth_otp where user_id = ${user.id} and kind = ${kind}`.execute(tx)
  const open = await sql`
    select 1 from auth_otp where user_id = ${user.id} and kind in ('email_change_current', 'email_change_new')`.execute(
    tx,
  )
  if (open.rows.length > 0) return false
  const email = user.new_email!
  if (await isEmailTaken(tx, email, user.id)) throw emailExists()
  const known = JSON.stringify({ email, email_verified: true })
  await sql`
    update auth_user set email = ${email}, new_email = null, email_confirmed_at = coalesce(email_confirmed_at, now()),
      user_metadata = user_metadata || ${known}::jsonb, updated_at = now()
    where id = ${user.id}`.execute(tx)
  await keepIdentity(tx, user.id, 'email', { email, email_verified: true })
  await dropOtps(tx, user.id)
  await notify(tx, auth, user.email_confirmed_at && user.email, notice => emailChanged(notice, email))
  return true
}

/** The user's own identity of this kind, made when there is none yet. */
async function keepIdentity(
  tx: Tx,
  userId: string,
  provider: 'email' | 'phone',
  known: Readonly<Record<string, unknown>>,
): Promise<void> {
  const all = { sub: userId, email_verified: false, phone_verified: false, ...known }
  await sql`
    insert into auth_identity (id, user_id, provider, provider_id, identity_data, last_sign_in_at)
    values (${newId()}, ${userId}, ${provider}, ${userId}, ${JSON.stringify(all)}, now())
    on conflict (provider, provider_id) do update
    set identity_data = auth_identity.identity_data || ${JSON.stringify(known)}::jsonb, updated_at = now()`.execute(
    tx,
  )
  await sql`select auth_note_providers(${userId})`.execute(tx)
}

/** Nothing changes for a phone that was confirmed before. */
export async function confirmPhone(tx: Tx, user: UserRow): Promise<void> {
  if (user.phone_confirmed_at) return
  const known = { phone: user.phone, phone_verified: true }
  await sql`
    update auth_user set phone_confirmed_at = now(), user_metadata = user_metadata || ${JSON.stringify(known)}::jsonb,
      updated_at = now()
    where id = ${user.id}`.execute(tx)
  await keepIdentity(tx, user.id, 'phone', known)
}

/** The phone that the user asked for takes effect. */
export async function applyNewPhone(tx: Tx, auth: AuthServices, user: UserRow, phone: string): Promise<void> {
  if (await isPhoneTaken(tx, phone, user.id)) throw phoneExists()
  const known = { phone, phone_verified: true }
  await sql`
    update auth_user set phone = ${phone}, new_phone = null, phone_confirmed_at = now(),
      user_metadata = user_metadata || ${JSON.stringify(known)}::jsonb, updated_at = now()
    where id = ${user.id}`.execute(tx)
  await keepIdentity(tx, user.id, 'phone', known)
  await dropOtps(tx, user.id)
  await notify(tx, auth, user.email_confirmed_at && user.email, notice => phoneChanged(notice, phone))
}

export const phoneExists = (): AuthError =>
  new AuthError(422, 'phone_exists', 'A user with this phone number has already been registered')

export const emailExists = (): AuthError =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered')
