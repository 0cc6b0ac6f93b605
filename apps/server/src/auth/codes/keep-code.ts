/** Keeps a code that a person types from a phone or a mail. The newer one replaces the older. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type OtpNeeds, typedContext, type TypedKind } from './otp.ts'
import type { Sets } from './sets.ts'

/** Returns until when the code works. */
export async function keepCode(
  tx: Tx,
  { settings, vault }: OtpNeeds,
  userId: string,
  kind: TypedKind,
  code: string,
  lifeSeconds = settings.smsLifeSeconds,
  { passwordHash = null }: Sets = {},
): Promise<Date> {
  const expiresAt = new Date(Date.now() + lifeSeconds * 1000)
  // No link leads to it.
  const tokenHash = randomBytes(32).toString('hex')
  await sql`
    insert into auth_otp (user_id, kind, token_hash, code_sealed, password_hash, expires_at)
    values (${userId}, ${kind}, ${tokenHash}, ${vault.seal(code, typedContext(userId, kind))}, ${passwordHash},
      ${expiresAt})
    on conflict (user_id, kind) do update set token_hash = excluded.token_hash, code_sealed = excluded.code_sealed,
      password_hash = excluded.password_hash, failed_attempts = 0, asker_failures = 0, sent_at = now(), expires_at = excluded.expires_at`.execute(
    tx,
  )
  return expiresAt
}
