/** POST /admin/generate_link: a link of any kind, given to the administrator's program instead of being mailed. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { appendAudit } from '../../db/audit-log.ts'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { type Link, makeLink } from '../codes/make-link.ts'
import type { LinkType, OtpKind } from '../codes/otp.ts'
import type { Sets } from '../codes/sets.ts'
import { createUser } from '../create-user.ts'
import { AuthError, emailExists, invalid } from '../errors.ts'
import { assertGoodPassword, hashPassword } from '../passwords/passwords.ts'
import {
  findUserByEmail,
  findUserById,
  isEmailTaken,
  lockUserByEmail,
  presentUser,
  type UserBody,
  type UserRow,
} from '../queries.ts'
import { allowedRedirect } from '../redirect.ts'
import type { AuthSettings } from '../settings.ts'
import type { Visitor } from '../visitor.ts'
import { makeInvitedUser } from './make-invited-user.ts'

interface GenerateNeeds {
  readonly database: Database
  readonly settings: AuthSettings
  readonly siteUrl: string
}

const types = [
  'signup',
  'invite',
  'magiclink',
  'recovery',
  'email_change_current',
  'email_change_new',
] as const
type Type = (typeof types)[number]

interface Asked {
  readonly type: Type
  readonly email: string
  readonly data: Record<string, unknown>
  readonly newEmail: string
  readonly passwordHash: string | null
  readonly redirectTo: string
}

export async function generateLink(needs: GenerateNeeds, body: Body, visitor: Visitor): Promise<UserBody> {
  const asked = await readAsked(needs, body, visitor)
  const { user, link } = await inTransaction(needs.database.kysely, async tx => {
    const { userId, link } = await make(tx, needs, asked)
    await appendAudit(tx, { kind: 'account', id: userId, userId, after: { link: asked.type } })
    return { user: (await findUserById(tx, userId))!, link }
  })
  return {
    ...presentUser(user),
    action_link: link.link,
    email_otp: link.code,
    hashed_token: link.token,
    verification_type: asked.type,
    redirect_to: asked.redirectTo,
  }
}

async function readAsked(needs: GenerateNeeds, body: Body, visitor: Visitor): Promise<Asked> {
  const given = body.text('type', 64)
  const email = readEmail(body.text('email', 1024))
  const type = types.find(each => each === given)
  if (!type) throw invalid(`Invalid email action link type requested: ${given}`)
  const there = await findUserByEmail(needs.database.kysely, email)
  if (!there && type !== 'signup' && type !== 'invite' && type !== 'magiclink')
    throw new AuthError(404, 'user_not_found', 'User with this email not found')
  const redirectTo = body.text('redirect_to', 2048)
  return {
    // A magic link for somebody new is a sign-up with a password that nobody knows.
    type: !there && type === 'magiclink' ? 'signup' : type,
    email,
    data: body.object('data') ?? {},
    newEmail: type.startsWith('email_change') ? readNewEmail(needs, type, body) : '',
    passwordHash: there?.email_confirmed_at
      ? null
      : await readPassword(needs, type, !there, body.text('password', 1024)),
    redirectTo: allowedRedirect(redirectTo, needs) ?? visitor.redirectTo,
  }
}

function readNewEmail({ settings }: { settings: AuthSettings }, type: Type, body: Body): string {
  if (type === 'email_change_current' && !settings.secureEmailChange)
    throw invalid('Enable secure email change to generate link for current email')
  return readEmail(body.text('new_email', 1024))
}

async function readPassword(
  { settings }: { settings: AuthSettings },
  type: Type,
  isNew: boolean,
  password: string,
): Promise<string | null> {
  if (type === 'magiclink' && isNew) return hashPassword(randomBytes(32).toString('base64url'))
  if (type !== 'signup') return null
  if (!password && !isNew) return null
  if (!password) throw invalid('Signup requires a valid password')
  assertGoodPassword(password, settings)
  return hashPassword(password)
}

async function make(
  tx: Tx,
  needs: { settings: AuthSettings; siteUrl: string },
  asked: Asked,
): Promise<{ userId: string; link: Link }> {
  const { type, email } = asked
  const issue = async (userId: string, kind: OtpKind, linkType: LinkType, to: string, sets: Sets = {}) => ({
    userId,
    link: await makeLink(tx, needs, {
      userId,
      kind,
      type: linkType,
      to,
      challenge: null,
      redirectTo: asked.redirectTo,
      sets,
    }),
  })
  if (type === 'invite') {
    const { id } = await makeInvitedUser(tx, email, asked.data)
    return issue(id, 'invite', 'invite', email)
  }
  if (type === 'signup') {
    const { id } = await newUser(tx, asked)
    await sql`update auth_user set confirmation_sent_at = now() where id = ${id}`.execute(tx)
    return issue(id, 'signup', 'signup', email, { passwordHash: asked.passwordHash })
  }
  const user = await existingUser(tx, email)
  if (type === 'magiclink' || type === 'recovery') {
    await sql`update auth_user set recovery_sent_at = now() where id = ${user.id}`.execute(tx)
    return issue(user.id, type, type, email)
  }
  await wantNewEmail(tx, user, asked.newEmail)
  const half = { email_change_current: email, email_change_new: asked.newEmail }
  // Both addresses have to agree, so the other half is open until its own link is made and followed.
  const other = type === 'email_change_current' ? 'email_change_new' : 'email_change_current'
  if (needs.settings.secureEmailChange && !(await isOpen(tx, user.id, other)))
    await issue(user.id, other, 'email_change', half[other])
  return issue(user.id, type, 'email_change', half[type])
}

async function newUser(tx: Tx, { email, passwordHash, data }: Asked): Promise<UserRow> {
  const made = await createUser(tx, { email, passwordHash, data, confirmed: false, given: true })
  if (made) return made
  const user = await existingUser(tx, email)
  if (user.email_confirmed_at) throw emailExists()
  return user
}

async function existingUser(tx: Tx, email: string): Promise<UserRow> {
  const user = await lockUserByEmail(tx, email)
  if (!user) throw new AuthError(404, 'user_not_found', 'User with this email not found')
  return user
}

async function wantNewEmail(tx: Tx, user: UserRow, newEmail: string): Promise<void> {
  if (await isEmailTaken(tx, newEmail, user.id)) throw emailExists()
  if (user.new_email !== newEmail) {
    await tx
      .deleteFrom('auth_otp')
      .where('user_id', '=', user.id)
      .where('kind', 'in', ['email_change_current', 'email_change_new'])
      .execute()
  }
  await sql`
    update auth_user set new_email = ${newEmail}, email_change_sent_at = now(), updated_at = now()
    where id = ${user.id}`.execute(tx)
}

async function isOpen(tx: Tx, userId: string, kind: OtpKind): Promise<boolean> {
  const open = await tx
    .selectFrom('auth_otp')
    .select('kind')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return open !== undefined
}
