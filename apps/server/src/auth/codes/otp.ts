/**
 * Codes: mailed links, and short codes that a person types. A link's token is the SHA-224 of address and code (`pkce_` before it when the browser is to exchange the
 * outcome itself); the same code can be typed together with the address. The database holds only the token's SHA-256,
 * compared in constant time. A newer mail replaces the older; after too many wrong guesses a code is worth nothing.
 */
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type Letter, queueMail } from '../../worker/mail.ts'
import type { LinkMail } from '../letters/letters.ts'
import { takeMail } from '../limits.ts'
import type { Challenge } from './pkce.ts'
import type { AuthServices } from '../services.ts'
import { basePath } from '../sessions/tokens.ts'

export type OtpKind =
  | 'signup'
  | 'recovery'
  | 'magiclink'
  | 'invite'
  | 'email_change_current'
  | 'email_change_new'

/** Codes of a few digits, sent without a link. They lie sealed, since their hash could be tried out. */
export type TypedKind = 'sms' | 'phone_change' | 'reauthentication'

/** What links and clients call a kind. */
export type LinkType = 'signup' | 'recovery' | 'magiclink' | 'invite' | 'email_change'

/** Kinds that a verification of a type accepts: a sign-up may answer an invitation, a magic link a recovery. */
const kindsOf: Readonly<Record<LinkType | 'email', readonly OtpKind[]>> = {
  signup: ['signup', 'invite'],
  invite: ['signup', 'invite'],
  recovery: ['recovery', 'magiclink'],
  magiclink: ['recovery', 'magiclink'],
  email: ['signup', 'invite', 'recovery', 'magiclink'],
  email_change: ['email_change_current', 'email_change_new'],
}

export const acceptedKinds = (type: string): readonly OtpKind[] | null =>
  Object.hasOwn(kindsOf, type) ? kindsOf[type as LinkType] : null

const pkcePrefix = 'pkce_'
export const isPkceToken = (token: string): boolean => token.startsWith(pkcePrefix)

export interface Mailing {
  readonly userId: string
  readonly kind: OtpKind
  readonly type: LinkType
  readonly to: string
  readonly challenge: Challenge | null
  readonly redirectTo: string
  letter(mail: LinkMail): Letter
}

/** Makes the code and queues its mail, in the transaction that asked for it. */
export async function mailLink(tx: Tx, auth: AuthServices, mailing: Mailing): Promise<void> {
  await takeMail(tx, auth)
  const { link, expiresAt } = await makeLink(tx, auth, mailing)
  const host = new URL(auth.siteUrl).host
  await queueMail(tx, auth.vault, mailing.letter({ to: mailing.to, link, expiresAt, host }))
}

export interface Link {
  readonly link: string
  readonly token: string
  readonly code: string
  readonly expiresAt: Date
}

/** The link without its mail. */
export async function makeLink(
  tx: Tx,
  { settings, siteUrl }: AuthServices,
  mailing: Omit<Mailing, 'letter'>,
): Promise<Link> {
  const code = makeCode(settings.otpDigits)
  const token = (mailing.challenge ? pkcePrefix : '') + tokenOf(mailing.to, code)
  const expiresAt = new Date(Date.now() + settings.otpLifeSeconds * 1000)
  await sql`
    insert into auth_otp (user_id, kind, token_hash, code_challenge, code_challenge_method, expires_at)
    values (${mailing.userId}, ${mailing.kind}, ${hashOf(token)}, ${mailing.challenge?.challenge ?? null},
      ${mailing.challenge?.method ?? null}, ${expiresAt})
    on conflict (user_id, kind) do update set token_hash = excluded.token_hash, failed_attempts = 0,
      code_challenge = excluded.code_challenge, code_challenge_method = excluded.code_challenge_method,
      sent_at = now(), expires_at = excluded.expires_at`.execute(tx)
  const redirectTo = /[&=#]/.test(mailing.redirectTo)
    ? encodeURIComponent(mailing.redirectTo)
    : mailing.redirectTo
  const link = `${siteUrl}${basePath}/verify?token=${token}&type=${mailing.type}&redirect_to=${redirectTo}`
  return { link, token, code, expiresAt }
}

const makeCode = (digits: number): string => Array.from({ length: digits }, () => randomInt(10)).join('')

const tokenOf = (address: string, code: string): string =>
  createHash('sha224')
    .update(address + code)
    .digest('hex')
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** A code to send; `keepCode` makes it count. */
export const makeTypedCode = ({ settings }: AuthServices): string => makeCode(settings.typedDigits)

/** Returns until when the code works. */
export async function keepCode(
  tx: Tx,
  { settings, vault }: AuthServices,
  userId: string,
  kind: TypedKind,
  code: string,
  lifeSeconds = settings.smsLifeSeconds,
): Promise<Date> {
  const expiresAt = new Date(Date.now() + lifeSeconds * 1000)
  // No link leads to it.
  const tokenHash = randomBytes(32).toString('hex')
  await sql`
    insert into auth_otp (user_id, kind, token_hash, code_sealed, expires_at)
    values (${userId}, ${kind}, ${tokenHash}, ${vault.seal(code, typedContext(userId, kind))}, ${expiresAt})
    on conflict (user_id, kind) do update set token_hash = excluded.token_hash, code_sealed = excluded.code_sealed,
      failed_attempts = 0, sent_at = now(), expires_at = excluded.expires_at`.execute(tx)
  return expiresAt
}

const typedContext = (userId: string, kind: TypedKind) => `otp:${kind}:${userId}`

export interface Otp {
  readonly user_id: string
  readonly kind: OtpKind | TypedKind
  readonly code_challenge: string | null
  readonly code_challenge_method: Challenge['method'] | null
}

interface OtpRow extends Otp {
  readonly token_hash: string
  readonly code_sealed: Buffer | null
  readonly usable: boolean
}

const otpColumns = (auth: AuthServices) => sql`
  o.user_id, o.kind, o.token_hash, o.code_sealed, o.code_challenge, o.code_challenge_method,
  o.expires_at > now() and o.failed_attempts < ${auth.settings.maxOtpFailures} as usable`

/** The code behind a link, locked; null when it is unknown, used, expired or guessed at too often. */
export async function findOtpByToken(
  tx: Tx,
  auth: AuthServices,
  kinds: readonly OtpKind[],
  token: string,
): Promise<Otp | null> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(auth)} from auth_otp o
    where o.token_hash = ${hashOf(token)} and o.kind = any(${kinds}) for update`.execute(tx)
  return rows[0]?.usable ? rows[0] : null
}

/** The same for a typed code. A wrong one counts against every code that it may have been meant for. */
export async function findOtpByCode(
  tx: Tx,
  auth: AuthServices,
  kinds: readonly OtpKind[],
  address: string,
  code: string,
): Promise<Otp | null> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(auth)} from auth_otp o join auth_user u on u.id = o.user_id
    where o.kind = any(${kinds}) and ((u.email = ${address} and o.kind <> 'email_change_new')
      or (u.new_email = ${address} and o.kind = 'email_change_new'))
    order by o.user_id, o.kind for update of o`.execute(tx)
  const token = tokenOf(address, code)
  const match = rows.find(row => row.usable && isOneOf(row.token_hash, token, pkcePrefix + token))
  if (match) return match
  await countFailure(tx, rows)
  return null
}

/** A code sent to a phone, present or asked for. */
export async function findOtpByPhone(
  tx: Tx,
  auth: AuthServices,
  kind: 'sms' | 'phone_change',
  phone: string,
  code: string,
): Promise<Otp | null> {
  const owner = kind === 'sms' ? sql`u.phone = ${phone}` : sql`u.new_phone = ${phone}`
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(auth)} from auth_otp o join auth_user u on u.id = o.user_id
    where o.kind = ${kind} and ${owner} order by o.user_id for update of o`.execute(tx)
  return findTyped(tx, auth, rows, code)
}

/** Whether a user typed the code that was sent to confirm that it is them. */
export async function isNonce(tx: Tx, auth: AuthServices, userId: string, code: string): Promise<boolean> {
  const { rows } = await sql<OtpRow>`
    select ${otpColumns(auth)} from auth_otp o
    where o.user_id = ${userId} and o.kind = 'reauthentication' for update`.execute(tx)
  return (await findTyped(tx, auth, rows, code)) !== null
}

async function findTyped(
  tx: Tx,
  { vault }: AuthServices,
  rows: readonly OtpRow[],
  code: string,
): Promise<Otp | null> {
  const match = rows.find(row => {
    const kept = vault.open(row.code_sealed!, typedContext(row.user_id, row.kind as TypedKind))
    return row.usable && timingSafeEqual(sha256(kept), sha256(code))
  })
  if (match) return match
  await countFailure(tx, rows)
  return null
}

const sha256 = (value: string | Buffer): Buffer => createHash('sha256').update(value).digest()

async function countFailure(tx: Tx, rows: readonly OtpRow[]): Promise<void> {
  for (const row of rows) {
    await sql`update auth_otp set failed_attempts = failed_attempts + 1
      where user_id = ${row.user_id} and kind = ${row.kind}`.execute(tx)
  }
}

function isOneOf(tokenHash: string, ...tokens: readonly string[]): boolean {
  const expected = Buffer.from(tokenHash)
  return tokens.filter(token => timingSafeEqual(expected, Buffer.from(hashOf(token)))).length > 0
}

/** After a confirmation or a new password, older mails are worth nothing. */
export async function dropOtps(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('auth_otp').where('user_id', '=', userId).execute()
}
