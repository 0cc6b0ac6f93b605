/**
 * The log of what staff do. What changes the safety of an account comes into it by triggers, whoever does it; any other
 * write of staff says itself what it changed. Values are plain words: never a secret, a hash or a code.
 */
import type { AuditChange } from '@ingot/contracts/accounts'
import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'
import type { PlatformTables } from './tables/platform.ts'

type Value = string | number | boolean | null
type Values = Readonly<Record<string, Value>>

interface Entry {
  readonly kind: PlatformTables['audit_log']['subject_kind']
  readonly id: string
  /** Whose account it is about. */
  readonly userId: string | null
  /** What is the same on both sides is left out; without one of them there was, or is, nothing. */
  readonly before?: Values | null
  readonly after?: Values | null
}

/** Who, through which call and from where is known to the transaction. */
export async function appendAudit(tx: Tx, { kind, id, userId, before, after }: Entry): Promise<void> {
  await sql`
    select audit_append(${kind}, ${id}, ${userId}, ${JSON.stringify(before ?? {})}, ${JSON.stringify(after ?? {})})`.execute(
    tx,
  )
}

/** For a write of staff that may have changed nothing: then its entry says that they made it. */
export async function appendAuditAnyway(tx: Tx, entry: Entry): Promise<void> {
  if (!(await isAudited(tx))) await appendAudit(tx, entry)
}

/** Why the rest of the transaction is done, in the words of whoever does it. */
export async function giveReason(tx: Tx, reason: string): Promise<void> {
  await sql`select set_config('ingot.reason', ${reason}, true)`.execute(tx)
}

/** Fails where the transaction has left no entry. */
export async function assertAudited(tx: Tx, operation: string): Promise<void> {
  if (!(await isAudited(tx))) throw new Error(`${operation} is a write of staff and left no audit entry`)
}

/** The same for a call that opened its own transactions. */
export async function assertAuditedCall(db: Db, operation: string, requestId: string): Promise<void> {
  const { rows } = await sql`
    select from audit_log where operation = ${operation} and at > now() - interval '1 day' and request_id = ${requestId}
    limit 1`.execute(db)
  if (!rows.length) throw new Error(`${operation} is a write of staff and left no audit entry`)
}

async function isAudited(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ audited: string | null }>`
    select current_setting('ingot.audited', true) as audited`.execute(tx)
  return rows[0]!.audited === 'yes'
}

const text = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value)

/** What differs, field by field, as people read it. */
export const changesOf = (before: unknown, after: unknown): AuditChange[] => {
  const [old, next] = [before as Values, after as Values]
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].map(field => ({
    field,
    before: text(old[field]),
    after: text(next[field]),
  }))
}
