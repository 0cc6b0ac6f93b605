/** Reads of users, and the user as the wire shows it: what is empty is left out, `email` and `phone` are always strings. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { audience, type SessionClaims } from './tokens.ts'

export interface IdentityRow {
  readonly identity_id: string
  /** The provider's name for the user; the user's own id for e-mail. */
  readonly id: string
  readonly user_id: string
  readonly identity_data: Readonly<Record<string, unknown>>
  readonly provider: string
  readonly last_sign_in_at: string | null
  readonly created_at: string
  readonly updated_at: string
}

export interface UserRow {
  readonly id: string
  readonly role: string
  readonly email: string | null
  readonly password_hash: string | null
  readonly email_confirmed_at: string | null
  readonly confirmation_sent_at: string | null
  readonly new_email: string | null
  readonly email_change_sent_at: string | null
  readonly last_sign_in_at: string | null
  readonly app_metadata: Readonly<Record<string, unknown>>
  readonly user_metadata: Readonly<Record<string, unknown>>
  readonly banned_until: string | null
  readonly banned: boolean
  readonly created_at: string
  readonly updated_at: string
  readonly identities: readonly IdentityRow[]
}

const userColumns = sql`
  u.id, u.role, u.email, u.password_hash, u.email_confirmed_at, u.confirmation_sent_at, u.new_email, u.email_change_sent_at,
  u.last_sign_in_at, u.app_metadata, u.user_metadata, u.banned_until, coalesce(u.banned_until > now(), false) as banned,
  u.created_at, u.updated_at,
  coalesce((
    select json_agg(json_build_object(
      'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data, 'provider', i.provider,
      'last_sign_in_at', rfc3339(i.last_sign_in_at), 'created_at', rfc3339(i.created_at), 'updated_at', rfc3339(i.updated_at)
    ) order by i.id)
    from auth_identity i where i.user_id = u.id), '[]') as identities`

export async function findUserById(db: Db | Tx, id: string): Promise<UserRow | null> {
  const { rows } = await sql<UserRow>`select ${userColumns} from auth_user u where u.id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findUserByEmail(db: Db | Tx, email: string): Promise<UserRow | null> {
  const { rows } =
    await sql<UserRow>`select ${userColumns} from auth_user u where u.email = ${email}`.execute(db)
  return rows[0] ?? null
}

export interface SignedIn {
  readonly user: UserRow
  /** Null when it has ended. */
  readonly session: SessionClaims | null
}

/** A user and one session of theirs. */
export async function findSignedIn(db: Db, userId: string, sessionId: string): Promise<SignedIn | null> {
  const { rows } = await sql<UserRow & { session: SessionClaims | null }>`
    select ${userColumns},
      case when s.id is not null then json_build_object('id', s.id, 'aal', s.aal, 'amr', s.amr) end as session
    from auth_user u left join auth_session s on s.id = ${sessionId} and s.user_id = u.id
    where u.id = ${userId}`.execute(db)
  if (!rows[0]) return null
  const { session, ...user } = rows[0]
  return { user, session }
}

/** The row as it is now; nobody else changes it before the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | null> {
  await sql`select 1 from auth_user where id = ${id} for no key update`.execute(tx)
  return findUserById(tx, id)
}

/** Of another user than `exceptUserId`. */
export async function isEmailTaken(db: Db | Tx, email: string, exceptUserId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from auth_user where email = ${email} and id <> ${exceptUserId}`.execute(db)
  return rows.length > 0
}

export type UserBody = Readonly<Record<string, unknown>>

export function presentUser(user: UserRow): UserBody {
  return {
    id: user.id,
    aud: audience,
    role: user.role,
    email: user.email ?? '',
    email_confirmed_at: user.email_confirmed_at ?? undefined,
    phone: '',
    confirmation_sent_at: user.confirmation_sent_at ?? undefined,
    confirmed_at: user.email_confirmed_at ?? undefined,
    new_email: user.new_email ?? undefined,
    email_change_sent_at: user.email_change_sent_at ?? undefined,
    last_sign_in_at: user.last_sign_in_at ?? undefined,
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    identities: user.identities.map(presentIdentity),
    created_at: user.created_at,
    updated_at: user.updated_at,
    banned_until: user.banned_until ?? undefined,
    is_anonymous: false,
  }
}

function presentIdentity(identity: IdentityRow) {
  const { email } = identity.identity_data
  return {
    ...identity,
    last_sign_in_at: identity.last_sign_in_at ?? undefined,
    email: typeof email === 'string' && email ? email : undefined,
  }
}

/**
 * What signing up answers for an address that has a confirmed account: a user that does not exist, built from nothing but
 * the request. Clients tell it by its empty `identities`.
 */
export function presentFakeUser(email: string, data: Readonly<Record<string, unknown>>): UserBody {
  const now = new Date().toISOString()
  return {
    id: newId(),
    aud: audience,
    role: '',
    email,
    phone: '',
    confirmation_sent_at: now,
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  }
}
