import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** The row of an instance that waits for a place. */
export async function makeWaiting(
  db: Db,
  id: string,
  userId: string,
  driver = 'none',
  gpuType = 'A40',
  count = 1,
  host: bigint | null = null,
): Promise<void> {
  await sql`
    insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb, data_storage_gb,
      status, desired, status_reason, region, hardware, shell, driver, host_id, billing_period, hourly_cost_micro, created_at, updated_at)
    values (${id}, ${userId}, 'box', ${gpuType}, ${count}, 8, 48, 40, 100, 'stopped', 'stopped', 'queued', 'US-East',
      'simulated', 'simulated', ${driver}, ${host}, 'hourly', 1, now(), now())`.execute(db)
}
