/**
 * What the ledger leaves to the command that ends a run: to tell of the run's last line, in its own fact or its own
 * words. Whatever else a settlement charges or ends, the ledger tells itself.
 */
import { formatUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { SettledLine } from '../ledger/ledger.ts'
import type { InstanceRow } from './queries.ts'

export interface Usage {
  readonly cost: string
  readonly from_prepaid: string
  readonly from_wallet: string
  readonly seconds: string
  readonly duration_minutes: number
}

const msPerMinute = 60_000

/** The line as the activity log keeps it; no line, or nulls, become one that metered nothing. As `usage_data` in SQL. */
export function usageOf(line: SettledLine | undefined): Usage {
  const ms = line?.from_at && line.to_at ? Date.parse(line.to_at) - Date.parse(line.from_at) : 0
  return {
    cost: formatUsd(line?.amount_micro ?? 0n),
    from_prepaid: formatUsd(line?.prepaid_micro ?? 0n),
    from_wallet: formatUsd(line?.wallet_micro ?? 0n),
    seconds: (ms / 1000).toFixed(3),
    duration_minutes: Math.round(ms / msPerMinute),
  }
}

type Instance = Pick<InstanceRow, 'id' | 'user_id' | 'name'>

/** A line that is not its run's last word: the run goes on to end, or to start again. */
export async function tellCharged(tx: Tx, row: Instance, line: SettledLine): Promise<void> {
  await appendEvent(tx, {
    userId: row.user_id,
    type: 'instance.usage_charged',
    subjectId: row.id,
    at: line.to_at!,
    data: { name: row.name, ...usageOf(line) },
  })
}

/**
 * The money, or a budget, had ended before the run was asked to end: it stops as one that ran dry, in the words of the
 * caller where the balance ended and it has any.
 */
export async function stopUnpaid(
  tx: Tx,
  row: Instance,
  line: SettledLine,
  at: string,
  unpaid?: string,
): Promise<void> {
  const { cause } = await tx
    .selectFrom('meter_span')
    .select('cause')
    .where('meter_id', '=', row.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const message = cause === 'balance_empty' ? unpaid : undefined
  await sql`select end_instances(${[row.id]}::uuid[], ${[line.closed_at]}::timestamptz[], ${cause}, ${at})`.execute(
    tx,
  )
  if (message)
    await tx.updateTable('gpu_instances').set({ status_message: message }).where('id', '=', row.id).execute()
  await appendEvent(tx, {
    userId: row.user_id,
    type: 'instance.stopped',
    subjectId: row.id,
    at: line.closed_at!,
    data: { name: row.name, ...usageOf(line), reason: cause, message },
  })
}
