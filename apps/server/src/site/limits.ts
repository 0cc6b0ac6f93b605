/**
 * Limits on what anybody may send without signing in, counted in PostgreSQL: forms per sender, letters per address, and
 * the same thing sent twice.
 */
import { createHash } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { networkOf } from '../auth/limits.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import type { BindOptions } from '../http/bind.ts'
import { callerAddress } from '../http/caller-address.ts'

/** An office shares one address; a program that writes all day does not get far. Per call and network. */
const forms = { burst: 30, perSecond: 1 / 60 }
/** Anybody can type anybody's address, so the letters that this causes are few. */
const letters = { burst: 5, perSecond: 1 / 3600 }

/** Refuses before the body is read. */
export const createAdmit =
  ({ kysely }: Database): NonNullable<BindOptions['admit']> =>
  async (op, request) => {
    if (!(await take(kysely, `${op.id}:${networkOf(callerAddress(request))}`, forms)))
      throw new IngotError('rate_limited')
  }

/** Counts one letter to this address; false when it had enough of them lately. */
export const mayWriteTo = (tx: Tx, email: string): Promise<boolean> =>
  take(tx, `site-letter:${hashOf([email]).toString('base64url')}`, letters)

async function take(db: Db | Tx, key: string, limit: { burst: number; perSecond: number }): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select auth_take_token(${key}, ${limit.burst}, ${limit.perSecond}) as free`.execute(db)
  return rows[0]!.free
}

const hashOf = (content: readonly string[]): Buffer =>
  createHash('sha256').update(JSON.stringify(content)).digest()

/** Whether this was sent in the last day. Of several at once the first is not; the others wait until it is stored. */
export async function sentBefore(tx: Tx, ...content: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    insert into site_sent as s (hash, sent_at) values (${hashOf(content)}, now())
    on conflict (hash) do update set sent_at = excluded.sent_at where s.sent_at < now() - interval '1 day'
    returning 1`.execute(tx)
  return rows.length === 0
}

/** The same thing may be sent again at once. */
export async function forgetSent(tx: Tx, ...content: readonly string[]): Promise<void> {
  await tx.deleteFrom('site_sent').where('hash', '=', hashOf(content)).execute()
}
