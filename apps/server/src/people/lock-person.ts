import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { lockWallet } from '../ledger/ledger.ts'

interface Person {
  readonly email: string | null
  readonly banned_until: string | null
  readonly suspended_at: string | null
}

/**
 * The account as it is now; nobody else changes it, or starts something of it, before the transaction ends. A deleted one
 * is nobody's. The wallet's lock comes first, as for every start.
 */
export async function lockPerson(tx: Tx, userId: string): Promise<Person> {
  const user = tx
    .selectFrom('auth_user')
    .select('id')
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
  if (!(await user.executeTakeFirst())) throw new IngotError('not_found')
  await lockWallet(tx, userId)
  await user.forNoKeyUpdate().execute()
  const { rows } = await sql<Person>`
    select u.email, case when u.banned_until > now() then u.banned_until end as banned_until, s.suspended_at
    from auth_user u left join suspension s on s.user_id = u.id
    where u.id = ${userId} and u.deleted_at is null`.execute(tx)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

/**
 * Whoever acts is an administrator still. Acts on people come one after the other: of two who suspend each other at once
 * the second is one no more.
 */
export async function assertStillAdministrator(tx: Tx, by: string): Promise<void> {
  await sql`select from user_roles where role = 'admin' order by user_id for update`.execute(tx)
  const { rows } = await sql`
    select from auth_user u join user_roles r on r.user_id = u.id
    where u.id = ${by} and r.role = 'admin' and not coalesce(u.banned_until > now(), false)`.execute(tx)
  if (!rows.length) throw new IngotError('not_allowed')
}
