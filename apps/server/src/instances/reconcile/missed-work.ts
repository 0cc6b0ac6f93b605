/**
 * Looks at each run that a round did not find by itself, before anything is said of it: a list may be wrong, or older than
 * what was asked for since. It has a queue of its own, so commands wait for none of this, however many machines a driver
 * has lost. What is found is applied while the instance still runs; a command that came first has a last look of its own.
 */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../../db/clock.ts'
import type { Db, Tx } from '../../db/database.ts'
import { lockWallet } from '../../ledger/ledger.ts'
import type { RowOf } from '../../worker/claimable.ts'
import type { Claim, Work } from '../../worker/loop.ts'
import type { Signals } from '../../worker/signals.ts'
import type { InstanceRow } from '../queries.ts'
import { ask, type AskNeeds, servedBy } from './ask.ts'
import { lastWords, type LastWords } from './command-end.ts'
import { applyEnd, applySeen } from './looks.ts'
import { type Outcome, outcomeOf } from './steps.ts'

const concurrency = 8

export interface MissedNeeds extends AskNeeds {
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

type Missed = RowOf<'missed_run'>

export function missedWork(needs: MissedNeeds): Work<'missed_run'> {
  return {
    table: 'missed_run',
    key: 'instance_id',
    clock: 'business',
    concurrency,
    only: () => sql`instance_id in (select id from gpu_instances where ${servedBy(needs, null)})`,
    async lockFirst(tx, { instance_id }) {
      const { user_id } = await instanceOf(tx, instance_id).select('user_id').executeTakeFirstOrThrow()
      await lockWallet(tx, user_id)
    },
    perform: (missed, claim) => lookClosely(needs, missed, claim),
  }
}

async function lookClosely(
  needs: MissedNeeds,
  { instance_id: id, attempts }: Missed,
  claim: Claim<'missed_run'>,
): Promise<void> {
  const { database, clock, signals } = needs
  const row = await instanceOf(database.kysely, id).selectAll().executeTakeFirstOrThrow()
  const askedAt = clock.iso()
  const outcome: Outcome | null =
    row.status === 'running'
      ? outcomeOf('observe', (await ask(needs, row, 'observe')).answer, attempts, row.run_id)
      : null
  const words = outcome?.kind === 'ended' && outcome.reason === 'ended' ? await lastWords(needs, row) : null
  await claim.apply(async tx => {
    const now = await instanceOf(tx, id).selectAll().forNoKeyUpdate().executeTakeFirstOrThrow()
    const isSame = now.status === 'running' && now.started_at === row.started_at
    if (isSame && outcome?.kind === 'wait')
      return { attempts: attempts + (outcome.failed ? 1 : 0), due_at: clock.iso(outcome.ms) }
    if (isSame && outcome) await apply(tx, needs, now, outcome, askedAt, words)
    await tx.deleteFrom('missed_run').where('instance_id', '=', id).execute()
    return { due_at: null }
  })
  for (const topic of ['gpu_instances', 'wallets', `user:${row.user_id}`] as const) signals.send(topic)
}

const instanceOf = (db: Db | Tx, id: string) => db.selectFrom('gpu_instances').where('id', '=', id)

async function apply(
  tx: Tx,
  { clock }: { clock: Clock },
  row: InstanceRow,
  outcome: Outcome,
  askedAt: string,
  words: LastWords | null,
): Promise<void> {
  if (outcome.kind !== 'seen' && outcome.kind !== 'ended') return
  const changes =
    outcome.kind === 'seen'
      ? await applySeen(tx, { clock }, row, outcome, askedAt)
      : await applyEnd(tx, { clock }, row, outcome, words)
  if (Object.keys(changes).length)
    await tx.updateTable('gpu_instances').set(changes).where('id', '=', row.id).execute()
}
