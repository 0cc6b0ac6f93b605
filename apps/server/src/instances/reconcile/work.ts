/**
 * Moves each instance towards what was asked. The driver is called outside any transaction; its answer is applied only
 * while the claim stands and only if nobody changed the instance meanwhile (a stop that came during a start waits for
 * the start's outcome and then runs). The meter opens in the transaction that sets `running`, never before.
 */
import type { Progress } from '@ingot/contracts/instance/places'
import { moneyText } from '@ingot/contracts/money'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../../db/clock.ts'
import type { Tx } from '../../db/database.ts'
import { appendEvent } from '../../db/events.ts'
import { lockWallet, openMeter, returnFirstStart } from '../../ledger/ledger.ts'
import { keepAnswer } from '../../catalog/places.ts'
import { noteBalance } from '../../wallet/note-balance.ts'
import type { Claim, Work } from '../../worker/loop.ts'
import type { Signals } from '../../worker/signals.ts'
import { type InstanceRow, notLookedAt } from '../queries.ts'
import { isTermOver, stopAtTermEnd } from '../term.ts'
import { ask, type AskNeeds, isOurFault, servedBy } from './ask.ts'
import { applyEnd, applyThere, type Changes, noRun } from './looks.ts'
import { isLastLook, maxStartAttempts, type Outcome, outcomeOf, pickStep } from './steps.ts'

const concurrency = 32

export interface ReconcileNeeds extends AskNeeds {
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

export function instanceWork(needs: ReconcileNeeds): Work<'gpu_instances'> {
  return {
    table: 'gpu_instances',
    key: 'id',
    clock: 'business',
    concurrency,
    only: now => servedBy(needs, { now }),
    lockFirst: (tx, row) => lockWallet(tx, row.user_id),
    perform: (row, claim) => reconcile(needs, row, claim),
  }
}

async function reconcile(
  needs: ReconcileNeeds,
  row: InstanceRow,
  claim: Claim<'gpu_instances'>,
): Promise<void> {
  const step = pickStep(row)
  if (step === 'none') {
    await claim.apply(async () => ({ due_at: null }))
    return
  }
  const { ref, answer } = await ask(needs, row, step)
  const outcome = outcomeOf(step, answer, row.attempts, row.run_id)
  const isOurs = outcome.kind === 'start_failed' && (await isOurFault(needs, row, outcome.failure))
  const applied = await claim.apply(async (tx, now) => {
    const changed = now.status !== row.status || now.desired !== row.desired
    // Something else was asked for meanwhile: keep what was learnt, and look again at once.
    if (changed) return { driver_ref: ref, progress: null, due_at: needs.clock.iso() }
    return {
      driver_ref: ref,
      progress: progressOf(outcome),
      ...(await changesFor(tx, needs, now, outcome, isOurs)),
    }
  })
  if (!applied) needs.log.info({ instance: row.id, step }, 'a late answer was dropped')
  needs.signals.send(`user:${row.user_id}`)
  if (outcome.kind !== 'wait' && outcome.kind !== 'seen') needs.signals.send('places')
}

function progressOf(outcome: Outcome): string | null {
  if (outcome.kind !== 'wait' || !outcome.progress) return null
  const { what, doneBytes, totalBytes } = outcome.progress
  return JSON.stringify({ what, done_bytes: doneBytes, total_bytes: totalBytes } satisfies Progress)
}

/** Its machine was up while it was stopped, and is not any more. */
const nothingToDo: Changes = { attempts: 0, due_at: null }

async function changesFor(
  tx: Tx,
  { clock }: { clock: Clock },
  row: InstanceRow,
  outcome: Outcome,
  isOurs: boolean,
): Promise<Changes> {
  const at = clock.iso()
  const fact = { userId: row.user_id, subjectId: row.id, at }
  const settled = { attempts: 0, updated_at: at }
  switch (outcome.kind) {
    case 'wait':
      // Nobody can tell: what was charged when it was asked to end stands.
      if (outcome.failed && isLastLook(row) && row.attempts + 1 >= maxStartAttempts)
        return { ...noRun, attempts: 0, due_at: at }
      if (row.status === 'starting' && outcome.message)
        await keepAnswer(tx, row.id, 'waiting', outcome.message, at)
      return {
        ...(outcome.failed && row.attempts + 1 === maxStartAttempts
          ? await tellFailing(tx, row, outcome.message, at)
          : {}),
        attempts: row.attempts + (outcome.failed ? 1 : 0),
        due_at: clock.iso(outcome.ms),
      }
    case 'seen':
      return applyThere(tx, { clock }, row)
    case 'ran':
      if (isTermOver(row, row.started_at, at))
        return { ...(await stopAtTermEnd(tx, row, at)), ...noRun, status: 'stopping', due_at: at }
      await openMeter(tx, row.id, at, row.driver)
      await noteBalance(tx, row.user_id, at)
      await appendEvent(tx, { ...fact, type: 'instance.started', data: { name: row.name } })
      return {
        ...settled,
        status: 'running',
        started_at: at,
        stopped_at: null,
        run_id: outcome.run?.id ?? null,
        run_ms: outcome.run?.ms ?? null,
        public_ip: outcome.publicIp,
        restarting: false,
        ...notLookedAt,
        signals: '{}',
        ...(row.restarting ? {} : { snoozed_until: null }),
        due_at: null,
      }
    case 'stopped':
      if (row.status === 'stopped') return nothingToDo
      if (row.restarting && isTermOver(row, row.stopped_at, at))
        return { ...(await stopAtTermEnd(tx, row, at)), status: 'stopped', public_ip: null, due_at: null }
      if (row.restarting) {
        await appendEvent(tx, { ...fact, type: 'instance.starting', data: { name: row.name } })
        return { ...settled, ...afterFailing(row), status: 'starting', started_at: at, due_at: at }
      }
      await appendEvent(tx, { ...fact, type: 'instance.halted', data: { name: row.name } })
      return { ...settled, ...afterFailing(row), status: 'stopped', public_ip: null, due_at: null }
    case 'destroyed':
      await appendEvent(tx, { ...fact, type: 'instance.terminated', data: { name: row.name } })
      await tx.deleteFrom('instance_template').where('instance_id', '=', row.id).execute()
      return { ...settled, status: 'terminated', public_ip: null, network_volume_id: null, due_at: null }
    case 'start_failed': {
      if (outcome.failure === 'no_capacity') await keepAnswer(tx, row.id, 'refused', outcome.message, at)
      const returned = isOurs ? await returnFirstStart(tx, row.id, at) : 0n
      const message =
        returned > 0n
          ? `${outcome.message} The ${moneyText(returned)} that was paid for it was returned to your wallet.`
          : outcome.message
      const data = { name: row.name, message }
      await appendEvent(tx, {
        ...fact,
        type: `instance.${row.restarting ? 'restart' : 'start'}_failed`,
        data,
      })
      if (row.restarting)
        await sql`select queue_notice(${row.user_id}, 'start_failed', 'mail', ${JSON.stringify({ at, ...data })}::jsonb)`.execute(
          tx,
        )
      if (returned > 0n) await appendEvent(tx, { userId: row.user_id, type: 'wallet.updated', at })
      return {
        ...settled,
        // What was returned pays for nothing any more.
        ...(returned > 0n
          ? { billing_period: 'hourly' as const, paid_until: null, on_term_end: 'hourly' as const }
          : {}),
        status: 'stopped',
        desired: 'stopped',
        restarting: false,
        stopped_at: at,
        status_reason: 'start_failed',
        status_message: message,
        // Where nobody knows, it keeps its place until its driver has confirmed that nothing runs.
        due_at: outcome.failure === 'transient' ? at : null,
      }
    }
    case 'ended':
      if (row.status === 'stopped') return nothingToDo
      if (isLastLook(row)) return applyEnd(tx, { clock }, row, outcome)
      // It was gone when it was to be stopped. Its run is settled.
      return {
        ...settled,
        status: 'stopped',
        desired: 'stopped',
        restarting: false,
        public_ip: null,
        status_reason: 'lost',
        status_message: `${outcome.message} Its disk is kept as far as it can be.`,
        due_at: null,
      }
  }
}

const failing = ['stop_failed', 'restart_failed', 'delete_failed'] as const

/**
 * A stop, a restart or a delete that its driver has refused so often goes on being tried, and its owner is told so. Why
 * it was stopped, where nobody asked, is worth more than that it is slow.
 */
async function tellFailing(
  tx: Tx,
  row: InstanceRow,
  why: string | undefined,
  at: string,
): Promise<Partial<Changes>> {
  if (row.status !== 'stopping' || isLastLook(row)) return {}
  const reason =
    row.desired === 'deleted' ? 'delete_failed' : row.restarting ? 'restart_failed' : 'stop_failed'
  const message = `${why ?? 'Its host does not answer.'} It is tried again by itself, and costs nothing meanwhile.`
  await appendEvent(tx, {
    userId: row.user_id,
    type: `instance.${reason}`,
    subjectId: row.id,
    at,
    data: { name: row.name, message },
  })
  return row.status_reason === null ? { status_reason: reason, status_message: message } : {}
}

const afterFailing = ({ status_reason }: InstanceRow): Partial<Changes> =>
  failing.some(reason => reason === status_reason) ? { status_reason: null, status_message: null } : {}
