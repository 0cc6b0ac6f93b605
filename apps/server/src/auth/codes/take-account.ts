import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../queries.ts'

/** What the proof leaves. */
export interface Kept {
  /** The kind of the proved address. */
  readonly address: 'email' | 'phone'
  /** The address is itself an identity. */
  readonly isIdentity: boolean
  /** Of a provider. */
  readonly identityId: string | null
  readonly passwordHash: string | null
}

/**
 * Gives an account to whoever proved an address of it first: without the password and the ways in that somebody had
 * set, who may have been anybody. Identities, sessions and what becomes one, second factors, the API key, devices that
 * would count as known, and the other address go. A password that an administrator set stays.
 */
export async function takeAccount(tx: Tx, user: UserRow, kept: Kept): Promise<void> {
  const provider = kept.isIdentity ? kept.address : null
  await sql`
    with identities as (
      delete from auth_identity where user_id = ${user.id}
        and provider is distinct from ${provider} and id is distinct from ${kept.identityId}::uuid),
    sessions as (delete from auth_session where user_id = ${user.id}),
    codes as (delete from auth_code where user_id = ${user.id}),
    otps as (delete from auth_otp where user_id = ${user.id}),
    factors as (delete from auth_factor where user_id = ${user.id}),
    devices as (delete from auth_device where user_id = ${user.id}),
    places as (delete from auth_place where user_id = ${user.id})
    update api_keys set is_active = false, key_sealed = null where user_id = ${user.id} and is_active`.execute(
    tx,
  )
  const passwordHash = user.password_given ? user.password_hash : kept.passwordHash
  const other = kept.address === 'email' ? 'phone' : 'email'
  await tx
    .updateTable('auth_user')
    .set({
      is_proved: true,
      password_hash: passwordHash,
      password_dropped: user.password_hash !== null && passwordHash === null,
      new_email: null,
      new_phone: null,
      [other]: null,
      [`${other}_confirmed_at`]: null,
    })
    .where('id', '=', user.id)
    .execute()
}
