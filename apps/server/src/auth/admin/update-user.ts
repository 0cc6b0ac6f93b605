/** PUT /admin/users/{id}: what is given takes effect at once. A new password or address ends what older ones led to. */
import { sql } from 'kysely'
import { appendAuditAnyway } from '../../db/audit-log.ts'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { assertAnotherAdministrator } from '../assert-another-administrator.ts'
import { type Body, maxUserData } from '../body.ts'
import { confirmEmail } from '../codes/confirm-email.ts'
import { confirmPhone } from '../codes/confirm-phone.ts'
import { dropOtps } from '../codes/drop-otps.ts'
import { invalid } from '../errors.ts'
import { noteProviders } from '../note-providers.ts'
import { findUserById, lockUser, presentUser, type UserBody } from '../queries.ts'
import type { AuthSettings } from '../settings.ts'
import { assertAddressFree } from './assert-address-free.ts'
import { insertIdentity } from './insert-identity.ts'
import { noSuchUser } from './queries.ts'
import { readUserFields, type UserFields } from './user-fields.ts'

export async function adminUpdateUser(
  needs: { database: Database; settings: AuthSettings },
  userId: string,
  body: Body,
): Promise<UserBody> {
  const fields = await readUserFields(body, needs.settings)
  const user = await inTransaction(needs.database.kysely, async tx => {
    const before = await lockUser(tx, userId)
    if (!before || before.deleted_at) throw noSuchUser()
    await assertAddressFree(tx, userId, fields)
    if (fields.banSeconds) await assertAnotherAdministrator(tx, userId)
    await writeFields(tx, userId, fields)
    if (fields.email) await insertIdentity(tx, userId, 'email', fields)
    if (fields.phone) await insertIdentity(tx, userId, 'phone', fields)
    if (fields.email || fields.phone) await noteProviders(tx, userId)
    await mergeMetadata(tx, userId, 'user_metadata', before.user_metadata, fields.userMetadata)
    if (fields.appMetadata) {
      const { app_metadata } = (await findUserById(tx, userId))!
      await mergeMetadata(tx, userId, 'app_metadata', app_metadata, fields.appMetadata)
    }
    const after = (await findUserById(tx, userId))!
    if (fields.emailConfirm && after.email) await confirmEmail(tx, after)
    if (fields.phoneConfirm && after.phone) await confirmPhone(tx, after)
    await appendAuditAnyway(tx, { kind: 'account', id: userId, userId })
    return (await findUserById(tx, userId))!
  })
  return presentUser(user)
}

async function writeFields(tx: Tx, userId: string, fields: UserFields): Promise<void> {
  const { email, phone, role, passwordHash, banSeconds } = fields
  await sql`
    update auth_user set updated_at = now(), role = coalesce(${role}, role), email = coalesce(${email}, email),
      phone = coalesce(${phone}, phone), is_anonymous = is_anonymous and coalesce(${email}, ${phone}) is null,
      password_hash = coalesce(${passwordHash}, password_hash),
      password_given = password_given or ${passwordHash !== null},
      password_dropped = password_dropped and ${passwordHash === null},
      banned_until = case when ${banSeconds}::float8 is null then banned_until
        when ${banSeconds}::float8 > 0 then now() + ${banSeconds}::float8 * interval '1 second' end
    where id = ${userId}`.execute(tx)
  if (passwordHash) await tx.deleteFrom('auth_session').where('user_id', '=', userId).execute()
  if (!passwordHash && !email && !phone) return
  await dropOtps(tx, userId)
  await tx.deleteFrom('auth_code').where('user_id', '=', userId).execute()
}

/** Null removes a key. */
async function mergeMetadata(
  tx: Tx,
  userId: string,
  column: 'user_metadata' | 'app_metadata',
  before: Readonly<Record<string, unknown>>,
  changes: Record<string, unknown> | null,
): Promise<void> {
  if (!changes) return
  const merged = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null)
  const json = JSON.stringify(Object.fromEntries(merged))
  if (Buffer.byteLength(json) > maxUserData)
    throw invalid(`${column} is too large (at most ${maxUserData} bytes in all)`)
  await tx.updateTable('auth_user').set(column, json).where('id', '=', userId).execute()
}
