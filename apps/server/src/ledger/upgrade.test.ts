/** What an older version wrote goes on under the horizon. */
import { expect, test } from 'vitest'
import { newId } from '../db/ids.ts'
import { migrate } from '../db/migrate.ts'
import { createOlderDatabase } from '../db/test-database.ts'
import { assertLedgerSound } from './audit.ts'

test('what an older version charged beyond the last look returns when the machine turns out to be gone', async () => {
  await using database = await createOlderDatabase('0023')
  const ask = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
  const [userId, running, idle] = [newId(), newId(), newId()]
  await ask('insert into auth_user (id) values ($1)', [userId])
  await ask("select credit_wallet($1, 90000000, 'gift', $2, '2026-01-01')", [userId, newId()])
  for (const id of [running, idle]) {
    await ask("select deploy_charge($1, $2, 'box', 3600000, 3600000, null, 'box: setup', '2026-01-01')", [
      userId,
      id,
    ])
    await ask(
      `insert into gpu_instances (id, user_id, name, gpu_type, gpu_count, cpu_cores, memory_gb, system_storage_gb,
          data_storage_gb, status, desired, region, hardware, shell, billing_period, hourly_cost_micro, created_at,
          updated_at, driver, observed_at)
        values ($1, $2, 'box', 'A40', 1, 1, 1, 40, 100, $3, $3, 'US-East', 'simulated', 'simulated', 'hourly', 3600000,
          '2026-01-01', '2026-01-01', 'simulated', '2026-01-01 00:01')`,
      [id, userId, id === running ? 'running' : 'stopped'],
    )
  }
  await ask("select open_meter($1, '2026-01-01')", [running])
  await ask("select settle_wallet($1, '2026-01-01 10:00')", [userId])
  await migrate(database.url)
  const [meter] = await ask('select seen_at, metered_to from meter where id = $1', [running])
  expect(meter).toEqual({ seen_at: '2026-01-01T00:01:00.000Z', metered_to: '2026-01-01T10:00:00.000Z' })
  await ask("select settle_wallets(array[$1::uuid], '2026-01-01 11:00')", [userId])
  expect(await ask('select from usage_line')).toHaveLength(1)
  const [returned] = await ask("select * from end_meter($1, '2026-01-01 00:01', '2026-01-01 11:00')", [
    running,
  ])
  expect(returned).toMatchObject({ amount_micro: -(36_000_000n - 60_000n) })
  await assertLedgerSound(database.kysely)
})
