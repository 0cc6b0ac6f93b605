/** The end of a term where its owner chose that the instance stops then. The ledger ends what runs; this, what starts. */
import { appendEvent } from '../db/events.ts'
import type { Tx } from '../db/database.ts'
import type { InstanceRow } from './queries.ts'

type Term = Pick<InstanceRow, 'on_term_end' | 'paid_until'>

/** Asked to start within the term, which is over now. */
export const isTermOver = (row: Term, askedAt: string | null, at: string): boolean =>
  row.on_term_end === 'stop' &&
  row.paid_until !== null &&
  askedAt !== null &&
  Date.parse(askedAt) < Date.parse(row.paid_until) &&
  Date.parse(at) >= Date.parse(row.paid_until)

/** It does not run on: the words are those of `end_instances`. */
export async function stopAtTermEnd(tx: Tx, row: InstanceRow, at: string) {
  await appendEvent(tx, {
    userId: row.user_id,
    type: 'instance.stopped',
    subjectId: row.id,
    at,
    data: { name: row.name, reason: 'term_over' },
  })
  return {
    desired: 'stopped' as const,
    restarting: false,
    stopped_at: row.paid_until,
    status_reason: 'term_over' as const,
    status_message:
      'Stopped because its term ended, as was chosen. The disk is kept; started again, it costs its hourly price.',
    attempts: 0,
    updated_at: at,
  }
}
