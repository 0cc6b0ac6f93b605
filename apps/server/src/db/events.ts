/**
 * Facts, appended by the transaction that makes them true. They are the activity log, what the stream sends, and what
 * mail and webhooks are made from; nothing is ever read from them to decide what is allowed.
 */
import type { FactType } from '@ingot/contracts/events'
import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'

export interface Fact {
  readonly userId: string | null
  readonly type: FactType
  readonly subjectId?: string | null
  readonly data?: Readonly<Record<string, unknown>>
  /** Business time. */
  readonly at: string
}

export async function appendEvent(tx: Tx, ...facts: readonly Fact[]): Promise<void> {
  await tx
    .insertInto('event')
    .values(
      facts.map(fact => ({
        user_id: fact.userId,
        type: fact.type,
        subject_id: fact.subjectId ?? null,
        data: JSON.stringify(fact.data ?? {}),
        at: fact.at,
      })),
    )
    .execute()
}

/** A place in the stream: `xid-id`. Opaque to clients, ordered for us. */
export type Position = `${bigint}-${bigint}`

export interface StreamedFact {
  readonly position: Position
  readonly type: string
  readonly subject_id: string | null
}

/** Where the stream stands now: everything readable so far is before it. */
export async function currentPosition(db: Db): Promise<Position> {
  const { rows } = await sql<{
    xmin: string
  }>`select pg_snapshot_xmin(pg_current_snapshot())::text as xmin`.execute(db)
  return `${BigInt(rows[0]!.xmin)}-0`
}

const positionForm = /^(\d{1,20})-(\d{1,19})$/
export function isPosition(text: string): text is Position {
  const [, xid, id] = positionForm.exec(text) ?? []
  return xid !== undefined && BigInt(xid) < 2n ** 64n && BigInt(id!) < 2n ** 63n
}

/** Whether a fact after `position`, of whatever user, was deleted for its age. */
export async function isBehindSweep(db: Db, position: Position): Promise<boolean> {
  const [xid, id] = position.split('-')
  const { rows } = await sql<{ is_behind: boolean }>`
    select (deleted_xid, deleted_id) > (${xid}::text::xid8, ${id}::bigint) as is_behind from event_sweep`.execute(
    db,
  )
  return rows[0]!.is_behind
}

/**
 * A user's facts after `position`, oldest first. Facts of transactions that are still open, and all younger ones, wait
 * for the next read, so a slow transaction can delay a fact but never hide it.
 */
export async function readEvents(
  db: Db,
  userId: string,
  position: Position,
  limit = 500,
): Promise<StreamedFact[]> {
  const [xid, id] = position.split('-')
  const { rows } = await sql<StreamedFact>`
    select xid::text || '-' || id as position, type, subject_id from event
    where user_id = ${userId} and (xid, id) > (${xid}::text::xid8, ${id}::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by xid, id limit ${limit}`.execute(db)
  return rows
}
