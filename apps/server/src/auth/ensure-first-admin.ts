/**
 * The account that a fresh installation starts with. Its password is shown once, by whoever calls this, and kept
 * nowhere.
 */
import { randomInt } from 'node:crypto'
import { type Database, inTransaction } from '../db/database.ts'
import { createUser } from './create-user.ts'
import { hashPassword } from './passwords/passwords.ts'

export const firstAdminEmail = 'admin@ingot.local'

/** No characters that look like others. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const passwordLength = 24

/** Null when there is any account already. Of several processes that start at once, one makes it. */
export async function ensureFirstAdmin(
  database: Database,
): Promise<{ email: string; password: string } | null> {
  const db = database.kysely
  const someone = await db.selectFrom('auth_user').select('id').limit(1).executeTakeFirst()
  if (someone) return null
  const password = Array.from({ length: passwordLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  const passwordHash = await hashPassword(password)
  return inTransaction(db, async tx => {
    const asked = { email: firstAdminEmail, passwordHash, data: {}, confirmed: true, given: true }
    const admin = await createUser(tx, asked)
    if (!admin) return null
    await tx.insertInto('user_roles').values({ user_id: admin.id, role: 'admin', created_by: null }).execute()
    return { email: firstAdminEmail, password }
  })
}
