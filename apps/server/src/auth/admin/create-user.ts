/** POST /admin/users: an account as the administrator says, without any mail. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Body } from '../body.ts'
import { emailExists, phoneExists } from '../codes/confirm.ts'
import { AuthError, invalid } from '../errors.ts'
import { findUserById, isEmailTaken, isPhoneTaken, presentUser, type UserBody } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import { readUserFields, type UserFields } from './user-fields.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function adminCreateUser(auth: AuthServices, body: Body): Promise<UserBody> {
  const given = body.text('id')
  if (given && !uuid.test(given)) throw invalid('id must be an UUID')
  const fields = await readUserFields(body, auth.settings)
  if (!fields.email && !fields.phone) throw invalid('Cannot create a user without either an email or phone')
  const user = await inTransaction(auth.database.kysely, async tx => {
    const id = given.toLowerCase() || newId()
    await assertFree(tx, id, fields)
    await insertUser(tx, id, fields)
    for (const provider of providersOf(fields)) await insertIdentity(tx, id, provider, fields)
    return (await findUserById(tx, id))!
  })
  return presentUser(user)
}

export async function assertFree(tx: Tx, id: string, { email, phone }: UserFields): Promise<void> {
  if (email && (await isEmailTaken(tx, email, id))) throw emailExists()
  if (phone && (await isPhoneTaken(tx, phone, id))) throw phoneExists()
}

const providersOf = ({ email, phone }: UserFields): ('email' | 'phone')[] => [
  ...(email ? (['email'] as const) : []),
  ...(phone ? (['phone'] as const) : []),
]

async function insertUser(tx: Tx, id: string, fields: UserFields): Promise<void> {
  const providers = providersOf(fields)
  const appMetadata = { provider: providers[0], providers, ...fields.appMetadata }
  const { rows } = await sql`
    insert into auth_user (id, role, email, email_confirmed_at, phone, phone_confirmed_at, password_hash, app_metadata,
      user_metadata, banned_until)
    values (${id}, ${fields.role ?? 'authenticated'}, ${fields.email},
      case when ${fields.emailConfirm && fields.email !== null} then now() end, ${fields.phone},
      case when ${fields.phoneConfirm && fields.phone !== null} then now() end, ${fields.passwordHash},
      ${JSON.stringify(appMetadata)}, ${JSON.stringify(fields.userMetadata ?? {})},
      case when ${fields.banSeconds ?? 0} > 0 then now() + ${fields.banSeconds ?? 0} * interval '1 second' end)
    on conflict do nothing returning id`.execute(tx)
  if (rows.length === 0) throw new AuthError(409, 'conflict', 'This id, address or phone was just taken')
}

export async function insertIdentity(
  tx: Tx,
  userId: string,
  provider: 'email' | 'phone',
  { email, phone, emailConfirm, phoneConfirm }: UserFields,
): Promise<void> {
  const data = {
    sub: userId,
    ...(provider === 'email' ? { email } : { phone }),
    email_verified: provider === 'email' && emailConfirm,
    phone_verified: provider === 'phone' && phoneConfirm,
  }
  await sql`
    insert into auth_identity (id, user_id, provider, provider_id, identity_data)
    values (${newId()}, ${userId}, ${provider}, ${userId}, ${JSON.stringify(data)})
    on conflict (provider, provider_id) do update
    set identity_data = auth_identity.identity_data || excluded.identity_data, updated_at = now()`.execute(tx)
}
