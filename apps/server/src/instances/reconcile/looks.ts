/**
 * What a look at one run makes of its meter. One that a round had missed and that is there is seen: its horizon moves.
 * When its end was asked for, or the balance ended, the meter was closed as far as was known, and the look is its last: it
 * tells whether the run was still there. A run that had ended by itself ends the meter at its death, or at the last look
 * where nobody knows when that was.
 */
import { moneyText } from '@ingot/contracts/money'
import type { Updateable } from 'kysely'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import type { Tables } from '../../db/tables.ts'
import { endMeter, extendTerm, lastSeen, seeMeter } from '../../ledger/ledger.ts'
import { stopUnpaid, tellCharged, usageOf } from '../last-line.ts'
import type { InstanceRow } from '../queries.ts'
import { unpaidText } from '../unpaid-text.ts'
import { afterCommand, type LastWords } from './command-end.ts'
import type { Outcome } from './steps.ts'

export type Changes = Updateable<Tables['gpu_instances']> & { due_at: string | null }

type Seen = Extract<Outcome, { kind: 'seen' }>
type Ended = Extract<Outcome, { kind: 'ended' }>

export const noRun = { run_id: null, run_ms: null } as const

/** The run was there at `lookedAt`, and goes on. */
export async function applySeen(
  tx: Tx,
  { clock }: { clock: Clock },
  row: InstanceRow,
  { run }: Seen,
  lookedAt: string,
): Promise<Partial<Changes>> {
  await seeMeter(tx, row.id, lookedAt, clock.iso())
  return run ? { run_id: run.id, run_ms: run.ms } : {}
}

/** The run was there when its end was asked for. */
export async function applyThere(tx: Tx, { clock }: { clock: Clock }, row: InstanceRow): Promise<Changes> {
  const at = clock.iso()
  const end = row.stopped_at ?? at
  const { line } = await endMeter(tx, row.id, end, at)
  const verb = row.restarting ? 'restart' : 'stop'
  if (line?.closed_at) await stopUnpaid(tx, row, line, at, unpaidText(verb, row, line.closed_at, end))
  else if (line) await tellCharged(tx, row, line)
  return { ...noRun, attempts: 0, due_at: at }
}

/** The run was not there any more. `words`: the last ones of what it was started for, where they were to be had. */
export async function applyEnd(
  tx: Tx,
  { clock }: { clock: Clock },
  row: InstanceRow,
  outcome: Ended,
  words: LastWords | null = null,
): Promise<Changes> {
  const at = clock.iso()
  const isAsked = row.status === 'stopping'
  const { end, isKnown } = await endOf(tx, row, outcome, isAsked ? (row.stopped_at ?? at) : at)
  const { line, returned } = await endMeter(tx, row.id, end, at)
  if (line?.closed_at) await stopUnpaid(tx, row, line, at)
  else if (line && isAsked) await tellCharged(tx, row, line)
  if (returned > 0n) await appendEvent(tx, { userId: row.user_id, type: 'wallet.updated', at })
  const settled = { ...noRun, attempts: 0, updated_at: at, stopped_at: end }
  if (isAsked) return { ...settled, due_at: at }

  // Nothing that a program inside can bring about is a loss.
  if (outcome.reason === 'lost') await extendTerm(tx, row.id, end, at)
  const stopped = { ...settled, public_ip: null, restarting: false, desired: 'stopped' as const }
  const next = outcome.isReplaced
    ? { status: 'stopping' as const, due_at: at }
    : { status: 'stopped' as const, due_at: null }
  // The empty balance ended it before its machine did, and has said so.
  if (line?.closed_at) return { ...stopped, ...next }
  const command = outcome.reason === 'ended' ? await afterCommand(tx, row, outcome.ran, words, at) : null
  if (command?.isToRestart) {
    await appendEvent(tx, {
      userId: row.user_id,
      type: 'instance.command_ended',
      subjectId: row.id,
      at: end,
      data: { name: row.name, message: command.message, lines: command.lines, ...usageOf(line) },
    })
    return {
      ...settled,
      public_ip: null,
      status: 'stopping',
      desired: 'running',
      restarting: true,
      status_message: withLines(command.message, command.lines),
      due_at: at,
    }
  }
  const message = [
    command?.message ?? outcome.message,
    `You pay up to ${isKnown ? 'that moment' : 'when it was last seen'}.`,
    returned > 0n
      ? `${moneyText(returned)} that had been charged beyond it was returned to your wallet.`
      : '',
    outcome.reason === 'ended' ? 'Its disk is kept.' : 'Its disk is kept as far as it can be.',
  ]
  const told = message.filter(Boolean).join(' ')
  const lines = command?.lines ?? null
  await appendEvent(tx, {
    userId: row.user_id,
    type: 'instance.stopped',
    subjectId: row.id,
    at: end,
    data: { name: row.name, reason: outcome.reason, message: told, lines, ...usageOf(line) },
  })
  return {
    ...stopped,
    ...next,
    status_reason: command?.isLoop ? 'crash_loop' : outcome.reason,
    status_message: withLines(told, lines),
  }
}

/** The lines stand below, as in the activity log. */
const withLines = (message: string, lines: string | null): string =>
  lines === null ? message : `${message}\n${lines}`

/**
 * By the driver's clock the run went on for so long after the last look, and by the business clock it was then: the two
 * may differ, and the second may have been moved on since.
 */
async function endOf(tx: Tx, row: InstanceRow, { ran }: Ended, latest: string) {
  const seenAt = await lastSeen(tx, row.id)
  const seenMs = ran && (await driverMs(tx, row, seenAt, ran.from))
  const ranOnMs = seenMs === null ? null : Math.max(0, Math.round(ran!.to - seenMs))
  const endMs = Math.min(Date.parse(seenAt ?? latest) + (ranOnMs ?? 0), Date.parse(latest))
  return { end: new Date(endMs).toISOString(), isKnown: ranOnMs !== null }
}

/** What the driver's clock said at the last look: a round at all of its machines, or one at this machine alone. */
async function driverMs(
  tx: Tx,
  { driver, run_ms }: InstanceRow,
  seenAt: string | null,
  beganMs: number,
): Promise<number | null> {
  const round = await tx
    .selectFrom('driver_look')
    .select('driver_ms')
    .where('driver', '=', driver)
    .where('looked_at', '=', seenAt)
    .executeTakeFirst()
  return round ? round.driver_ms : run_ms === null ? null : beganMs + run_ms
}
