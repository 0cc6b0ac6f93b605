/**
 * Opens an account known by an e-mail address or a phone; its profile comes from a trigger. Null when somebody has that
 * already.
 */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { findUserById, type UserRow } from './queries.ts'

export interface NewUser {
  readonly email?: string
  /** Digits. Either this or the address. */
  readonly phone?: string
  /** Null: they come by a mailed link alone, until they set one. */
  readonly passwordHash: string | null
  /** What is said about the user. What users say of themselves is kept beside what the service knows. */
  readonly data: Readonly<Record<string, unknown>>
  readonly confirmed: boolean
  /**
   * By an administrator or the operator, who say whose it is; otherwise the first proof of an address does. Of such users
   * `data` is kept as it was sent.
   */
  readonly given?: boolean
}

export async function createUser(tx: Tx, user: NewUser): Promise<UserRow | null> {
  const id = newId()
  const { email = null, phone = null, confirmed, given = false } = user
  const provider = email === null ? 'phone' : 'email'
  const known = {
    sub: id,
    ...(email === null ? { phone } : { email }),
    email_verified: email !== null && confirmed,
    phone_verified: phone !== null && confirmed,
  }
  const both = { ...user.data, ...known }
  const [metadata, identity] = given ? [user.data, known] : [both, both]
  const { rows } = await sql`
    with made as (
      insert into auth_user (id, email, email_confirmed_at, phone, phone_confirmed_at, password_hash, is_proved,
        app_metadata, user_metadata)
      values (${id}, ${email}, case when ${confirmed && email !== null} then now() end, ${phone},
        case when ${confirmed && phone !== null} then now() end, ${user.passwordHash}, ${given},
        ${JSON.stringify({ provider, providers: [provider] })}, ${JSON.stringify(metadata)})
      on conflict do nothing returning id)
    insert into auth_identity (id, user_id, provider, provider_id, identity_data, last_sign_in_at)
    select ${newId()}, made.id, ${provider}, made.id::text, ${JSON.stringify(identity)}, now() from made returning user_id`.execute(
    tx,
  )
  return rows.length ? findUserById(tx, id) : null
}
