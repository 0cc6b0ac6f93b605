/**
 * Which account somebody has whom a provider vouches for. Known by the provider's name for them; else by an address that
 * the provider has verified; else they get a new account. An account whose own address was never confirmed may have
 * been opened by somebody else in their name: its owner by address takes it over empty, without the password, profile
 * and identities that it had. Single sign-on users are known by their connection alone.
 */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { maxUserData } from '../body.ts'
import { AuthError } from '../errors.ts'
import { claimMail } from '../limits.ts'
import { mailConfirmation } from '../codes/mail-confirmation.ts'
import { dropOtps } from '../codes/otp.ts'
import { findUserById, isEmailTaken, lockUser, type UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import type { Person, ProviderEmail } from './provider.ts'

export const ssoPrefix = 'sso:'
const isSso = (provider: string): boolean => provider.startsWith(ssoPrefix)

/** A refusal that is returned has done something, such as to queue a mail: the caller's transaction is to be kept. */
export async function admit(
  tx: Tx,
  auth: AuthServices,
  provider: string,
  person: Person,
  redirectTo: string,
): Promise<UserRow | AuthError> {
  await lockSubject(tx, provider, person)
  const identity = await findIdentity(tx, provider, person)
  const userId = identity?.user_id ?? (await accountByAddress(tx, provider, person))
  const user = userId ? await lockUser(tx, userId) : await register(tx, auth, provider, person)
  if (user instanceof AuthError) return user
  if (!user || user.deleted_at) throw justMade()
  if (user.banned) throw banned()

  const identityId = identity
    ? await renewIdentity(tx, identity.id, person)
    : await addIdentity(tx, provider, person, user.id)
  if (user.email_confirmed_at || user.phone_confirmed_at) await mergeData(tx, user, person)
  else if (person.emails.some(({ email, verified }) => verified && email === user.email))
    await takeOver(tx, user.id, identityId, person)
  else return mailForProof(tx, auth, provider, user, redirectTo)
  await noteProviders(tx, user.id)
  return (await findUserById(tx, user.id))!
}

export const banned = () => new AuthError(403, 'user_banned', 'User is banned')
const justMade = () => new AuthError(409, 'conflict', 'This account was just made or deleted, please retry')

/** One at a time per identity: two arrivals must not make two accounts. Ends with the transaction. */
async function lockSubject(tx: Tx, provider: string, { subject }: Person): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`identity:${provider}:${subject}`}, 0))`.execute(
    tx,
  )
}

async function findIdentity(tx: Tx, provider: string, { subject }: Person) {
  return tx
    .selectFrom('auth_identity')
    .select(['id', 'user_id'])
    .where('provider', '=', provider)
    .where('provider_id', '=', subject)
    .executeTakeFirst()
}

/**
 * The account whose own address is the provider's primary one; else the only one with another of the verified addresses,
 * as its own or as that of an identity. Deleted accounts have no address.
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

/** Whether somebody has an address that the provider has not verified, cannot be told from the answer. */
async function register(
  tx: Tx,
  auth: AuthServices,
  provider: string,
  { emails, data }: Person,
): Promise<UserRow | AuthError | null> {
  const { settings } = auth
  if (!settings.signUp) throw new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')
  const chosen = chooseEmail(emails)
  if (!chosen)
    throw new AuthError(422, 'email_address_not_provided', 'Error getting user email from external provider')
  const { email, verified } = chosen
  const confirmed = verified || settings.autoconfirm
  const sso = isSso(provider)
  if (!verified && (await isEmailTaken(tx, email, newId()))) {
    await claimMail(tx, auth, 'resend:signup', email)
    return unverified(provider, true)
  }
  const id = newId()
  const { rows } = await sql`
    insert into auth_user (id, email, email_confirmed_at, is_sso_user, app_metadata, user_metadata)
    values (${id}, ${email}, case when ${confirmed} then now() end, ${sso},
      ${JSON.stringify({ provider, providers: [provider] })}, ${JSON.stringify(data)})
    on conflict (email) where email is not null and not is_sso_user do nothing returning id`.execute(tx)
  return rows.length ? findUserById(tx, id) : null
}

function chooseEmail(emails: readonly ProviderEmail[]): ProviderEmail | undefined {
  return (
    emails.find(each => each.primary && each.verified) ??
    emails.find(each => each.verified) ??
    emails.find(each => each.primary) ??
    emails[0]
  )
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
  auth: AuthServices,
  provider: string,
  user: UserRow,
  redirectTo: string,
): Promise<AuthError> {
  if (!user.email) throw unverified(provider, false)
  await claimMail(tx, auth, 'resend:signup', user.email)
  await noteProviders(tx, user.id)
  await mailConfirmation(tx, auth, user, null, redirectTo)
  return unverified(provider, true)
}

async function renewIdentity(tx: Tx, id: string, { data }: Person): Promise<string> {
  await sql`
    update auth_identity set identity_data = ${JSON.stringify(data)}, last_sign_in_at = now(), updated_at = now()
    where id = ${id}`.execute(tx)
  return id
}

async function addIdentity(
  tx: Tx,
  provider: string,
  { subject, data }: Person,
  userId: string,
): Promise<string> {
  const id = newId()
  await sql`
    insert into auth_identity (id, user_id, provider, provider_id, identity_data, last_sign_in_at)
    values (${id}, ${userId}, ${provider}, ${subject}, ${JSON.stringify(data)}, now())`.execute(tx)
  return id
}

/** What the provider says of them is kept beside what they say themselves, as long as it fits into a token. */
async function mergeData(tx: Tx, user: UserRow, { data }: Person): Promise<void> {
  const merged = JSON.stringify({ ...user.user_metadata, ...data })
  if (Buffer.byteLength(merged) > maxUserData) return
  await sql`update auth_user set user_metadata = ${merged}::jsonb where id = ${user.id}`.execute(tx)
}

async function takeOver(tx: Tx, userId: string, identityId: string, { data }: Person): Promise<void> {
  await sql`delete from auth_identity where user_id = ${userId} and id <> ${identityId}`.execute(tx)
  await sql`delete from auth_session where user_id = ${userId}`.execute(tx)
  await sql`delete from auth_code where user_id = ${userId}`.execute(tx)
  await sql`delete from auth_factor where user_id = ${userId}`.execute(tx)
  await dropOtps(tx, userId)
  await sql`
    update auth_user set email_confirmed_at = now(), password_hash = null, new_email = null, new_phone = null,
      user_metadata = ${JSON.stringify(data)}, updated_at = now()
    where id = ${userId}`.execute(tx)
  await sql`
    update profiles set first_name = left(coalesce(${data['first_name'] ?? null}, ''), 120),
      last_name = left(coalesce(${data['last_name'] ?? null}, ''), 120), company = '', role = '', use_case = ''
    where user_id = ${userId}`.execute(tx)
}

export async function noteProviders(tx: Tx, userId: string): Promise<void> {
  await sql`select auth_note_providers(${userId})`.execute(tx)
}

/** The same for somebody who is signed in and adds the identity to their account. */
export async function link(tx: Tx, provider: string, person: Person, userId: string): Promise<UserRow> {
  await lockSubject(tx, provider, person)
  const user = await lockUser(tx, userId)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (user.banned) throw banned()
  const identity = await findIdentity(tx, provider, person)
  if (identity) {
    const whose = identity.user_id === userId ? '' : ' to another user'
    throw new AuthError(422, 'identity_already_exists', `Identity is already linked${whose}`)
  }
  await addIdentity(tx, provider, person, userId)
  if (!user.email) await giveAddress(tx, userId, person)
  await noteProviders(tx, userId)
  return (await findUserById(tx, userId))!
}

/** To somebody who had a phone alone. */
async function giveAddress(tx: Tx, userId: string, { emails }: Person): Promise<void> {
  const chosen = chooseEmail(emails)
  if (!chosen?.verified || (await isEmailTaken(tx, chosen.email, userId))) return
  await sql`
    update auth_user set email = ${chosen.email}, email_confirmed_at = now(), updated_at = now()
    where id = ${userId}`.execute(tx)
}

/** The same for somebody whom an invitation led here: holding it proves the invited address. */
export async function acceptInvitation(
  tx: Tx,
  provider: string,
  person: Person,
  userId: string,
): Promise<UserRow> {
  await lockSubject(tx, provider, person)
  const user = await lockUser(tx, userId)
  const invited = await sql`
    select 1 from auth_otp where user_id = ${userId} and kind = 'invite' and expires_at > now()`.execute(tx)
  if (!user || invited.rows.length === 0) throw new AuthError(404, 'user_not_found', 'User not found')
  if (user.banned) throw banned()
  if (!person.emails.some(({ email }) => email === user.email))
    throw new AuthError(
      400,
      'validation_failed',
      'Invited email does not match emails from external provider',
    )
  if (await findIdentity(tx, provider, person))
    throw new AuthError(422, 'identity_already_exists', 'Identity is already linked to another user')
  await takeOver(tx, userId, await addIdentity(tx, provider, person, userId), person)
  await noteProviders(tx, userId)
  return (await findUserById(tx, userId))!
}
