/** A new account with an e-mail identity; its profile comes from a trigger. Null when the address has an account. */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { findUserById, type UserRow } from './queries.ts'

export interface NewUser {
  readonly email: string
  readonly passwordHash: string
  /** What the user says about themselves; kept beside what the service knows. */
  readonly data: Readonly<Record<string, unknown>>
  readonly confirmed: boolean
}

export async function createUser(tx: Tx, user: NewUser): Promise<UserRow | null> {
  const id = newId()
  const known = { sub: id, email: user.email, email_verified: user.confirmed, phone_verified: false }
  const metadata = JSON.stringify({ ...user.data, ...known })
  const { rows } = await sql`
    with made as (
      insert into auth_user (id, email, password_hash, email_confirmed_at, app_metadata, user_metadata)
      values (${id}, ${user.email}, ${user.passwordHash}, case when ${user.confirmed} then now() end,
        ${JSON.stringify({ provider: 'email', providers: ['email'] })}, ${metadata})
      on conflict (email) where email is not null do nothing returning id)
    insert into auth_identity (id, user_id, provider, provider_id, identity_data, last_sign_in_at)
    select ${newId()}, made.id, 'email', made.id::text, ${metadata}, now() from made returning user_id`.execute(
    tx,
  )
  return rows.length ? findUserById(tx, id) : null
}
