/**
 * Bans. One that administrators give a reason for is a suspension (`suspension`); of the auth service's own calls it is a
 * ban like any other.
 */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { AuthError } from './errors.ts'

interface Row {
  readonly banned: boolean
  readonly reason: string | null
}

async function find(db: Db | Tx, userId: string): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select coalesce(u.banned_until > now(), false) as banned, s.reason
    from auth_user u left join suspension s on s.user_id = u.id where u.id = ${userId}`.execute(db)
  return rows[0]
}

/**
 * What somebody is answered who has proved that the account is theirs. Strangers never are: they do not learn that there
 * is an account.
 */
export async function bannedError(db: Db | Tx, userId: string, status = 403): Promise<AuthError> {
  const reason = (await find(db, userId))?.reason
  return new AuthError(
    status,
    'user_banned',
    reason == null
      ? 'User is banned'
      : `This account is suspended: ${reason.trim().replace(/\.$/, '')}. To have it looked at, write to us by the contact page.`,
  )
}

/**
 * Nothing of a banned account starts: not by a call that was let in before, nor by a schedule or a turn in the queue. The
 * wallet is locked, so whoever suspends the account comes before this or after it.
 */
export async function assertNotBanned(tx: Tx, userId: string): Promise<void> {
  const found = await find(tx, userId)
  if (!found?.banned) return
  throw new IngotError('not_allowed', {
    message: found.reason === null ? 'The account is closed for now.' : 'The account is suspended.',
  })
}
