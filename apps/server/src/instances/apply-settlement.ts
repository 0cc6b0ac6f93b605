/**
 * Turns what the ledger charged into facts, and stops what the wallet can no longer pay for. Every caller of a ledger
 * function that settles calls this in the same transaction, because settling one instance may end others.
 */
import type { Tx } from '../db/database.ts'
import { appendEvent, type Fact } from '../db/events.ts'
import type { SettledLine } from '../ledger/ledger.ts'
import { formatUsd } from '@ingot/contracts/money'

export interface Usage {
  readonly cost: string
  readonly from_prepaid: string
  readonly from_wallet: string
  readonly seconds: string
  readonly duration_minutes: number
}

const msPerMinute = 60_000

/** The line as the activity log keeps it; nulls become a line that metered nothing. */
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

/**
 * Every line becomes `instance.usage_charged`, except the last of `stopping`, the instance that the caller stops
 * itself: that one is returned for the caller's own `instance.stopped`. `exhausted` holds what the empty wallet ended
 * first. For an instance of those that the caller was asked to stop, `unpaid` has the words, with the time that its run
 * was paid for: they stand where those of an empty balance would.
 */
export async function applySettlement(
  tx: Tx,
  userId: string,
  lines: readonly SettledLine[],
  at: string,
  stopping?: string,
  unpaid?: (id: string, closedAt: string) => string | undefined,
): Promise<{ last: SettledLine | undefined; exhausted: ReadonlySet<string> }> {
  const names = await namesOf(tx, lines)
  const last = lines.findLast(line => line.meter_id === stopping)
  const exhausted = new Set<string>()
  const facts: Fact[] = []
  for (const line of lines) {
    const fact = { userId, subjectId: line.meter_id, at: line.closed_at ?? line.to_at ?? at }
    const data = { name: names.get(line.meter_id), ...usageOf(line) }
    if (line.closed_at) {
      exhausted.add(line.meter_id)
      const message = unpaid?.(line.meter_id, line.closed_at)
      await stopForEmptyBalance(tx, line.meter_id, line.closed_at, at, message)
      facts.push({ ...fact, type: 'instance.stopped', data: { ...data, reason: 'balance_empty', message } })
    } else if (line !== last) {
      facts.push({ ...fact, type: 'instance.usage_charged', data })
    }
  }
  if (lines.length) await appendEvent(tx, ...facts, { userId, type: 'wallet.updated', at })
  return { last, exhausted }
}

async function namesOf(tx: Tx, lines: readonly SettledLine[]): Promise<Map<string, string>> {
  if (!lines.length) return new Map()
  const rows = await tx
    .selectFrom('gpu_instances')
    .select(['id', 'name'])
    .where(
      'id',
      'in',
      lines.map(line => line.meter_id),
    )
    .execute()
  return new Map(rows.map(row => [row.id, row.name]))
}

/**
 * running → stopping. Nothing of the instance is destroyed; it can start again after a deposit. One that stops already
 * to start again, and ran dry before that, only stops.
 */
async function stopForEmptyBalance(
  tx: Tx,
  id: string,
  closedAt: string,
  at: string,
  message = 'Stopped because the balance reached zero. The disk is kept; add funds to start again.',
): Promise<void> {
  await tx
    .updateTable('gpu_instances')
    .set({
      status: 'stopping',
      desired: 'stopped',
      restarting: false,
      stopped_at: closedAt,
      status_reason: 'balance_empty',
      status_message: message,
      due_at: at,
      updated_at: at,
    })
    .where('id', '=', id)
    .where('status', 'in', ['running', 'stopping'])
    .where('desired', '<>', 'deleted')
    .execute()
}
