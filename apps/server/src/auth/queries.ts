/**
 * Reads of users, and the user as the wire shows it: what is empty is left out, `email` and `phone` are always strings.
 */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { audience } from './wire.ts'

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

/** A second factor as the wire shows it. */
export interface FactorView {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
  readonly status: 'unverified' | 'verified'
  readonly friendly_name: string
  readonly factor_type: 'totp' | 'phone' | 'webauthn' | 'recovery_code'
  /** Empty unless it is a phone. */
  readonly phone: string
  readonly last_challenged_at: string | null
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
  /** Digits, without the leading plus. */
  readonly phone: string | null
  readonly phone_confirmed_at: string | null
  readonly new_phone: string | null
  readonly phone_change_sent_at: string | null
  readonly recovery_sent_at: string | null
  readonly reauthentication_sent_at: string | null
  readonly last_sign_in_at: string | null
  readonly is_sso_user: boolean
  /** Without an address, a phone or a provider. */
  readonly is_anonymous: boolean
  readonly invited_at: string | null
  readonly deleted_at: string | null
  /** Somebody has proved an address of the account, or an administrator made it. */
  readonly is_proved: boolean
  /** An administrator set the password. */
  readonly password_given: boolean
  readonly app_metadata: Readonly<Record<string, unknown>>
  readonly user_metadata: Readonly<Record<string, unknown>>
  readonly banned_until: string | null
  readonly banned: boolean
  readonly created_at: string
  readonly updated_at: string
  readonly identities: readonly IdentityRow[]
  readonly factors: readonly FactorView[]
}

export const userColumnsText = `
  u.id, u.role, u.email, u.password_hash, u.email_confirmed_at, u.confirmation_sent_at, u.new_email, u.email_change_sent_at,
  u.phone, u.phone_confirmed_at, u.new_phone, u.phone_change_sent_at, u.recovery_sent_at, u.reauthentication_sent_at,
  u.last_sign_in_at, u.is_sso_user, u.is_anonymous, u.invited_at, u.deleted_at, u.is_proved, u.password_given,
  u.app_metadata, u.user_metadata, u.banned_until, coalesce(u.banned_until > now(), false) as banned,
  u.created_at, u.updated_at,
  coalesce((
    select json_agg(json_build_object(
      'identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id, 'identity_data', i.identity_data, 'provider', i.provider,
      'last_sign_in_at', rfc3339(i.last_sign_in_at), 'created_at', rfc3339(i.created_at), 'updated_at', rfc3339(i.updated_at)
    ) order by i.created_at, i.provider, i.id)
    from auth_identity i where i.user_id = u.id), '[]') as identities,
  coalesce((
    select json_agg(json_build_object(
      'id', f.id, 'created_at', rfc3339(f.created_at), 'updated_at', rfc3339(f.updated_at), 'status', f.status,
      'friendly_name', f.friendly_name, 'factor_type', f.factor_type, 'phone', coalesce(f.phone, ''),
      'last_challenged_at', rfc3339(f.last_challenged_at)
    ) order by f.id)
    from auth_factor f where f.user_id = u.id), '[]') as factors`
export const userColumns = sql.raw(userColumnsText)

export async function findUserById(db: Db | Tx, id: string): Promise<UserRow | null> {
  const { rows } = await sql<UserRow>`select ${userColumns} from auth_user u where u.id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findUserByEmail(db: Db | Tx, email: string): Promise<UserRow | null> {
  const { rows } =
    await sql<UserRow>`select ${userColumns} from auth_user u where u.email = ${email} and not u.is_sso_user`.execute(
      db,
    )
  return rows[0] ?? null
}

export async function findUserByPhone(db: Db | Tx, phone: string): Promise<UserRow | null> {
  const { rows } =
    await sql<UserRow>`select ${userColumns} from auth_user u where u.phone = ${phone}`.execute(db)
  return rows[0] ?? null
}

/** The row as it is now; nobody else changes it before the transaction ends. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | null> {
  await tx.selectFrom('auth_user').select('id').where('id', '=', id).forNoKeyUpdate().execute()
  return findUserById(tx, id)
}

/** The account with this address, locked in the same way; null where nobody has it any more. */
export async function lockUserByEmail(tx: Tx, email: string): Promise<UserRow | null> {
  const found = await findUserByEmail(tx, email)
  return found && lockUser(tx, found.id)
}

/** Whether another user than `exceptUserId` has it. */
export async function isEmailTaken(db: Db | Tx, email: string, exceptUserId: string): Promise<boolean> {
  const other = await db
    .selectFrom('auth_user')
    .select('id')
    .where('email', '=', email)
    .where('is_sso_user', '=', false)
    .where('id', '<>', exceptUserId)
    .executeTakeFirst()
  return other !== undefined
}

/** Whether another user than `exceptUserId` has it. */
export async function isPhoneTaken(db: Db | Tx, phone: string, exceptUserId: string): Promise<boolean> {
  const other = await db
    .selectFrom('auth_user')
    .select('id')
    .where('phone', '=', phone)
    .where('id', '<>', exceptUserId)
    .executeTakeFirst()
  return other !== undefined
}

export type UserBody = Readonly<Record<string, unknown>>

export function presentUser(user: UserRow): UserBody {
  return {
    id: user.id,
    aud: audience,
    role: user.role,
    email: user.email ?? '',
    email_confirmed_at: user.email_confirmed_at ?? undefined,
    invited_at: user.invited_at ?? undefined,
    phone: user.phone ?? '',
    phone_confirmed_at: user.phone_confirmed_at ?? undefined,
    confirmation_sent_at: user.confirmation_sent_at ?? undefined,
    confirmed_at: earliest(user.email_confirmed_at, user.phone_confirmed_at),
    recovery_sent_at: user.recovery_sent_at ?? undefined,
    new_email: user.new_email ?? undefined,
    email_change_sent_at: user.email_change_sent_at ?? undefined,
    new_phone: user.new_phone ?? undefined,
    phone_change_sent_at: user.phone_change_sent_at ?? undefined,
    reauthentication_sent_at: user.reauthentication_sent_at ?? undefined,
    last_sign_in_at: user.last_sign_in_at ?? undefined,
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    factors: user.factors.length ? user.factors.map(presentFactor) : undefined,
    identities: user.identities.map(presentIdentity),
    created_at: user.created_at,
    updated_at: user.updated_at,
    banned_until: user.banned_until ?? undefined,
    deleted_at: user.deleted_at ?? undefined,
    ...(user.is_sso_user ? { is_sso_user: true } : {}),
    is_anonymous: user.is_anonymous,
  }
}

export const presentFactor = (factor: FactorView) => ({
  ...factor,
  friendly_name: factor.friendly_name || undefined,
})

/** Whether signing in takes a second step. */
export const hasSecondFactor = (user: UserRow): boolean =>
  user.factors.some(factor => factor.status === 'verified')

function presentIdentity(identity: IdentityRow) {
  const { email } = identity.identity_data
  return {
    ...identity,
    last_sign_in_at: identity.last_sign_in_at ?? undefined,
    email: typeof email === 'string' && email ? email : undefined,
  }
}

/** Times of the wire compare as text. */
const earliest = (...times: readonly (string | null)[]): string | undefined =>
  times.filter(time => time !== null).toSorted()[0]

/**
 * What signing up answers for an address or phone that has a confirmed account: a user that does not exist, built from
 * nothing but the request. Clients tell it by its empty `identities`.
 */
export function presentFakeUser(
  known: { readonly email: string } | { readonly phone: string },
  data: Readonly<Record<string, unknown>>,
): UserBody {
  const provider = 'email' in known ? 'email' : 'phone'
  const now = new Date().toISOString()
  return {
    id: newId(),
    aud: audience,
    role: '',
    email: '',
    phone: '',
    ...known,
    confirmation_sent_at: now,
    app_metadata: { provider, providers: [provider] },
    user_metadata: data,
    identities: [],
    created_at: now,
    updated_at: now,
    is_anonymous: false,
  }
}
