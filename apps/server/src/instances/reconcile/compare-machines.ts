/**
 * What a driver says it holds, against the rows. All of it is compared in one statement that writes nothing, and what
 * differs is written by another, so with nothing new a round writes as little for 100,000 machines as for one.
 */
import type { Listed, Ref } from '@ingot/compute/driver'
import { setImmediate as eventLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { uuid } from '../../db/page.ts'
import { isUp } from './steps.ts'

/** Machines whose ids are written in one step: about a millisecond. */
const writtenAtOnce = 2_000

/** Ids of instances, if nothing else is said. */
export interface Differences {
  /** Metered when the driver was asked, and not there. */
  readonly missed: readonly string[]
  /** Had been missed, and there. */
  readonly found: readonly string[]
  /** Up, while the instance is stopped. */
  readonly strays: readonly string[]
  /** Machines that no instance stands behind. */
  readonly orphans: readonly Ref[]
  /** What the driver's clock said when it was asked. */
  readonly driverMs: number | null
}

export async function compareMachines(
  db: Db,
  driver: string,
  askedAt: string,
  machines: readonly Listed[],
): Promise<Differences> {
  const { ids, runs, strangers, driverMs } = await textsOf(machines)
  const { rows } = await sql<Differences>`
    select * from compare_machines(${driver}, ${askedAt}, ${ids}::uuid[], ${runs}::jsonb)`.execute(db)
  const unknown = new Set(rows[0]!.orphans)
  const orphans = unknown.size ? machines.filter(({ instanceId }) => unknown.has(instanceId)) : []
  return { ...rows[0]!, orphans: [...strangers, ...orphans].map(({ ref }) => ref), driverMs }
}

/** The ids and runs of all machines as PostgreSQL reads them: its client would write them element by element. */
async function textsOf(machines: readonly Listed[]) {
  const ids: string[] = []
  const runs: string[] = []
  const strangers: Listed[] = []
  let driverMs: number | null = null
  for (let from = 0; from < machines.length; from += writtenAtOnce) {
    const part = machines.slice(from, from + writtenAtOnce)
    const known = part.filter(({ instanceId }) => uuid(instanceId))
    // Whoever carries no id of ours is nobody's.
    if (known.length < part.length) strangers.push(...part.filter(({ instanceId }) => !uuid(instanceId)))
    driverMs = part.reduce((least, { at }) => Math.min(least, at), driverMs ?? Infinity)
    if (known.length) {
      ids.push(known.map(({ instanceId }) => instanceId).join())
      runs.push(JSON.stringify(known.map(each => (isUp(each) ? (each.run?.id ?? '') : null))).slice(1, -1))
    }
    await eventLoop()
  }
  return { ids: `{${ids.join()}}`, runs: `[${runs.join()}]`, strangers, driverMs }
}

/** Writes what differs. `last`: nothing more is to come, so every other run was seen when the driver was asked. */
export async function noteRound(
  tx: Tx,
  driver: string,
  askedAt: string,
  { missed, found }: Pick<Differences, 'missed' | 'found'>,
  at: string,
  last?: Pick<Differences, 'strays' | 'driverMs'>,
): Promise<void> {
  await sql`select note_round(${driver}, ${askedAt}, ${last?.driverMs ?? null}, ${missed}::uuid[], ${found}::uuid[],
    ${last?.strays ?? []}::uuid[], ${last !== undefined}, ${at})`.execute(tx)
}
