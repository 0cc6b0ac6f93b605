/**
 * Finds or opens the account of somebody whom a provider vouches for. They are known by the provider's name for them;
 * else by an address that the provider has verified; else they get a new account. An account whose own address nobody
 * has proved may have been opened by somebody else in their name: its owner by address takes it over empty, without the
 * password, profile and identities that it had. Single sign-on users are known by their connection alone.
 */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { maxUserData } from '../body.ts'
import { confirmEmail } from '../codes/confirm-email.ts'
import { mailConfirmation } from '../codes/mail-confirmation.ts'
import type { LinkNeeds } from '../codes/mail-link.ts'
import { bannedError } from '../banned.ts'
import { AuthError } from '../errors.ts'
import { claimMail } from '../spacing.ts'
import { noteProviders } from '../note-providers.ts'
import { findUserById, isEmailTaken, lockUser, type UserRow } from '../queries.ts'
import type { AuthSettings } from '../settings.ts'
import { addIdentity, chooseEmail, lockSubject } from './identities.ts'
import type { Person } from './provider.ts'
import { findIdentity } from './queries.ts'
import { takeOverAccount } from './take-over-account.ts'

export const ssoPrefix = 'sso:'
const isSso = (provider: string): boolean => provider.startsWith(ssoPrefix)

/** A refusal that is returned has done something, such as to queue a mail: the caller's transaction is to be kept. */
export async function admitPerson(
  tx: Tx,
  needs: LinkNeeds,
  provider: string,
  person: Person,
  redirectTo: string,
): Promise<UserRow | AuthError> {
  await lockSubject(tx, provider, person)
  const identity = await findIdentity(tx, provider, person)
  const userId = identity?.user_id ?? (await accountByAddress(tx, provider, person))
  const user = userId ? await lockUser(tx, userId) : await register(tx, needs, provider, person)
  if (user instanceof AuthError) return user
  if (!user || user.deleted_at) throw justMade()
  if (user.banned) throw await bannedError(tx, user.id)

  await actAsOwner(tx, user.id)
  const identityId = identity
    ? await renewIdentity(tx, identity.id, person)
    : await addIdentity(tx, provider, person, user.id)
  const proves = person.emails.some(({ email, verified }) => verified && email === user.email)
  if (proves && !user.is_proved) await takeOverAccount(tx, user, identityId, person)
  else if (proves || user.email_confirmed_at || user.phone_confirmed_at) {
    if (proves) await confirmEmail(tx, user)
    await mergeData(tx, user, person)
  } else return mailForProof(tx, needs, provider, user, identityId, redirectTo)
  await noteProviders(tx, user.id)
  return (await findUserById(tx, user.id))!
}

const justMade = () => new AuthError(409, 'conflict', 'This account was just made or deleted, please retry')

/**
 * The account whose own address is the provider's primary one; else the only one with another of the verified
 * addresses, as its own or as that of an identity. Deleted accounts have no address.
 */
async function accountByAddress(tx: Tx, provider: string, { emails }: Person): Promise<string | undefined> {
  const verified = emails.filter(each => each.verified)
  if (isSso(provider) || verified.length === 0) return undefined
  const addresses = verified.map(({ email }) => email)
  const primary = verified.find(each => each.primary)?.email ?? null
  const { rows } = await sql<{ id: string; is_primary: boolean }>`
    select u.id, u.email = ${primary} as is_primary from auth_user u
    where not u.is_sso_user and (u.email_confirmed_at is not null or u.phone_confirmed_at is null) and (
      u.email = any(${addresses}) or (u.email_confirmed_at is not null and exists (
        select 1 from auth_identity i
        where i.user_id = u.id and i.identity_data->>'email' = any(${addresses})
          and i.identity_data->'email_verified' = 'true'::jsonb)))`.execute(tx)
  const own = rows.find(row => row.is_primary)
  if (own) return own.id
  if (rows.length > 1)
    throw new AuthError(
      409,
      'conflict',
      'Several accounts have addresses of this identity. Sign in to one and link it',
    )
  return rows[0]?.id
}

/** The answer does not tell whether somebody has an address that the provider has not verified. */
async function register(
  tx: Tx,
  needs: { settings: AuthSettings },
  provider: string,
  { emails, data }: Person,
): Promise<UserRow | AuthError | null> {
  const { settings } = needs
  if (!settings.signUp) throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
  const chosen = chooseEmail(emails)
  if (!chosen)
    throw new AuthError(422, 'email_address_not_provided', 'Error getting user email from external provider')
  const { email, verified } = chosen
  const confirmed = verified || settings.autoconfirm
  const sso = isSso(provider)
  if (!verified && (await isEmailTaken(tx, email, newId()))) {
    await claimMail(tx, needs, 'resend:signup', email)
    return unverified(provider, true)
  }
  const id = newId()
  const { rows } = await sql`
    insert into auth_user (id, email, email_confirmed_at, is_proved, is_sso_user, app_metadata, user_metadata)
    values (${id}, ${email}, case when ${confirmed} then now() end, ${verified}, ${sso},
      ${JSON.stringify({ provider, providers: [provider] })}, ${JSON.stringify(data)})
    on conflict (email) where email is not null and not is_sso_user do nothing returning id`.execute(tx)
  return rows.length ? findUserById(tx, id) : null
}

function unverified(provider: string, mailed: boolean): AuthError {
  const wayOn = mailed
    ? `A confirmation email has been sent to your ${provider} email`
    : `Verify the email with ${provider} in order to sign in`
  return new AuthError(
    422,
    'provider_email_needs_verification',
    `Unverified email with ${provider}. ${wayOn}`,
  )
}

async function mailForProof(
  tx: Tx,
  needs: LinkNeeds,
  provider: string,
  user: UserRow,
  identityId: string,
  redirectTo: string,
): Promise<AuthError> {
  if (!user.email) throw unverified(provider, false)
  await claimMail(tx, needs, 'resend:signup', user.email)
  await noteProviders(tx, user.id)
  await mailConfirmation(tx, needs, user, null, redirectTo, { identityId })
  return unverified(provider, true)
}

/** The account's owner may have dropped the identity since it was found, before the account was locked. */
async function renewIdentity(tx: Tx, id: string, { data }: Person): Promise<string> {
  const { rows } = await sql`
    update auth_identity set identity_data = ${JSON.stringify(data)}, last_sign_in_at = now(), updated_at = now()
    where id = ${id} returning 1`.execute(tx)
  if (rows.length === 0) throw justMade()
  return id
}

/** Keeps what the provider says of them beside what they say themselves, as long as it fits into a token. */
async function mergeData(tx: Tx, user: UserRow, { data }: Person): Promise<void> {
  const merged = JSON.stringify({ ...user.user_metadata, ...data })
  if (Buffer.byteLength(merged) > maxUserData) return
  await tx.updateTable('auth_user').set({ user_metadata: merged }).where('id', '=', user.id).execute()
}
