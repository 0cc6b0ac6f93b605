/** POST /admin/users: an account as the administrator says, without any mail. */
import { sql } from 'kysely'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { isId } from '@ingot/contracts/operation'
import { newId } from '../../db/ids.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import { findUserById, presentUser, type UserBody } from '../queries.ts'
import type { AuthSettings } from '../settings.ts'
import { assertAddressFree } from './assert-address-free.ts'
import { insertIdentity } from './insert-identity.ts'
import { readUserFields, type UserFields } from './user-fields.ts'

export async function adminCreateUser(
  needs: { database: Database; settings: AuthSettings },
  body: Body,
): Promise<UserBody> {
  const given = body.text('id')
  if (given && !isId(given)) throw invalid('id must be an UUID')
  const fields = await readUserFields(body, needs.settings)
  if (!fields.email && !fields.phone) throw invalid('Cannot create a user without either an email or phone')
  const user = await inTransaction(needs.database.kysely, async tx => {
    const id = given.toLowerCase() || newId()
    await assertAddressFree(tx, id, fields)
    await insertUser(tx, id, fields)
    for (const provider of providersOf(fields)) await insertIdentity(tx, id, provider, fields)
    return (await findUserById(tx, id))!
  })
  return presentUser(user)
}

const providersOf = ({ email, phone }: UserFields): ('email' | 'phone')[] => [
  ...(email ? (['email'] as const) : []),
  ...(phone ? (['phone'] as const) : []),
]

async function insertUser(tx: Tx, id: string, fields: UserFields): Promise<void> {
  const providers = providersOf(fields)
  const appMetadata = { provider: providers[0], providers, ...fields.appMetadata }
  const { rows } = await sql`
    insert into auth_user (id, role, email, email_confirmed_at, phone, phone_confirmed_at, password_hash, is_proved,
      app_metadata, user_metadata, banned_until)
    values (${id}, ${fields.role ?? 'authenticated'}, ${fields.email},
      case when ${fields.emailConfirm && fields.email !== null} then now() end, ${fields.phone},
      case when ${fields.phoneConfirm && fields.phone !== null} then now() end, ${fields.passwordHash}, true,
      ${JSON.stringify(appMetadata)}, ${JSON.stringify(fields.userMetadata ?? {})},
      case when ${fields.banSeconds ?? 0} > 0 then now() + ${fields.banSeconds ?? 0} * interval '1 second' end)
    on conflict do nothing returning id`.execute(tx)
  if (rows.length === 0) throw new AuthError(409, 'conflict', 'This id, address or phone was just taken')
}
