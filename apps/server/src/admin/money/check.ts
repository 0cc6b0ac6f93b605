/**
 * Ledger and chain are compared when an administrator asks: the audit of every night, and the deposit addresses whose coins
 * moved since each was last compared. It goes on after the answer, in this process; `audit_run` keeps it to one at a time
 * and one a minute in all processes.
 */
import type { Money } from '@ingot/contracts/admin/business'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { appendAudit } from '../../db/audit-log.ts'
import type { Db, Tx } from '../../db/database.ts'
import { idOf } from '../../db/ids.ts'
import { reconcileMoved, type ReconcileNeeds } from '../../wallet/reconcile.ts'
import { type AuditNeeds, runAudit } from '../nightly-audit.ts'

type Check = Money['check']

/** Longer than any takes: then it was killed. */
const isRunning = sql`began_at > ended_at and began_at > now() - interval '2 hours'`

export async function readCheck(db: Db | Tx): Promise<Check> {
  const { rows } = await sql<Check>`
    select ended_at as at, findings, coalesce(${isRunning}, false) as is_running from audit_run`.execute(db)
  return rows[0]!
}

/** Takes the turn; whoever has it calls `checkMoney` when that is committed. */
export async function beginCheck(tx: Tx): Promise<Check> {
  const { numAffectedRows } = await sql`
    update audit_run set began_at = now()
    where not coalesce(${isRunning}, false) and ended_at < now() - interval '1 minute'`.execute(tx)
  const check = await readCheck(tx)
  if (!numAffectedRows)
    throw check.is_running
      ? new IngotError('invalid_state', { message: 'It is being compared just now' })
      : new IngotError('rate_limited', { message: 'It was compared less than a minute ago' })
  await appendAudit(tx, {
    kind: 'books',
    id: idOf('books', 'ledger and chain'),
    userId: null,
    after: { compared: true },
  })
  return check
}

export async function checkMoney(needs: AuditNeeds & ReconcileNeeds): Promise<void> {
  try {
    await reconcileMoved(needs)
    await runAudit(needs, () => new Date())
  } catch (error) {
    needs.log.error({ err: error }, 'ledger and chain could not be compared')
    await sql`update audit_run set began_at = null`.execute(needs.database.kysely)
  }
}
