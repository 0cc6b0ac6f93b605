/**
 * Destroys machines that no row stands behind: what a kill left between a driver's work and its row. A machine whose
 * instance still exists is never touched, whatever its state.
 */
import { sql } from 'kysely'
import type { InstanceServices } from '../services.ts'

export async function sweepOrphans({
  database,
  regions,
  log,
}: Pick<InstanceServices, 'database' | 'regions' | 'log'>): Promise<number> {
  let swept = 0
  for (const driver of new Set(regions.map(region => region.compute))) {
    const machines = await driver.list()
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
