/** Says in the audit log that the time of acting as a customer was over, and what was read: whoever did it may just go. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { inAct } from '../../db/act.ts'
import { type Database, inTransaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { type Running, startRunning } from '../../worker/running.ts'

const everyMs = 30_000

interface EndNeeds {
  readonly database: Database
  readonly log: Logger
}

export const startActingEnds = ({ database, log }: EndNeeds): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await endLapsed(database).catch(error => log.error({ err: error }, 'acting as customers was not ended'))
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })

/** Returns how many. */
export const endLapsed = ({ kysely }: Database): Promise<number> =>
  inAct({ actor: 'system', role: null, operation: 'actingEnded', requestId: newId(), ip: null }, () =>
    inTransaction(kysely, async tx => {
      const { rows } = await sql<{ ended: number }>`select end_acting(null) as ended`.execute(tx)
      return rows[0]!.ended
    }),
  )
