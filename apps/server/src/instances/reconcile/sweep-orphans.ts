/**
 * Destroys machines that no row stands behind: what a kill left between a driver's work and its row. A machine whose
 * instance still exists is never touched, whatever its state.
 */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Region } from '../../catalog/regions.ts'
import type { Database } from '../../db/database.ts'

export interface SweepNeeds {
  readonly database: Database
  readonly regions: readonly Region[]
  readonly log: Logger
}

/** Returns how many. */
export async function sweepOrphans({ database, regions, log }: SweepNeeds): Promise<number> {
  let swept = 0
  for (const driver of new Set(regions.map(region => region.compute))) {
    const answer = await driver.list()
    const machines = answer.kind === 'done' ? answer.value : []
    if (!machines.length) continue
    const { rows } = await sql<{ id: string }>`select id::text as id from gpu_instances
      where status <> 'terminated' and id::text = any(${machines.map(machine => machine.instanceId)})`.execute(
      database.kysely,
    )
    const alive = new Set(rows.map(row => row.id))
    for (const machine of machines.filter(each => !alive.has(each.instanceId))) {
      const answer = await driver.destroy(machine.ref)
      log.warn(
        { driver: driver.name, instance: machine.instanceId, answer: answer.kind },
        'a machine without an instance was destroyed',
      )
      swept++
    }
  }
  return swept
}
